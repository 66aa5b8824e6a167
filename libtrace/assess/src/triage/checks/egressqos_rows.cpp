// Rules of an EgressQoS against the QoS rows that OVN-Kubernetes made of them (go-controller/pkg/ovn/egressqos.go): in the databases of
// all zones, with priority 1000 for the first rule and one less for each further one, and with an address set of the zone's own pods.
#include <algorithm>
#include <map>
#include <set>

#include "triage/checks.h"
#include "triage/nb_rows.h"
#include "triage/policy_acls.h"

namespace egt::assess {
namespace egressqos_rows {

using rows::nb::QoS;
constexpr std::string_view kType = "EgressQoS";
constexpr std::int64_t kFirstPriority = 1000;

std::optional<Lack> needs(const Facts& f) {
  const auto& all = f.cluster.objects.network_objects;
  return lack_if(std::none_of(all.begin(), all.end(), [](const auto& object) { return object.kind == kType; }),
                 Lack::egress_qoses);
}

// Of one node.
struct Rows {
  explicit Rows(const cluster::Node& node) {
    for (const QoS row : rows_of<QoS>(node.ovn.rows)) {
      const ExternalIds ids = row.external_ids();
      std::string of = value_of(ids, "k8s.ovn.org/name");
      // Releases before the ids of rows wrote "EgressQoS" = NAMESPACE.
      if (!is_owned_by(ids, kType, of)) of = value_of(ids, std::string(kType));
      if (!of.empty() && row.priority()) by_rule.try_emplace(std::pair(of, *row.priority()), row);
    }
    for (const ovn::AddressSet& set : node.ovn.address_sets) sets.try_emplace(set.name, &set);
  }

  std::map<std::pair<std::string, std::int64_t>, QoS> by_rule;  // namespace, priority
  std::map<std::string, const ovn::AddressSet*, std::less<>> sets;
};

class QosCheck {
 public:
  QosCheck(const Facts& f, Findings& out, const cluster::Node& node, const Rows& rows, const cluster::NetworkObject& qos,
           Provenance database)
      : f_(f), out_(out), node_(node), rows_(rows), qos_(qos), database_(database) {}

  void run() {
    for (std::size_t i = 0; i < qos_.qos_rules.size(); ++i) rule(i);
  }

 private:
  // Of a rule, and what else is named.
  void add(Claim claim, std::size_t index, Provenance line, Term first = {}, Term second = {}) {
    const cluster::QosRule& rule = qos_.qos_rules[index];
    out_.add(claim, node_.name, "EgressQoS " + qos_.full_name(),
             {qos_.namespace_, index, rule.dscp, rule.to, std::move(first), std::move(second)}, {line, qos_.from});
  }

  void rule(std::size_t index) {
    const cluster::QosRule& rule = qos_.qos_rules[index];
    const auto row = rows_.by_rule.find({qos_.namespace_, kFirstPriority - static_cast<std::int64_t>(index)});
    if (row == rows_.by_rule.end()) return add(Claim::qos_row_missing, index, database_);
    const std::string dscp = value_of(row->second.action(), "dscp");
    if (dscp != std::to_string(rule.dscp)) return add(Claim::qos_dscp_differs, index, row->second.from(), dscp);
    const std::string match = row->second.match();
    if (!matches_destination(match, rule)) return add(Claim::qos_match_differs, index, row->second.from(), match);
    pods(rule, index, row->second);
  }

  // As generateEgressQoSMatch() writes it: every destination is the network of length 0.
  static bool matches_destination(const std::string& match, const cluster::QosRule& rule) {
    const auto v4 = Prefix::parse(value_in_match(match, "ip4.dst == ")), v6 = Prefix::parse(value_in_match(match, "ip6.dst == "));
    if (!rule.to) return v4 && v4->length == 0;
    const auto& shown = rule.to->address.is_v4() ? v4 : v6;
    return shown && shown->network() == rule.to->network();
  }

  void pods(const cluster::QosRule& rule, std::size_t index, const QoS& row) {
    std::set<IpAddr> held;
    std::set<Family> families;
    Provenance line;
    for (const std::string& name : names_in_match(row.match(), '$')) {
      const auto set = rows_.sets.find(name);
      if (set == rows_.sets.end()) return;
      if (!line.known()) line = set->second->from;
      families.insert(value_of(set->second->external_ids, "ip-family") == "v4" ? Family::v4 : Family::v6);
      for (const std::string& text : set->second->addresses)
        if (const auto address = IpAddr::parse(text)) held.insert(*address);
    }
    for (const KnownPod& pod : pods_in(f_.pods, qos_.namespace_)) {
      if (pod.node != node_.name || pod.host_network || pod.object == nullptr || !rule.pods.matches(pod.object->labels)) continue;
      for (const IpAddr& a : pod.addresses) {
        if (!families.contains(a.family) || held.contains(a)) continue;
        out_.about(pod);
        add(Claim::qos_set_lacks_pod, index, line, pod.full_name(), a);
      }
    }
  }

  const Facts& f_;
  Findings& out_;
  const cluster::Node& node_;
  const Rows& rows_;
  const cluster::NetworkObject& qos_;
  Provenance database_;
};

using RowsOfNodes = std::map<const cluster::Node*, Rows>;

void compare(const Facts& f, const cluster::NetworkObject& qos, RowsOfNodes& rows, Findings& out) {
  std::set<std::string> looked_at;  // nodes: without pods the rows have no effect there
  for (const KnownPod& pod : pods_in(f.pods, qos.namespace_)) {
    const cluster::Node* node = f.cluster.node(pod.node);
    if (pod.host_network || node == nullptr || !looked_at.insert(pod.node).second) continue;
    const auto database = node->ovn.complete_tables.find("NB QoS");
    if (database != node->ovn.complete_tables.end())
      QosCheck(f, out, *node, rows.try_emplace(node, *node).first->second, qos, database->second).run();
    else
      out.lacks(Lack::qos_rows, {node->name});
  }
}

void run(const Facts& f, Findings& out) {
  RowsOfNodes rows;
  for (const cluster::NetworkObject& qos : f.cluster.objects.network_objects) {
    if (qos.kind != kType) continue;
    const std::string object = "EgressQoS " + qos.full_name();
    if (qos.name != "default")
      out.add(Claim::qos_object_ignored, "", object, {qos.namespace_}, {qos.from});
    else if (!out.has_cause(object))  // one that is not accepted has no rows
      compare(f, qos, rows, out);
  }
}

}  // namespace egressqos_rows

const Check kEgressQosRows{"egressqos-rows", Severity::warning, egressqos_rows::needs, egressqos_rows::run};

}  // namespace egt::assess
