// One random host of the kernel, and probes whose fate is compared with the engine's ways.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agreement.h"
#include "egtrace/cluster/cluster.h"
#include "kernel_host.h"
#include "predictor.h"
#include "random_host.h"

namespace egt::test {

struct Tally {
  unsigned packets = 0, agreed = 0, sure = 0, several = 0, open = 0, differ = 0, hosts = 0, refused = 0;
  std::string differences;

  void add(const Tally& t) {
    packets += t.packets, agreed += t.agreed, sure += t.sure, several += t.several, open += t.open, differ += t.differ;
    hosts += t.hosts, refused += t.refused;
    differences += t.differences;
  }
};

class Experiment {
 public:
  Experiment(unsigned seed, Tally& tally) : seed_(seed), random_(seed), tally_(tally) {
    folder_ = std::filesystem::temp_directory_path() / fmt::format("egt-oracle-{}-{}", seed, getpid());
  }

  void run(unsigned packets);

 private:
  bool begin();
  bool read_dumps();
  void look_at_connections();
  void one_probe();
  void compare(const Probe& probe, bool kernel_said_no, const std::string& what);
  Probe error_about(const Observation::Item& sent);
  void follow(const Probe& probe, const Way& way, const Observation& seen);
  bool may_be_silent(const Probe& probe, const Observation& o, const std::vector<Way>& ways);
  void learn_port(const Way& way, const Observation& o, engine::NetworkState& network_state);

  unsigned seed_;
  RandomHost random_;
  Tally& tally_;
  std::filesystem::path folder_;
  std::optional<KernelHost> kernel_;
  std::optional<cluster::Cluster> cluster_;
  std::optional<Predictor> predictor_;
  std::uint32_t number_ = 0;
  std::map<IpAddr, int> errors_;
  std::vector<Probe> answers_;  // of outside nodes, to be sent next
  bool failed_ = false;
};

}  // namespace egt::test
