#include "device_checks.h"

namespace egt::engine {
namespace {

using cluster::Node;
using netfilter::Hook;

// `most`: bytes of the longest IP packet that fits.
std::optional<Arrival> check_fit(Walk& walk, const host::Link& link, std::uint32_t most, Stop where) {
  const FittingSizes fitting = fitting_sizes(most, walk.packet.size().esp);
  const std::uint32_t bytes = walk.packet.ip_length();
  if (bytes <= fitting.surely) return std::nullopt;
  where.evidence = {link.from};
  if (bytes <= fitting.perhaps) {
    walk.record.assume({Supposition::encrypted_fits, {std::uint64_t{bytes}, link.name, where.node}, {}, where.evidence});
    return std::nullopt;
  }
  const std::uint32_t mtu = fitting_sizes(link.mtu, walk.packet.size().esp).surely;
  where.why = {Reason::mtu_exceeded, {std::uint64_t{bytes}, std::uint64_t{mtu}, link.name}};
  return walk.log.stop(Verdict::dropped, std::move(where));
}

}  // namespace

bool has_device_chain(const Node& node, Hook hook, std::string_view device) {
  for (const netfilter::Table& table : node.host.nft.value.tables)
    for (const netfilter::Chain& chain : table.chains)
      if (chain.hook == hook && chain.device == device) return true;
  return false;
}

// Rules of a device that no network stack takes the frame from, or has given it to: of a bridge's port, or below another.
std::optional<Next> pass_hook(Walk& walk, const Node& node, Hook hook, const std::string& device, FlowKey& packet) {
  if (!has_device_chain(node, hook, device)) return std::nullopt;
  HostEngine engine = host_of(walk, node);
  HostOutcome outcome = engine.pass_device(device, hook, packet);
  switch (outcome.kind) {
    case HostOutcome::Kind::delivered:
    case HostOutcome::Kind::transmit: break;
    case HostOutcome::Kind::inconclusive: return walk.log.stop(Verdict::inconclusive, outcome.stop.value_or(Stop{}));
    case HostOutcome::Kind::dropped:
    case HostOutcome::Kind::rejected: return walk.log.stop(Verdict::dropped, outcome.stop.value_or(Stop{}));
  }
  walk.log.see_copies(node, outcome);
  if (outcome.device != device) return AtDevice{&node, outcome.device, outcome.packet};
  packet = std::move(outcome.packet);
  return std::nullopt;
}

// What is larger is dropped without a word (ovs_vport_send() of net/openvswitch/vport.c, packet_snd() of net/packet).
std::optional<Arrival> check_size(Walk& walk, const Node& node, const std::string& device) {
  const host::Link* link = node.host.link(device);
  if (link == nullptr || link->mtu == 0 || walk.packet.is_refusal()) return std::nullopt;
  walk.record.limit({fitting_sizes(link->mtu, walk.packet.size().esp).surely, node.name, device, link->from});
  return check_fit(walk, *link, link->mtu, stop_at_device(node, device, {}));
}

// A VLAN tag more than its MTU (is_skb_forwardable() of include/linux/netdevice.h).
std::optional<Arrival> enter_veth(Walk& walk, const host::Link& link, Stop where) {
  constexpr std::uint32_t kVlanTag = 4;
  if (link.kind != "veth" || link.mtu == 0 || walk.packet.is_refusal()) return std::nullopt;
  walk.record.limit({fitting_sizes(link.mtu, walk.packet.size().esp).surely, where.node, link.name, link.from});
  return check_fit(walk, link, link.mtu + kVlanTag, std::move(where));
}

}  // namespace egt::engine
