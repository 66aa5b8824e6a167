// The ct action that ovn-controller writes into OpenFlow for a logical action (encode_*() of lib/actions.c).
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "egtrace/engine/logical_network.h"
#include "egtrace/openflow/action.h"

namespace egt::engine::logical {

// Connection tracking zones as ovn-controller gives them out (ovn-architecture(7), controller/lflow.c): one for each
// logical port, two for each datapath. `common`: the one that a gateway router translates in, of either direction.
enum class Zone : std::uint8_t { port, dnat, snat, common };

struct Tracking {
  Zone zone = Zone::port;
  bool commit = false;
  std::optional<openflow::Nat> nat;
  std::optional<std::pair<std::uint32_t, std::uint32_t>> mark;  // value, mask
  std::optional<std::pair<U128, U128>> label;
};

Tracking tracking_of(const ovn::CtNext& a, const LogicalDatapath& datapath);
Tracking tracking_of(const ovn::CtNat& a, const LogicalDatapath& datapath);
Tracking tracking_of(const ovn::CtCommitToZone& a, const LogicalDatapath& datapath);
// What the block writes is the connection's.
Tracking tracking_of(const ovn::CtCommit& a, const LogicalDatapath& datapath, const FlowKey& packet);
// Of one without backends: it translates as the connection was.
Tracking tracking_of(const ovn::CtLb& a, const LogicalDatapath& datapath);
Tracking tracking_to(const ovn::LbBackend& backend, const ovn::CtLb& a, const LogicalDatapath& datapath);
// Of ct_snat_to_vip.
Tracking tracking_to_vip(const LogicalNetwork& network, const FlowKey& packet);

// Whether a load balancer has translated the packet's connection.
bool is_balanced(const FlowKey& packet);

}  // namespace egt::engine::logical
