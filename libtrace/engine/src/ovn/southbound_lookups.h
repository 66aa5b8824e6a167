// What a walk looks up in the southbound database. What it is not shown is noted, unless the dumps have all of the table: what is not in
// it then does not exist.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "egtrace/engine/logical_trace.h"

namespace egt::engine::logical {

class SouthboundLookups {
 public:
  explicit SouthboundLookups(const LogicalNetwork& network) : network_(network) {}

  const LogicalNetwork& network() const { return network_; }
  // The flow that the packet meets; null where none matches.
  const NetworkFlow* flow(const LogicalDatapath& datapath, const FlowKey& packet, ovn::Pipeline pipeline, std::uint32_t table);
  // The key of a port or multicast group; 0 for a name that the datapath does not have.
  std::uint32_t port_key(const LogicalDatapath& datapath, std::string_view name);
  // The port whose port security is checked; null where there is none.
  const NetworkPort* secured_port(const LogicalDatapath& datapath, std::uint32_t key);
  std::optional<std::uint32_t> learned_port(const LogicalDatapath& datapath, MacAddr mac);
  // The load balancer's address that the connection was made to.
  std::optional<LoadBalancerVips::Vip> vip(const FlowKey& packet) const;

  // Notes a question that got no answer.
  void note(Unanswered question);
  std::vector<Unanswered> take_unanswered() { return std::move(unanswered_); }

 private:
  const LogicalNetwork& network_;
  std::vector<Unanswered> unanswered_;  // each once
};

}  // namespace egt::engine::logical
