// The bridge at which a packet of the datapath arrives (xlate_lookup_ofproto() of ofproto/ofproto-dpif-xlate.c).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "egtrace/base/result.h"
#include "egtrace/cluster/cluster.h"
#include "egtrace/openflow/datapath.h"
#include "egtrace/packet/flow_key.h"

namespace egt::engine::ofproto {

struct Ingress {
  const openflow::Bridge* bridge = nullptr;
  std::uint32_t port = 0;  // OpenFlow port number there
};

// A datapath's port by its number or, without one, by its name. Of the tunnels that share a port that one is taken whose
// remote address the packet comes from. An error shows what is not there, or not in the dumps.
Result<Ingress> ingress_of(const cluster::Node& node, const openflow::Datapath& datapath, std::optional<std::uint32_t> number,
                           const std::string& name, const FlowKey& packet);

}  // namespace egt::engine::ofproto
