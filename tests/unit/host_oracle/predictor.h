// What HostEngine says of a probe: every way that it walks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "egtrace/engine/host.h"
#include "egtrace/engine/journey.h"
#include "random_host.h"

namespace egt::test {

// One way of the prediction, with the walk of the error message or reset that it ends in, the last where that is refused.
struct Way {
  engine::HostOutcome outcome;
  std::optional<engine::HostOutcome> answer;
  engine::NetworkState network_state;
  engine::Record record, answer_record;
  std::string choices;
  bool open_port = false;  // the kernel picks one
  bool sure = true;        // no unknown choice, no assumption, no gap
};

class Predictor {
 public:
  Predictor(const cluster::Node& node, const RandomHost& host) : node_(node), host_(host) {}

  // At most 128 for each of the worlds.
  std::vector<Way> predict(const Probe& p);

  // Several where what was seen leaves open which way the packets before took.
  std::vector<engine::NetworkState> network_states{engine::NetworkState{}};

 private:
  void add_paths(const Probe& p, const engine::NetworkState& network_state, std::vector<Way>& ways, std::size_t most);

  const cluster::Node& node_;
  const RandomHost& host_;
};

// "v1 tcp 10.0.0.2:5 > 10.1.0.2:80 ttl 64 tos 0 02:… > 02:…"
std::string frame_text(const std::string& device, const FlowKey& k);
std::string describe(const Way& w);

}  // namespace egt::test
