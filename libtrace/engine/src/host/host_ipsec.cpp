#include "host_ipsec.h"

#include <algorithm>

#include "ipsec.h"

namespace egt::engine {
namespace {

using host::IpsecDirection;
using host::IpsecPolicy;
using host::IpsecTemplate;

Details named(const IpsecPolicy& policy) { return {policy.selector.source, policy.selector.destination}; }

Details named(const IpsecPolicy& policy, const std::string& node) {
  return {policy.selector.source, policy.selector.destination, node};
}

// Of ICMP, policies test type and code.
Tuple as_policies_see(const SocketBuffer& skb, bool arriving) {
  Tuple t = arriving ? skb.entered : tuple_of(skb.packet);
  if (t.proto != ip_proto::icmp && t.proto != ip_proto::icmp6) return t;
  t.sport = static_cast<std::uint16_t>(skb.packet.u64(FieldId::tp_src));
  t.dport = static_cast<std::uint16_t>(skb.packet.u64(FieldId::tp_dst));
  return t;
}

// A socket is shown EPERM; what is forwarded vanishes.
HostOutcome blocked_by_ipsec(const IpsecPolicy& policy, const SocketBuffer& skb) {
  const Cause why{Reason::ipsec_policy_blocks, named(policy)};
  if (skb.made_here() && policy.direction == IpsecDirection::out)
    return failed_in_socket("EPERM", {PlaceKind::ipsec}, why, {policy.from});
  return dropped({PlaceKind::ipsec}, why, {policy.from});
}

// Without an association the kernel asks for one and keeps back the packet, or drops it (xfrm_larval_drop).
Ended protect(const IpsecPolicy& policy, const Tuple& packet, SocketBuffer& skb, HostRecord& record) {
  const host::IpsecAssociation* outermost = nullptr;
  if (record.host().ipsec_associations.present)
    for (const IpsecTemplate& wanted : policy.templates) {
      const host::IpsecAssociation* association = find_association(record.host(), wanted, packet);
      if (association != nullptr) {
        outermost = association;
        continue;
      }
      if (wanted.is_optional) return std::nullopt;
      record.assume({Supposition::ipsec_stays_without_association, named(policy, record.node().name), {}, {policy.from}});
      return dropped({PlaceKind::ipsec}, {Reason::ipsec_association_missing, named(policy)}, {policy.from});
    }
  if (std::any_of(policy.templates.begin(), policy.templates.end(), [](const IpsecTemplate& t) { return t.is_tunnel; }))
    return inconclusive({PlaceKind::ipsec}, {Reason::ipsec_tunnel, named(policy)}, {policy.from});
  record.assume({Supposition::ipsec_protects, named(policy, record.node().name), {}, {policy.from}});
  skb.options.esp = esp_towards(skb.out, skb, record.host());
  if (outermost != nullptr && outermost->proto == "esp")
    record.add(
        Remark{Notice::ipsec_encrypts, {packet.src, packet.dst, record.node().name, std::uint64_t{outermost->udp_port != 0}}},
        {policy.from, outermost->from});
  return std::nullopt;
}

Ended check_protection(const IpsecPolicy& policy, HostRecord& record) {
  const auto& wanted = policy.templates;
  if (std::any_of(wanted.begin(), wanted.end(), [](const IpsecTemplate& t) { return !t.is_optional; }))
    record.assume({Supposition::ipsec_arrives, named(policy, record.node().name), {}, {policy.from}});
  return std::nullopt;
}

}  // namespace

// What comes in is tested as it came, before the translations of this host (nf_nat_decode_session()).
Ended check_ipsec(IpsecDirection direction, SocketBuffer& skb, HostRecord& record) {
  if (skb.origin.by_switch || record.host().ipsec_policies.value.empty()) return std::nullopt;
  const bool out = direction == IpsecDirection::out;
  const IpsecQuery query{direction, as_policies_see(skb, !out), static_cast<std::uint32_t>(skb.packet.u64(FieldId::pkt_mark)),
                         out ? skb.out : skb.in};
  const IpsecPolicy* policy = find_ipsec_policy(record.host(), query);
  if (policy == nullptr) return std::nullopt;
  if (policy->blocks) return blocked_by_ipsec(*policy, skb);
  if (policy->templates.empty()) return std::nullopt;
  return out ? protect(*policy, query.packet, skb, record) : check_protection(*policy, record);
}

// With the sizes of the last association that a policy in transport mode uses for the packet.
std::optional<EspOverhead> esp_towards(const std::string& device, const SocketBuffer& skb, const host::Host& host) {
  if (skb.options.esp || skb.origin.by_switch || host.ipsec_policies.value.empty()) return skb.options.esp;
  const IpsecQuery query{IpsecDirection::out, as_policies_see(skb, false),
                         static_cast<std::uint32_t>(skb.packet.u64(FieldId::pkt_mark)), device};
  const IpsecPolicy* policy = find_ipsec_policy(host, query);
  if (policy == nullptr || policy->blocks) return std::nullopt;
  std::optional<EspOverhead> esp;
  for (const IpsecTemplate& wanted : policy->templates) {
    const host::IpsecAssociation* association = find_association(host, wanted, query.packet);
    if (association == nullptr && wanted.is_optional) return std::nullopt;
    if (wanted.proto == "esp") esp = association != nullptr ? overhead_of(*association) : unknown_overhead(skb.family());
  }
  return esp;
}

}  // namespace egt::engine
