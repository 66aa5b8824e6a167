// Rules of netfilter in a pod's own network namespace. Those of a service mesh (istio-init, linkerd-init) hand what the pod sends to a proxy
// beside it, but for what that proxy sends itself, which they know by its user.
#include <algorithm>

#include "egtrace/engine/netfilter.h"
#include "pod_stack.h"
#include "walker.h"

namespace egt::engine {
namespace {

using netfilter::Hook;

bool shows_rules_of_pod(const host::Host& host, Family family) {
  const bool v4 = family == Family::v4;
  return (v4 ? host.iptables_v4 : host.iptables_v6).present || (v4 ? host.iptables_legacy_v4 : host.iptables_legacy_v6).present ||
         host.nft.present;
}

// Rules that a new mark leads elsewhere by.
bool routes_by_mark(const host::Host& host, Family family) {
  const auto& rules = family == Family::v4 ? host.rules_v4 : host.rules_v6;
  return std::any_of(rules.value.begin(), rules.value.end(), [](const host::PolicyRule& r) { return r.fwmark.has_value(); });
}

bool stays_in_pod(const PodStack& stack, const NatDecision& nat) {
  return nat.kind == netfilter::NatTarget::Kind::redirect ||
         (nat.address && (nat.address->is_loopback() || !stack.lacks(*nat.address)));
}

}  // namespace

// Whether it is the first packet of its connection, as far as it shows.
bool Walker::may_open(const FlowKey& packet) const {
  constexpr std::uint32_t kAck = 0x10;
  if (client_ || answering_) return false;
  return packet.u32(FieldId::nw_proto) != ip_proto::tcp || (packet.u32(FieldId::tcp_flags) & kAck) == 0;
}

// The rules that a pod's packet meets there: as it leaves (`sends`), else as it comes.
std::optional<Walker::Next> Walker::filter_in_pod(const Endpoint& pod, const PodStack& stack, FlowKey& packet, bool opens,
                                                  bool sends) {
  if (stack.host == nullptr || !is_ip(packet) || !shows_rules_of_pod(*stack.host, family_of(packet))) return std::nullopt;
  FlowKey seen = packet;
  seen.set(FieldId::pkt_mark, 0);
  Connection connection;
  connection.original = tuple_of(seen);
  connection.reply = reversed(connection.original);
  if (!opens) std::swap(connection.original, connection.reply);
  NetfilterContext context{.packet = seen, .length = frame_length() - kEthernetHeader};
  (sends ? context.oif : context.iif) = stack.device->name;
  context.state = opens ? PacketState::new_ : PacketState::established;
  context.connection = &connection;
  context.reply_direction = context.confirmed = !opens;
  context.local_socket = sends;
  NetfilterEngine rules(*stack.host, family_of(packet), pod.node->name, network_state_, record_, chooser_);
  for (const Hook hook : {sends ? Hook::output : Hook::prerouting, sends ? Hook::postrouting : Hook::input})
    for (const NetfilterStage stage :
         {NetfilterStage::before_conntrack, NetfilterStage::before_nat, NetfilterStage::nat, NetfilterStage::after_nat}) {
      if (stage == NetfilterStage::nat && !opens) continue;
      const HookResult result = rules.run(hook, stage, context);
      if (!result.goes_on()) return ended_in_pod(pod, result);
      if (result.mark_changed_in_route_chain && routes_by_mark(*stack.host, family_of(packet))) return rewritten_in_pod(pod);
      if (result.tproxy)
        record_.assume({Supposition::proxy_hands_on, {pod.pod.name, std::uint64_t{result.tproxy->port}}, {}, {}, pod.node->name});
      if (result.nat)
        if (std::optional<Next> end = translated_in_pod(pod, stack, *result.nat, sends)) return end;
    }
  if (tuple_of(seen) != tuple_of(packet)) return rewritten_in_pod(pod);
  seen.set(FieldId::pkt_mark, packet.get(FieldId::pkt_mark));
  packet = seen;
  return std::nullopt;
}

// Addresses, ports or a mark for other routes are written: where such a packet goes, and what answers are taken for, is not followed.
Walker::Next Walker::rewritten_in_pod(const Endpoint& pod) {
  return stop(Verdict::inconclusive, {pod.node->name,
                                      Layer::host,
                                      {PlaceKind::pod, {pod.pod.name}},
                                      {Reason::translated_in_pod, {pod.pod.name}},
                                      {pod.port->from}});
}

Walker::Next Walker::ended_in_pod(const Endpoint& pod, const HookResult& result) {
  const bool open = result.outcome == HookResult::Outcome::inconclusive || result.outcome == HookResult::Outcome::sent;
  const Verdict verdict = open ? Verdict::inconclusive : Verdict::dropped;
  return stop(verdict, {pod.node->name, Layer::host, {PlaceKind::pod, {pod.pod.name}}, result.why, result.evidence});
}

// What a proxy sends for the pod is a connection of its own. What comes for the pod through a proxy there does come.
std::optional<Walker::Next> Walker::translated_in_pod(const Endpoint& pod, const PodStack& stack, const NatDecision& nat,
                                                      bool sends) {
  const bool to_proxy = !nat.source && nat.port && stays_in_pod(stack, nat);
  Details about{pod.pod.name};
  if (to_proxy) about.emplace_back(std::uint64_t{*nat.port});
  if (to_proxy && !sends) {
    record_.assume({Supposition::proxy_hands_on, std::move(about), {}, nat.evidence, pod.node->name});
    return std::nullopt;
  }
  return stop(Verdict::inconclusive, {pod.node->name,
                                      Layer::host,
                                      {PlaceKind::pod, {pod.pod.name}},
                                      {to_proxy ? Reason::taken_by_local_proxy : Reason::translated_in_pod, std::move(about)},
                                      nat.evidence});
}

}  // namespace egt::engine
