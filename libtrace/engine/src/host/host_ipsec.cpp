// What IPsec makes of a packet: xfrm_lookup() on its way out, __xfrm_policy_check() where it is taken or forwarded.
#include <algorithm>

#include "host_walk.h"
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

}  // namespace

// Of ICMP, policies test type and code.
Tuple HostWalk::as_policies_see(bool arriving) const {
  Tuple t = arriving ? entered_ : tuple_of(packet_);
  if (t.proto != ip_proto::icmp && t.proto != ip_proto::icmp6) return t;
  t.sport = static_cast<std::uint16_t>(packet_.u64(FieldId::tp_src));
  t.dport = static_cast<std::uint16_t>(packet_.u64(FieldId::tp_dst));
  return t;
}

// What comes in is tested as it came, before the translations of this host (nf_nat_decode_session()).
HostWalk::Ended HostWalk::check_ipsec(IpsecDirection direction) {
  if (by_switch_ || host_.ipsec_policies.value.empty()) return std::nullopt;
  const bool out = direction == IpsecDirection::out;
  const IpsecQuery query{direction, as_policies_see(!out), static_cast<std::uint32_t>(packet_.u64(FieldId::pkt_mark)),
                         out ? out_ : in_};
  const IpsecPolicy* policy = find_ipsec_policy(host_, query);
  if (policy == nullptr) return std::nullopt;
  if (policy->blocks) return blocked_by_ipsec(*policy, {Reason::ipsec_policy_blocks, named(*policy)});
  if (policy->templates.empty()) return std::nullopt;
  return out ? protect(*policy, query.packet) : check_protection(*policy);
}

// A socket is shown EPERM; what is forwarded vanishes.
HostOutcome HostWalk::blocked_by_ipsec(const IpsecPolicy& policy, Cause why) const {
  const bool shown = made_here() && policy.direction == IpsecDirection::out;
  HostOutcome o = stopped(shown ? HostOutcome::Kind::rejected : HostOutcome::Kind::dropped, {PlaceKind::ipsec}, std::move(why),
                          {policy.from});
  if (shown) o.reject_with = "EPERM";
  return o;
}

// Without an association the kernel asks for one and keeps back the packet, or drops it (xfrm_larval_drop).
HostWalk::Ended HostWalk::protect(const IpsecPolicy& policy, const Tuple& packet) {
  const host::IpsecAssociation* outermost = nullptr;
  if (host_.ipsec_associations.present)
    for (const IpsecTemplate& wanted : policy.templates) {
      const host::IpsecAssociation* association = find_association(host_, wanted, packet);
      if (association != nullptr) {
        outermost = association;
        continue;
      }
      if (wanted.is_optional) return std::nullopt;
      assume({Supposition::ipsec_stays_without_association, named(policy, node_.name), {}, {policy.from}});
      return dropped({PlaceKind::ipsec}, {Reason::ipsec_association_missing, named(policy)}, {policy.from});
    }
  if (std::any_of(policy.templates.begin(), policy.templates.end(), [](const IpsecTemplate& t) { return t.is_tunnel; }))
    return inconclusive({PlaceKind::ipsec}, {Reason::ipsec_tunnel, named(policy)}, {policy.from});
  assume({Supposition::ipsec_protects, named(policy, node_.name), {}, {policy.from}});
  options_.esp = esp_towards(out_);
  if (outermost != nullptr && outermost->proto == "esp")
    record_.add(node_.name, layer_,
                Remark{Notice::ipsec_encrypts, {packet.src, packet.dst, node_.name, std::uint64_t{outermost->udp_port != 0}}},
                {policy.from, outermost->from});
  return std::nullopt;
}

// With the sizes of the last association that a policy in transport mode uses for the packet.
std::optional<EspOverhead> HostWalk::esp_towards(const std::string& device) const {
  if (options_.esp || by_switch_ || host_.ipsec_policies.value.empty()) return options_.esp;
  const IpsecQuery query{IpsecDirection::out, as_policies_see(false), static_cast<std::uint32_t>(packet_.u64(FieldId::pkt_mark)),
                         device};
  const IpsecPolicy* policy = find_ipsec_policy(host_, query);
  if (policy == nullptr || policy->blocks) return std::nullopt;
  std::optional<EspOverhead> esp;
  for (const IpsecTemplate& wanted : policy->templates) {
    const host::IpsecAssociation* association = find_association(host_, wanted, query.packet);
    if (association == nullptr && wanted.is_optional) return std::nullopt;
    if (wanted.proto == "esp") esp = association != nullptr ? overhead_of(*association) : unknown_overhead(family());
  }
  return esp;
}

HostWalk::Ended HostWalk::check_protection(const IpsecPolicy& policy) {
  const auto& wanted = policy.templates;
  if (std::any_of(wanted.begin(), wanted.end(), [](const IpsecTemplate& t) { return !t.is_optional; }))
    assume({Supposition::ipsec_arrives, named(policy, node_.name), {}, {policy.from}});
  return std::nullopt;
}

}  // namespace egt::engine
