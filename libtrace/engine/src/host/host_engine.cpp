#include "egtrace/engine/host.h"

#include <utility>

#include "host_walk.h"

namespace egt::engine {

HostEngine::HostEngine(const cluster::Node& node, World& world, Record& record, Chooser& chooser,
                       const NeighbourOracle& neighbours, HostOptions options)
    : node_(node),
      world_(world),
      record_(record),
      chooser_(chooser),
      neighbours_(neighbours),
      options_(std::move(options)) {}

HostOutcome HostEngine::receive(const std::string& device, const FlowKey& frame) {
  return HostWalk(node_, world_, record_, chooser_, neighbours_, frame, options_).receive(device);
}

HostOutcome HostEngine::send(const LocalSend& what) {
  return HostWalk(node_, world_, record_, chooser_, neighbours_, what.packet, options_).send(what);
}

HostOutcome HostEngine::pass_device(const std::string& device, netfilter::Hook hook, const FlowKey& frame) {
  return HostWalk(node_, world_, record_, chooser_, neighbours_, frame, options_).pass_device(device, hook);
}

}  // namespace egt::engine
