// Rules of an EgressFirewall against the ACLs that OVN-Kubernetes made of them.
#include <algorithm>
#include <set>

#include "egtrace/base/text.h"
#include "egtrace/cluster/resolved_names.h"
#include "triage/checks.h"
#include "triage/policy_acls.h"

namespace egt::assess {
namespace egressfirewall_acl {

constexpr std::string_view kType = "EgressFirewall";

std::optional<Lack> needs(const Facts& f) { return lack_if(f.cluster.objects.egress_firewalls.empty(), Lack::egress_firewalls); }

// Of "(ip4.dst == 10.0.0.0/8 || ip6.dst == $a123) && inport == @a456": the networks, and the address sets.
struct Destinations {
  std::vector<Prefix> networks;
  std::vector<std::string> sets;
};
Destinations destinations_of(const rows::nb::Acl& acl) {
  Destinations found;
  const std::string match = acl.match();
  for (const std::string_view key : {"ip4.dst == ", "ip6.dst == "})
    for (std::size_t at = match.find(key); at != std::string::npos; at = match.find(key, at + 1)) {
      std::string_view value = std::string_view(match).substr(at + key.size());
      value = value.substr(0, value.find_first_of(" )&|"));
      if (consume(value, "$"))
        found.sets.emplace_back(value);
      else if (const auto prefix = Prefix::parse(value))
        found.networks.push_back(prefix->network());
    }
  return found;
}

class FirewallCheck {
 public:
  FirewallCheck(const Facts& f, Findings& out, const cluster::Node& node, const cluster::EgressFirewall& firewall,
                Provenance database)
      : f_(f),
        out_(out),
        node_(node),
        firewall_(firewall),
        database_(database),
        acls_(acls_of(node, kType, firewall.namespace_, "rule-index")) {}

  void run() {
    for (std::size_t i = 0; i < firewall_.rules.size(); ++i) rule(i);
    for (const PolicyAcl& acl : acls_)
      if (acl.rule && *acl.rule >= firewall_.rules.size())
        add(Claim::firewall_acl_left, {firewall_.namespace_, *acl.rule, firewall_.rules.size()}, acl.row.from());
  }

 private:
  // Of a rule, and what else is named.
  void add(Claim claim, std::size_t index, Term other, Provenance line) {
    const cluster::FirewallRule& rule = firewall_.rules[index];
    add(claim, {firewall_.namespace_, index, rule.allow, rule.destination(), std::move(other)}, line);
  }

  void add(Claim claim, Terms about, Provenance line) {
    out_.add(claim, node_.name, "EgressFirewall " + firewall_.full_name(), std::move(about), {line, firewall_.from});
  }

  void rule(std::size_t index) {
    const cluster::FirewallRule& rule = firewall_.rules[index];
    const auto acl = std::find_if(acls_.begin(), acls_.end(), [&](const PolicyAcl& a) { return a.rule == index; });
    if (acl == acls_.end()) {
      // Nodes that no selector picks leave a rule without an ACL.
      if (!rule.nodes.present) add(Claim::firewall_acl_missing, index, {}, database_);
      return;
    }
    const rows::nb::Acl& row = acl->row;
    if (rule.allow ? !allows(row) : !drops(row)) return add(Claim::firewall_action_differs, index, row.action(), row.from());
    const Destinations to = destinations_of(row);
    if (rule.to && std::find(to.networks.begin(), to.networks.end(), rule.to->network()) == to.networks.end())
      return add(Claim::firewall_destination_differs, index, row.match(), row.from());
    if (!rule.dns_name.empty()) name(rule, index, to);
  }

  // The address sets of a name against the object that resolves it.
  void name(const cluster::FirewallRule& rule, std::size_t index, const Destinations& to) {
    const cluster::NameAddresses known = addresses_of_rule(f_.cluster.objects, node_.ovn, rule.dns_name);
    if (!known.is_listed) return;
    if (known.addresses.empty()) {
      out_.weigh(Severity::warning);
      return add(Claim::firewall_name_unresolved, index, rule.dns_name, known.from.front());
    }
    std::vector<const ovn::AddressSet*> sets;
    for (const ovn::AddressSet& set : node_.ovn.address_sets)
      if (std::find(to.sets.begin(), to.sets.end(), set.name) != to.sets.end()) sets.push_back(&set);
    if (sets.size() != to.sets.size() || sets.empty()) return;
    for (const IpAddr& a : known.addresses) {
      if (is_pod_network(f_.cluster.objects, a)) continue;  // OVN-Kubernetes leaves these out
      if (any_holds(sets, a).value_or(true)) continue;
      add(Claim::firewall_set_lacks_address, index, a, sets.front()->from);
    }
  }

  const Facts& f_;
  Findings& out_;
  const cluster::Node& node_;
  const cluster::EgressFirewall& firewall_;
  Provenance database_;
  std::vector<PolicyAcl> acls_;
};

void run(const Facts& f, Findings& out) {
  std::set<std::pair<std::string, std::string>> looked_at;  // namespace and node: port groups are there where pods are
  for (const KnownPod& pod : f.pods) {
    const cluster::EgressFirewall* firewall = f.cluster.objects.egress_firewalls.find(pod.namespace_, "default");
    const cluster::Node* node = f.cluster.node(pod.node);
    if (firewall == nullptr || pod.host_network || node == nullptr || !looked_at.emplace(pod.namespace_, pod.node).second)
      continue;
    if (const Provenance* database = complete_acls(*node))
      FirewallCheck(f, out, *node, *firewall, *database).run();
    else
      out.lacks(Lack::acls, {node->name});
  }
}

}  // namespace egressfirewall_acl

const Check kEgressFirewallAcl{"egressfirewall-acl", Severity::error, egressfirewall_acl::needs, egressfirewall_acl::run};

}  // namespace egt::assess
