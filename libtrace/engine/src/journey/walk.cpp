#include "walk.h"

namespace egt::engine {

HostOptions host_options(const Walk& walk) {
  HostOptions options;
  options.packet_length = walk.packet.ip_length();
  const bool tcp = walk.packet.carried() == nullptr && walk.sender.sent.u64(FieldId::nw_proto) == ip_proto::tcp;
  options.may_fragment = walk.options.may_fragment && !tcp;
  options.esp = walk.packet.size().esp;
  if (walk.packet.is_refusal()) options.quoted = walk.packet.quoted();
  return options;
}

HostEngine host_of(Walk& walk, const cluster::Node& node) {
  if (node.host_presumed) walk.log.presume(node);
  return HostEngine(node, walk.network_state, walk.record, walk.chooser, walk.topology.neighbours(), host_options(walk));
}

bool may_open(const Walk& walk, const FlowKey& packet) {
  constexpr std::uint32_t kAck = 0x10;
  if (walk.sender.client || walk.packet.is_refusal()) return false;
  return packet.u32(FieldId::nw_proto) != ip_proto::tcp || (packet.u32(FieldId::tcp_flags) & kAck) == 0;
}

}  // namespace egt::engine
