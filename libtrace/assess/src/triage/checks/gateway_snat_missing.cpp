// Pods leave the cluster with their own address, or with one that is none of their node's: answers do not find back.
#include <algorithm>
#include <map>
#include <string>

#include "common/look.h"
#include "egtrace/ovn_kubernetes/names.h"
#include "triage/checks.h"

namespace egt::assess {
namespace gateway_snat_missing {

// The gateway router's translations of a pod.
std::vector<const NatRow*> rows_for(const NatRows& rows, const IpAddr& pod) {
  std::vector<const NatRow*> all = rows.of(pod);
  std::erase_if(all, [](const NatRow* row) { return row->type != "snat" && row->type != "dnat_and_snat"; });
  return all;
}

bool is_of_node(const Facts& f, const cluster::Node& node, const IpAddr& address) {
  if (node.host.owner_of(address) != nullptr) return true;
  const cluster::NodeObject* object = f.cluster.objects.nodes.find(node.name);
  return object != nullptr && std::find(object->addresses.begin(), object->addresses.end(), address) != object->addresses.end();
}

// OVN-Kubernetes' guard on the external bridge: what leaves OVN with a pod's address is dropped.
bool is_at_guard(const cluster::Node& node, const explain::StopReport& stop) {
  if (stop.node != node.name || stop.reason != engine::Reason::flow_drops || stop.place.about.empty()) return false;
  const auto* bridge = std::get_if<std::string>(&stop.place.about.front());
  return bridge != nullptr && node.bridge(*bridge) != nullptr && node.bridge(*bridge) != node.integration_bridge();
}

// Connections to the outside that fail, by pod.
using RowsOfPods = std::map<std::string, std::vector<const AuditRow*>>;

RowsOfPods failures_of(const std::vector<AuditRow>& rows) {
  RowsOfPods all;
  for (const AuditRow& row : rows)
    if (is_outside(row.to_kind) && row.stopped_at && is_failure(row)) all[row.namespace_ + "/" + row.pod].push_back(&row);
  return all;
}

// Of the pod's connections to the outside those that show it: the receiver sees this address and what follows is lost, or nothing
// translates and the external bridge drops it.
bool loses(const RowsOfPods& failures, const cluster::Node& node, const KnownPod& pod, const IpAddr& seen, Findings& out) {
  const auto of_pod = failures.find(pod.full_name());
  if (of_pod == failures.end()) return false;
  bool any = false;
  for (const AuditRow* failed : of_pod->second) {
    const AuditRow& row = *failed;
    const bool shows = row.source_seen ? row.source_seen->ip == seen.to_string()
                                       : row.ip == seen.to_string() && is_at_guard(node, *row.stopped_at);
    if (!shows) continue;
    out.explain(*row.stopped_at);
    any = true;
  }
  return any;
}

// Pods of one node and family that are wrong in the same way.
struct Wrong {
  std::optional<IpAddr> seen;  // none: their own addresses
  std::vector<const KnownPod*> pods;
  Provenance row;
};

void sort_in(const Facts& f, const RowsOfPods& failures, const cluster::Node& node, const KnownPod& pod, const NatRows& rows,
             std::vector<Wrong>& all, Findings& out) {
  for (const Family family : {Family::v4, Family::v6}) {
    const IpAddr* address = pod.address(family);
    if (address == nullptr || f.claims.of(pod.full_name(), family) != nullptr) continue;
    const auto own = rows_for(rows, *address);
    std::optional<IpAddr> seen;
    if (!own.empty()) {
      seen = own.front()->external;
      if (!seen || is_of_node(f, node, *seen)) continue;
    }
    if (!loses(failures, node, pod, seen.value_or(*address), out)) continue;  // such as the host translates, or routers know
    auto same = std::find_if(all.begin(), all.end(),
                             [&](const Wrong& w) { return w.seen == seen && w.pods.front()->address(family) != nullptr; });
    if (same == all.end()) same = all.insert(all.end(), {seen, {}, own.empty() ? Provenance{} : own.front()->from});
    if (std::find(same->pods.begin(), same->pods.end(), &pod) == same->pods.end()) same->pods.push_back(&pod);
  }
}

// Where the host's own translations are: known where it has one kind alone.
enum class Listing : std::uint8_t { either, nft, iptables };

Listing listing_of(const cluster::Node& node) {
  const host::Host& host = dumped_host(node);
  if (!host.nft.present) return Listing::either;
  for (const netfilter::Table& table : host.nft.value.tables)
    for (const netfilter::Chain& chain : table.chains)
      if (is_ovn_kubernetes(table) && chain.name == ovnk::kGatewayMasquerade) return Listing::nft;
  return host.iptables_v4.present && !host.iptables_v4.value.tables.empty() ? Listing::iptables : Listing::either;
}

void report(const cluster::Node& node, const NatRows& rows, const Wrong& w, Findings& out) {
  const Family family = w.seen ? w.seen->family : w.pods.front()->address(Family::v4) != nullptr ? Family::v4 : Family::v6;
  out.about(w.pods);
  out.add(w.seen ? Claim::gateway_translates_to_other_address : Claim::gateway_translates_nothing, node.name, "",
          {terms_of(w.pods, family), w.seen, listing_of(node)},
          {w.row.known() || rows.all.empty() ? w.row : rows.all.front().from});
}

void run(const Facts& f, Findings& out) {
  const RowsOfPods failures = failures_of(f.connections());
  std::map<std::string, std::vector<const KnownPod*>> pods;  // by node
  for (const KnownPod& pod : f.pods)
    if (!pod.host_network) pods[pod.node].push_back(&pod);
  for (const auto& node : f.cluster.nodes) {
    if (!is_cluster_node(*node)) continue;
    const NatRows& rows = f.nat_rows_at(*node);
    if (!rows.complete) {
      out.lacks(Lack::nat_rows, {node->name});
      continue;
    }
    std::vector<Wrong> wrong;
    for (const KnownPod* pod : pods[node->name]) sort_in(f, failures, *node, *pod, rows, wrong, out);
    for (const Wrong& w : wrong) report(*node, rows, w, out);
  }
}

}  // namespace gateway_snat_missing

const Check kGatewaySnatMissing{"gateway-snat-missing", Severity::error, always, gateway_snat_missing::run};

}  // namespace egt::assess
