#include <utility>

#include "egtrace/engine/host.h"
#include "host_walk.h"

namespace egt::engine {

HostEngine::HostEngine(const cluster::Node& node, NetworkState& network_state, Record& record, Chooser& chooser,
                       const NeighbourOracle& neighbours, HostOptions options)
    : node_(node),
      network_state_(network_state),
      record_(record),
      chooser_(chooser),
      neighbours_(neighbours),
      options_(std::move(options)) {}

HostOutcome HostEngine::receive(const std::string& device, const FlowKey& frame) {
  return HostWalk(node_, network_state_, record_, chooser_, neighbours_, frame, options_).receive(device);
}

HostOutcome HostEngine::send(const LocalSend& what) {
  return HostWalk(node_, network_state_, record_, chooser_, neighbours_, what.packet, options_).send(what);
}

HostOutcome HostEngine::pass_device(const std::string& device, netfilter::Hook hook, const FlowKey& frame) {
  return HostWalk(node_, network_state_, record_, chooser_, neighbours_, frame, options_).pass_device(device, hook);
}

}  // namespace egt::engine
