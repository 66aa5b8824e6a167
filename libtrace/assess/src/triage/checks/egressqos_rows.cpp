// Rules of an EgressQoS against the QoS rows that OVN-Kubernetes made of them (go-controller/pkg/ovn/egressqos.go): in the databases of
// all zones, with priority 1000 for the first rule and one less for each further one, and with an address set of the zone's own pods.
#include <algorithm>
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

class Comparison {
 public:
  Comparison(const Facts& f, Findings& out, const cluster::Node& node, const cluster::NetworkObject& qos, Provenance database)
      : f_(f), out_(out), node_(node), qos_(qos), database_(database) {}

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

  // Releases before the ids of rows wrote "EgressQoS" = NAMESPACE.
  std::optional<QoS> row_of(std::size_t index) const {
    for (const QoS row : rows_of<QoS>(node_.ovn.rows)) {
      if (row.priority() != kFirstPriority - static_cast<std::int64_t>(index)) continue;
      const ExternalIds ids = row.external_ids();
      if (is_owned_by(ids, kType, qos_.namespace_) || value_of(ids, std::string(kType)) == qos_.namespace_) return row;
    }
    return std::nullopt;
  }

  void rule(std::size_t index) {
    const cluster::QosRule& rule = qos_.qos_rules[index];
    const auto row = row_of(index);
    if (!row) return add(Claim::qos_row_missing, index, database_);
    const std::string dscp = value_of(row->action(), "dscp");
    if (dscp != std::to_string(rule.dscp)) return add(Claim::qos_dscp_differs, index, row->from(), dscp);
    const std::string match = row->match();
    if (!matches_destination(match, rule)) return add(Claim::qos_match_differs, index, row->from(), match);
    pods(rule, index, *row);
  }

  // As generateEgressQoSMatch() writes it: every destination is the network of length 0.
  static bool matches_destination(const std::string& match, const cluster::QosRule& rule) {
    const auto v4 = Prefix::parse(value_in_match(match, "ip4.dst == ")), v6 = Prefix::parse(value_in_match(match, "ip6.dst == "));
    if (!rule.to) return v4 && v4->length == 0;
    const auto& shown = rule.to->address.is_v4() ? v4 : v6;
    return shown && shown->network() == rule.to->network();
  }

  void pods(const cluster::QosRule& rule, std::size_t index, const QoS& row) {
    const std::vector<std::string> names = names_in_match(row.match(), '$');
    std::vector<const ovn::AddressSet*> sets;
    for (const ovn::AddressSet& set : node_.ovn.address_sets)
      if (std::find(names.begin(), names.end(), set.name) != names.end()) sets.push_back(&set);
    if (sets.size() != names.size() || sets.empty()) return;
    for (const KnownPod& pod : pods_in(f_.pods, qos_.namespace_)) {
      if (pod.node != node_.name || pod.host_network || pod.object == nullptr || !rule.pods.matches(pod.object->labels)) continue;
      for (const IpAddr& a : pod.addresses) {
        if (any_holds(sets, a).value_or(true)) continue;
        out_.about(pod);
        add(Claim::qos_set_lacks_pod, index, sets.front()->from, pod.full_name(), a);
      }
    }
  }

  const Facts& f_;
  Findings& out_;
  const cluster::Node& node_;
  const cluster::NetworkObject& qos_;
  Provenance database_;
};

void compare(const Facts& f, const cluster::NetworkObject& qos, Findings& out) {
  std::set<std::string> looked_at;  // nodes: without pods the rows have no effect there
  for (const KnownPod& pod : pods_in(f.pods, qos.namespace_)) {
    const cluster::Node* node = f.cluster.node(pod.node);
    if (pod.host_network || node == nullptr || !looked_at.insert(pod.node).second) continue;
    const auto database = node->ovn.complete_tables.find("NB QoS");
    if (database != node->ovn.complete_tables.end())
      Comparison(f, out, *node, qos, database->second).run();
    else
      out.lacks(Lack::qos_rows, {node->name});
  }
}

void run(const Facts& f, Findings& out) {
  for (const cluster::NetworkObject& qos : f.cluster.objects.network_objects) {
    if (qos.kind != kType) continue;
    const std::string object = "EgressQoS " + qos.full_name();
    if (qos.name != "default")
      out.add(Claim::qos_object_ignored, "", object, {qos.namespace_}, {qos.from});
    else if (!out.has_cause(object))  // one that is not accepted has no rows
      compare(f, qos, out);
  }
}

}  // namespace egressqos_rows

const Check kEgressQosRows{"egressqos-rows", Severity::warning, egressqos_rows::needs, egressqos_rows::run};

}  // namespace egt::assess
