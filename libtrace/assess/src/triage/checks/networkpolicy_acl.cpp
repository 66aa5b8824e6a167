// NetworkPolicies against the ACLs, port groups and address sets that OVN-Kubernetes made of them: for each rule ACLs that let
// through (buildNetworkPolicyACLs() of base_network_controller_policy.go, buildLocalPodACLs() of gress_policy.go), for the namespace one
// that drops what its isolated pods send, and one for what they receive (buildDenyACLs()).
#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "egtrace/base/text.h"
#include "triage/checks.h"
#include "triage/policy_acls.h"

namespace egt::assess {
namespace networkpolicy_acl {

using cluster::NetworkPolicy;
using cluster::NetworkRule;
using rows::nb::Acl;
using Acls = std::vector<Acl>;

std::optional<Lack> needs(const Facts& f) { return lack_if(f.cluster.objects.network_policies.empty(), Lack::network_policies); }

// What a node's northbound database has for NetworkPolicies of the default network.
class Rows {
 public:
  explicit Rows(const cluster::Node& node) {
    for (const ovn::AddressSet& set : node.ovn.address_sets) sets_[set.name].row = &set;
    for (const Acl acl : rows_of<Acl>(node.ovn.rows)) add_acl(acl);
    for (const auto group : rows_of<rows::nb::PortGroup>(node.ovn.rows)) groups_.insert_or_assign(group.name(), Group{group});
    for (const auto port : rows_of<rows::nb::LogicalSwitchPort>(node.ovn.rows)) ports_[port.name()] = port.uuid();
  }

  // External identifiers as of before OVN-Kubernetes named owners in them (acl_sync.go there has them).
  bool are_older() const { return older_; }

  const Acls& of_rule(const NetworkPolicy& policy, bool egress, std::size_t rule) const {
    return find(rules_, std::pair(key(policy, egress), rule));
  }
  // The numbers of rules that have ACLs.
  std::set<std::size_t> rules_of(const NetworkPolicy& policy, bool egress) const {
    std::set<std::size_t> numbers;
    for (auto at = rules_.lower_bound({key(policy, egress), 0}); at != rules_.end() && at->first.first == key(policy, egress);
         ++at)
      numbers.insert(at->first.second);
    return numbers;
  }
  const Acls& default_deny(const std::string& name_space, bool egress) const {
    return find(denies_, std::pair(name_space, egress));
  }
  // Null where no dump shows its addresses.
  const ovn::AddressSet* set(std::string_view name) const {
    const auto found = sets_.find(name);
    return found == sets_.end() ? nullptr : found->second.row;
  }
  // Whether one of the sets has the address. Nothing where none is of its family.
  std::optional<bool> any_has(const std::vector<std::string>& sets, const IpAddr& address) {
    std::optional<bool> held;
    for (const std::string& name : sets) {
      const auto found = sets_.find(name);
      if (found == sets_.end()) continue;
      const Set& set = found->second.of_addresses();
      if (set.family == address.family) held = held.value_or(false) || set.addresses.contains(address);
    }
    return held;
  }
  // Whether a port group that the ACL's match names has the pod's port. Nothing where rows of either are not there.
  std::optional<bool> group_has(const Acl& acl, const cluster::Pod& pod) {
    const auto port = ports_.find(cluster::logical_port_name(pod.namespace_, pod.name));
    if (port == ports_.end()) return std::nullopt;
    std::optional<bool> has;
    for (const std::string& name : names_in_match(acl.match(), '@'))
      if (const auto group = groups_.find(name); group != groups_.end())
        has = has.value_or(false) || group->second.of_ports().contains(port->second);
    return has;
  }

 private:
  using Key = std::pair<std::string, bool>;  // "shop:web", egress
  struct Set {
    const ovn::AddressSet* row = nullptr;
    bool is_read = false;
    std::optional<Family> family;
    std::set<IpAddr> addresses;

    const Set& of_addresses() {
      if (std::exchange(is_read, true)) return *this;
      const std::string named = value_of(row->external_ids, "ip-family");
      if (named == "v4" || named == "v6") family = named == "v4" ? Family::v4 : Family::v6;
      for (const std::string& text : row->addresses)
        if (const auto a = IpAddr::parse(text)) addresses.insert(*a), family = family.value_or(a->family);
      return *this;
    }
  };

  struct Group {
    explicit Group(const rows::nb::PortGroup& of) : row(of) {}

    const std::set<std::string>& of_ports() {
      if (std::exchange(is_read, true)) return ports;
      for (std::string& port : row.ports()) ports.insert(std::move(port));
      return ports;
    }

    rows::nb::PortGroup row;
    bool is_read = false;
    std::set<std::string> ports;  // UUIDs
  };

  static Key key(const NetworkPolicy& policy, bool egress) { return {policy.namespace_ + ":" + policy.name, egress}; }
  template <class Map>
  static const Acls& find(const Map& map, const typename Map::key_type& key) {
    static const Acls kNone;
    const auto found = map.find(key);
    return found == map.end() ? kNone : found->second;
  }

  void add_acl(const Acl& acl) {
    const std::string type = acl.external_id("k8s.ovn.org/owner-type"), name = acl.external_id("k8s.ovn.org/name");
    older_ |= acl.external_ids().contains("policy_type") || acl.external_ids().contains("default-deny-policy-type");
    const std::string controller = acl.external_id("k8s.ovn.org/owner-controller");
    if (!controller.empty() && controller != "default-network-controller") return;
    const bool egress = acl.external_id("direction") == "Egress";
    if (type == "NetworkPolicy") {
      if (const auto rule = rule_index(acl.external_ids(), "gress-index")) rules_[{{name, egress}, *rule}].push_back(acl);
    } else if (type == "NetpolNamespace" && acl.external_id("type") == "defaultDeny") {
      denies_[{name, egress}].push_back(acl);
    }
  }

  bool older_ = false;
  std::map<std::pair<Key, std::size_t>, Acls> rules_;
  std::map<Key, Acls> denies_;  // by namespace
  std::map<std::string, Set, std::less<>> sets_;
  std::map<std::string, Group, std::less<>> groups_;
  std::map<std::string, std::string, std::less<>> ports_;
};

// A policy, with the pods that each of its rules is about.
struct Meant {
  const NetworkPolicy& policy;
  std::vector<std::vector<const KnownPod*>> ingress, egress;
};

std::vector<const KnownPod*> peers_of(const Facts& f, const NetworkRule& rule) {
  std::vector<const KnownPod*> peers;
  for (const cluster::PolicyPeer& peer : rule.peers)
    for (const KnownPod* pod : pods_of(peer, f.cluster.objects, f.pods))
      if (!pod->addresses.empty() && pod->network().empty()) peers.push_back(pod);
  std::sort(peers.begin(), peers.end());
  peers.erase(std::unique(peers.begin(), peers.end()), peers.end());
  return peers;
}

Meant meant_by(const Facts& f, const NetworkPolicy& policy) {
  Meant meant{policy, {}, {}};
  for (const NetworkRule& rule : policy.ingress_rules) meant.ingress.push_back(peers_of(f, rule));
  for (const NetworkRule& rule : policy.egress_rules) meant.egress.push_back(peers_of(f, rule));
  return meant;
}

class NetworkPolicyCheck {
 public:
  NetworkPolicyCheck(Findings& out, const cluster::Node& node, Rows& rows, const Meant& meant,
                     const std::vector<const KnownPod*>& selected, Provenance database)
      : out_(out), node_(node), rows_(rows), meant_(meant), policy_(meant.policy), selected_(selected), database_(database) {}

  void run() {
    for (const bool egress : {false, true}) {
      if (!(egress ? policy_.egress : policy_.ingress)) continue;
      const std::vector<NetworkRule>& rules = egress ? policy_.egress_rules : policy_.ingress_rules;
      for (std::size_t i = 0; i < rules.size(); ++i) rule(rules[i], egress, i);
      for (const std::size_t number : rows_.rules_of(policy_, egress))
        if (number >= rules.size())
          add(Claim::network_acl_left, egress, {number, rules.size()}, {rows_.of_rule(policy_, egress, number).front().from()});
      default_deny(egress);
    }
  }

 private:
  void add(Claim claim, bool egress, Terms others, std::vector<Provenance> lines) {
    lines.push_back(policy_.from);
    Terms about{policy_.namespace_, policy_.name, egress};
    std::move(others.begin(), others.end(), std::back_inserter(about));
    out_.add(claim, node_.name, "NetworkPolicy " + policy_.full_name(), std::move(about), lines);
  }

  void rule(const NetworkRule& rule, bool egress, std::size_t index) {
    const Acls& acls = rows_.of_rule(policy_, egress, index);
    for (const Acl& acl : acls)
      if (!allows(acl)) return add(Claim::network_action_differs, egress, {index, acl.action()}, {acl.from()});
    const std::vector<const KnownPod*>& peers = (egress ? meant_.egress : meant_.ingress)[index];
    // Without an address set that any peer has there is no ACL for these peers.
    const bool by_sets =
        std::any_of(acls.begin(), acls.end(), [](const Acl& a) { return !names_in_match(a.match(), '$').empty(); });
    const bool is_missing = acls.empty() ? rule.all_peers || has_networks(rule) || !peers.empty() : !peers.empty() && !by_sets;
    if (is_missing && !rule.has_open_peers && !rule.has_open_ports)
      return add(Claim::network_acl_missing, egress, {index}, {database_});
    address_sets(acls, peers, egress, index);
    group_of_policy(acls, egress);
  }

  static bool has_networks(const NetworkRule& rule) {
    return std::any_of(rule.peers.begin(), rule.peers.end(), [](const cluster::PolicyPeer& p) { return !p.networks.empty(); });
  }

  void address_sets(const Acls& acls, const std::vector<const KnownPod*>& peers, bool egress, std::size_t index) {
    std::vector<std::string> sets;
    for (const Acl& acl : acls)
      for (const std::string& name : names_in_match(acl.match(), '$'))
        if (rows_.set(name) != nullptr)
          sets.push_back(name);
        else
          return;
    for (const KnownPod* pod : peers)
      for (const IpAddr& a : pod->addresses) {
        if (rows_.any_has(sets, a).value_or(true)) continue;
        out_.about(*pod);
        add(Claim::network_set_lacks_pod, egress, {index, pod->full_name(), a},
            {rows_.set(sets.front())->from, pod->object->from});
        break;
      }
  }

  void group_of_policy(const Acls& acls, bool egress) {
    if (acls.empty()) return;
    for (const KnownPod* pod : selected_) {
      if (rows_.group_has(acls.front(), *pod->object).value_or(true) || !lacking_.insert(pod->full_name()).second) continue;
      out_.about(*pod);
      add(Claim::network_group_lacks_pod, egress, {pod->full_name()}, {acls.front().from(), pod->object->from});
    }
  }

  void default_deny(bool egress) {
    const Acls& acls = rows_.default_deny(policy_.namespace_, egress);
    if (acls.empty()) return add(Claim::network_deny_missing, egress, {}, {database_});
    for (const KnownPod* pod : selected_) {
      if (rows_.group_has(acls.front(), *pod->object).value_or(true)) continue;
      out_.about(*pod);
      add(Claim::network_deny_lacks_pod, egress, {pod->full_name()}, {acls.front().from(), pod->object->from});
    }
  }

  Findings& out_;
  const cluster::Node& node_;
  Rows& rows_;
  const Meant& meant_;
  const NetworkPolicy& policy_;
  const std::vector<const KnownPod*>& selected_;
  Provenance database_;
  std::set<std::string> lacking_;  // pods
};

// Pods of a policy that run on a node. Those of other networks have policies of their own there.
std::map<std::string, std::vector<const KnownPod*>> by_node(const Facts& f, const NetworkPolicy& policy) {
  std::map<std::string, std::vector<const KnownPod*>> nodes;
  for (const KnownPod& pod : pods_in(f.pods, policy.namespace_))
    if (pod.object != nullptr && !pod.node.empty() && !pod.addresses.empty() && pod.network().empty() &&
        selects(policy, *pod.object))
      nodes[pod.node].push_back(&pod);
  return nodes;
}

void run(const Facts& f, Findings& out) {
  std::map<std::string, Rows> rows;
  for (const NetworkPolicy& policy : f.cluster.objects.network_policies) {
    std::optional<Meant> meant;
    for (const auto& [name, pods] : by_node(f, policy)) {
      const cluster::Node* node = f.cluster.node(name);
      if (node == nullptr) continue;
      const Provenance* database = complete_acls(*node);
      Rows& of_node = rows.try_emplace(name, *node).first->second;
      if (database == nullptr || of_node.are_older()) {
        out.lacks(Lack::acls, {node->name});
        continue;
      }
      if (!meant) meant.emplace(meant_by(f, policy));
      NetworkPolicyCheck(out, *node, of_node, *meant, pods, *database).run();
    }
  }
}

}  // namespace networkpolicy_acl

const Check kNetworkPolicyAcl{"networkpolicy-acl", Severity::error, networkpolicy_acl::needs, networkpolicy_acl::run};

}  // namespace egt::assess
