#include "pod_rules.h"

#include <algorithm>

#include "host/host_end.h"

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

std::optional<Arrival> PodRules::pass(FlowKey& packet, bool opens) {
  if (stack_.host == nullptr || !is_ip(packet) || !shows_rules_of_pod(*stack_.host, family_of(packet))) return std::nullopt;
  FlowKey seen = packet;
  seen.set(FieldId::pkt_mark, 0);
  Connection connection;
  connection.original = tuple_of(seen);
  connection.reply = reversed(connection.original);
  if (!opens) std::swap(connection.original, connection.reply);
  NetfilterContext context{.packet = seen, .length = walk_.packet.ip_length()};
  (sends_ ? context.oif : context.iif) = stack_.device->name;
  context.state = opens ? PacketState::new_ : PacketState::established;
  context.connection = &connection;
  context.reply_direction = context.confirmed = !opens;
  context.local_socket = sends_;
  NetfilterEngine rules(*stack_.host, family_of(packet), pod_.node->name, walk_.network_state, walk_.record, walk_.chooser);
  for (const Hook hook : {sends_ ? Hook::output : Hook::prerouting, sends_ ? Hook::postrouting : Hook::input})
    for (const NetfilterStage stage :
         {NetfilterStage::before_conntrack, NetfilterStage::before_nat, NetfilterStage::nat, NetfilterStage::after_nat}) {
      if (stage == NetfilterStage::nat && !opens) continue;
      const HookResult result = rules.run(hook, stage, context);
      if (!result.goes_on()) return stop_by(result, sends_ && opens && !sends_again(packet));
      if (result.mark_changed_in_route_chain && routes_by_mark(*stack_.host, family_of(packet))) return stop_rewritten();
      if (result.tproxy)
        walk_.record.assume(
            {Supposition::proxy_hands_on, {pod_.pod.name, std::uint64_t{result.tproxy->port}}, {}, {}, pod_.node->name});
      if (result.nat)
        if (std::optional<Arrival> end = translate(*result.nat)) return end;
    }
  if (tuple_of(seen) != tuple_of(packet)) return stop_rewritten();
  seen.set(FieldId::pkt_mark, packet.get(FieldId::pkt_mark));
  packet = seen;
  return std::nullopt;
}

// Addresses, ports or a mark for other routes are written: where such a packet goes, and what answers are taken for, is not followed.
Arrival PodRules::stop_rewritten() {
  return walk_.log.stop(Verdict::inconclusive,
                        stop_at_pod(pod_, {Reason::translated_in_pod, {pod_.pod.name}}, {pod_.port->from}));
}

// What becomes of a refusal that the pod's own stack sends is not followed.
Arrival PodRules::stop_by(const HookResult& result, bool in_socket) {
  const bool is_dropped = result.outcome == HookResult::Outcome::dropped;
  const Verdict verdict = !is_dropped ? Verdict::inconclusive : in_socket ? Verdict::rejected : Verdict::dropped;
  Arrival end = walk_.log.stop(verdict, stop_at_pod(pod_, result.why, result.evidence));
  end.refusal_accepted = verdict == Verdict::rejected;
  return end;
}

// What a proxy sends for the pod is a connection of its own. What comes for the pod through a proxy there does come.
std::optional<Arrival> PodRules::translate(const NatDecision& nat) {
  const bool to_proxy = !nat.source && nat.port && stays_in_pod(stack_, nat);
  Details about{pod_.pod.name};
  if (to_proxy) about.emplace_back(std::uint64_t{*nat.port});
  if (to_proxy && !sends_) {
    walk_.record.assume({Supposition::proxy_hands_on, std::move(about), {}, nat.evidence, pod_.node->name});
    return std::nullopt;
  }
  const Reason why = to_proxy ? Reason::taken_by_local_proxy : Reason::translated_in_pod;
  return walk_.log.stop(Verdict::inconclusive, stop_at_pod(pod_, {why, std::move(about)}, nat.evidence));
}

}  // namespace egt::engine
