#include "lookup/object_kinds.h"

#include <algorithm>
#include <array>
#include <string>

#include "egtrace/base/text.h"

namespace egt::explain {
namespace {

struct KindWords {
  ObjectKind kind;
  bool namespaced;
  std::string_view name;
  std::array<std::string_view, 4> words;  // singular, plural, short names
};

constexpr std::array<KindWords, 12> kKinds = {{
    {ObjectKind::pod, true, "pod", {"pod", "pods", "po"}},
    {ObjectKind::service, true, "Service", {"service", "services", "svc"}},
    {ObjectKind::endpoints, true, "EndpointSlice", {"endpointslice", "endpointslices", "endpoints", "ep"}},
    {ObjectKind::node, false, "node", {"node", "nodes", "no"}},
    {ObjectKind::namespace_, false, "Namespace", {"namespace", "namespaces", "ns"}},
    {ObjectKind::egress_ip, false, "EgressIP", {"egressip", "egressips", "eip"}},
    {ObjectKind::egress_service, true, "EgressService", {"egressservice", "egressservices"}},
    {ObjectKind::egress_firewall, true, "EgressFirewall", {"egressfirewall", "egressfirewalls"}},
    {ObjectKind::external_route,
     false,
     "AdminPolicyBasedExternalRoute",
     {"adminpolicybasedexternalroute", "adminpolicybasedexternalroutes", "apbexternalroute"}},
    {ObjectKind::network_policy, true, "NetworkPolicy", {"networkpolicy", "networkpolicies", "netpol"}},
    {ObjectKind::admin_network_policy, false, "AdminNetworkPolicy", {"adminnetworkpolicy", "adminnetworkpolicies", "anp"}},
    {ObjectKind::baseline_admin_network_policy,
     false,
     "BaselineAdminNetworkPolicy",
     {"baselineadminnetworkpolicy", "baselineadminnetworkpolicies", "banp"}},
}};

const KindWords& words_of(ObjectKind kind) {
  return *std::find_if(kKinds.begin(), kKinds.end(), [&](const KindWords& k) { return k.kind == kind; });
}

}  // namespace

std::optional<ObjectKind> object_kind(std::string_view word) {
  const std::string kind = egt::lower(word.substr(0, word.find('.')));  // kubectl takes the group behind it
  if (kind.empty()) return std::nullopt;
  for (const KindWords& k : kKinds)
    if (std::find(k.words.begin(), k.words.end(), kind) != k.words.end()) return k.kind;
  return std::nullopt;
}

std::string_view kind_name(ObjectKind kind) { return words_of(kind).name; }
bool is_namespaced(ObjectKind kind) { return words_of(kind).namespaced; }

}  // namespace egt::explain
