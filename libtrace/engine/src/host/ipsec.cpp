#include "ipsec.h"

#include <algorithm>

namespace egt::engine {
namespace {

using host::IpsecDirection;
using host::IpsecPolicy;

bool selects(const host::IpsecSelector& s, const IpsecQuery& q) {
  if (s.source.address.family != q.packet.src.family || !s.source.contains(q.packet.src) || !s.destination.contains(q.packet.dst))
    return false;
  if (s.proto && *s.proto != q.packet.proto) return false;
  if ((s.sport && *s.sport != q.packet.sport) || (s.dport && *s.dport != q.packet.dport)) return false;
  return s.device.empty() || s.device == q.device;
}

// The settings of IPv6 devices have these names, too, and are not asked (ip6_route_output_flags(), xfrm_policy_check()).
bool is_exempt(const host::Host& host, const IpsecQuery& q) {
  if (q.packet.src.family == Family::v6) return false;
  const char* setting = q.direction == IpsecDirection::out ? "disable_xfrm" : "disable_policy";
  const host::SysctlValue* value = host.sysctl_value("net.ipv4.conf." + q.device + "." + setting);
  if (value != nullptr) return value->value != "0";
  return q.device == "lo";  // both are on there (devinet.c, loopback.c)
}

// An end that a template leaves open is the packet's own (xfrm_tmpl_resolve_one()).
bool is_end(const IpAddr& wanted, const IpAddr& of_packet, const IpAddr& of_association) {
  return of_association == (wanted.is_unspecified() ? of_packet : wanted);
}

}  // namespace

const IpsecPolicy* find_ipsec_policy(const host::Host& host, const IpsecQuery& q) {
  const IpsecPolicy* first = nullptr;
  for (const IpsecPolicy& policy : host.ipsec_policies.value) {
    if (policy.direction != q.direction || policy.interface_id != 0 || (q.mark & policy.mark_mask) != policy.mark) continue;
    if (!selects(policy.selector, q) || (first != nullptr && first->priority <= policy.priority)) continue;
    first = &policy;
  }
  return first == nullptr || is_exempt(host, q) ? nullptr : first;
}

const host::IpsecAssociation* find_association(const host::Host& host, const host::IpsecTemplate& wanted, const Tuple& packet) {
  const auto& all = host.ipsec_associations.value;
  const auto found = std::find_if(all.begin(), all.end(), [&](const host::IpsecAssociation& a) {
    return a.proto == wanted.proto && (wanted.reqid == 0 || a.reqid == wanted.reqid) &&
           is_end(wanted.source, packet.src, a.source) && is_end(wanted.destination, packet.dst, a.destination);
  });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace egt::engine
