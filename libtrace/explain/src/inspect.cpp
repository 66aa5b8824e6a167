#include "egtrace/explain/inspect.h"

#include <algorithm>

#include "egtrace/cluster/role_names.h"
#include "egtrace/evidence/diagnostic_head.h"
#include "egtrace/explain/agreement.h"
#include "egtrace/explain/collection_limits.h"
#include "inspect_parts.h"
#include "ovn_version.h"
#include "phrases/inspections.h"

namespace egt::explain {
namespace {

using cluster::Cluster;
using cluster::Node;
using cluster::Role;

DumpReport report_dump(const Cluster& cluster, const cluster::Collection& collection, std::size_t index) {
  const cluster::DumpInfo& d = cluster.dumps[index];
  DumpReport r;
  r.path = d.path;
  r.kind = d.kind;
  r.tool = d.tool;
  r.lines = d.lines;
  r.understood = d.understood;
  r.ignored = d.ignored;
  r.partial = d.partial;
  r.superseded_by = d.superseded_by;
  for (const Provenance& p : d.not_understood)
    r.not_understood.push_back({d.path, p.line, std::string(cluster.sources->line_text(p))});
  if (index >= collection.dumps.size()) return r;
  const cluster::DumpOrigin& origin = collection.dumps[index];
  r.command = origin.command;
  r.bytes = origin.bytes;
  r.time = utc(origin.time);
  r.why_partial = origin.why_partial;
  r.note = origin.note;
  return r;
}

NodeReport report_node(const Cluster& cluster, const cluster::Collection& collection, const Node& node) {
  NodeReport r;
  r.name = node.name;
  for (const Role role : node.roles) r.roles.push_back(std::string(name_of(role)));
  for (const host::Link& link : node.host.links.value)
    for (const host::Address& a : link.addresses)
      if (!a.prefix.address.is_loopback() && !a.prefix.address.is_link_local())
        r.addresses.push_back(a.prefix.address.to_string());
  std::sort(r.addresses.begin(), r.addresses.end());
  r.addresses.erase(std::unique(r.addresses.begin(), r.addresses.end()), r.addresses.end());
  r.ovs_version = node.ovs_version.value_or("");
  for (const std::size_t i : node.dumps)
    if (i < cluster.dumps.size()) r.dumps.push_back(report_dump(cluster, collection, i));
  report_gateway_mode(cluster, node, r);
  return r;
}

template <class F>
std::uint64_t sum(const Cluster& cluster, F f) {
  std::uint64_t n = 0;
  for (const auto& node : cluster.nodes) n += f(*node);
  return n;
}

std::uint64_t flows_of(const Node& node) {
  std::uint64_t n = 0;
  for (const openflow::Bridge& b : node.bridges)
    if (b.flows) n += b.flows->size();
  return n;
}

std::uint64_t rules_of(const netfilter::Ruleset& rules) {
  std::uint64_t n = 0;
  for (const auto& t : rules.tables)
    for (const auto& c : t.chains) n += c.rules.size();
  return n;
}

std::vector<Count> count(const Cluster& cluster) {
  const auto& o = cluster.objects;
  return {{"flows", sum(cluster, flows_of)},
          {"logical_flows", sum(cluster, [](const Node& n) { return n.ovn.logical_flows.size(); })},
          {"netfilter_rules", sum(cluster,
                                  [](const Node& n) {
                                    return rules_of(n.host.iptables_v4.value) + rules_of(n.host.iptables_v6.value) +
                                           rules_of(n.host.nft.value);
                                  })},
          {"routes", sum(cluster, [](const Node& n) { return n.host.routes_v4.value.size() + n.host.routes_v6.value.size(); })},
          {"pods", o.pods.size()},
          {"services", o.services.size()},
          {"egress_ips", o.egress_ips.size()},
          {"egress_services", o.egress_services.size()},
          {"namespaces", o.namespaces.size()},
          {"nodes", cluster.nodes.size()}};
}

bool is_cluster_node(const Node& node) {
  return std::find(node.roles.begin(), node.roles.end(), Role::cluster_node) != node.roles.end();
}

void find_gaps(const Node& node, std::vector<Gap>& gaps) {
  const auto need = [&](bool present, NeededDump dump, const Terms& about = {}) {
    if (!present) gaps.push_back(gap_of(node.name, dump, about));
  };
  const host::Host& h = node.host;
  need(h.links.present, NeededDump::devices);
  need(h.rules_v4.present, NeededDump::policy_rules);
  need(h.routes_v4.present, NeededDump::routes);
  need(h.neighbours.present, NeededDump::neighbours);
  need(h.iptables_v4.present, NeededDump::iptables);
  need(h.nft.present, NeededDump::nft);
  need(h.sysctl.present, NeededDump::sysctls);
  if (!is_cluster_node(node)) return;
  for (const openflow::Bridge& b : node.bridges) {
    need(b.flows.has_value(), NeededDump::flows, {b.name});
    need(!b.flows_partial, NeededDump::whole_flows, {b.name});
    need(b.has_groups, NeededDump::groups, {b.name});
  }
  need(node.ovn.has_logical_flows, NeededDump::logical_flows);
  need(node.ovn.has_ports, NeededDump::logical_ports);
}

Evidence first_lines(const Cluster& cluster, const std::vector<Provenance>& from) {
  constexpr std::size_t kExamples = 5;
  Evidence lines;
  for (std::size_t i = 0; i < from.size() && i < kExamples; ++i)
    if (from[i].known())
      lines.push_back({cluster.sources->path_of(from[i].source), from[i].line, std::string(cluster.sources->line_text(from[i]))});
  return lines;
}

void compare_with_ovn(const Cluster& cluster, const Node& node, std::vector<AgreementReport>& all) {
  const auto agreement = agreement_of(cluster, node);
  if (!agreement) return;
  all.push_back({node.name, agreement->missing.size(), agreement->orphaned.size(), first_lines(cluster, agreement->missing),
                 first_lines(cluster, agreement->orphaned)});
}

}  // namespace

Inspection inspect(const Cluster& cluster, const cluster::Collection& collection) {
  Inspection r;
  r.collected_by = collection.collected_by;
  r.obfuscated_by = collection.obfuscated_by;
  r.translated_back = collection.translated_back;
  std::vector<bool> owned(cluster.dumps.size(), false);
  for (const auto& node : cluster.nodes) {
    r.nodes.push_back(report_node(cluster, collection, *node));
    for (const std::size_t i : node->dumps)
      if (i < owned.size()) owned[i] = true;
    find_gaps(*node, r.gaps);
    compare_with_ovn(cluster, *node, r.agreements);
  }
  for (std::size_t i = 0; i < cluster.dumps.size(); ++i)
    if (!owned[i]) r.objects.push_back(report_dump(cluster, collection, i));
  const OvnVersion version = infer_ovn_version(cluster);
  r.ovn_candidates = version.candidates;
  r.ovn_because = version.because;
  r.counts = count(cluster);
  r.networks = report_networks(cluster);
  report_flows(cluster, r);
  r.times = report_times(cluster, collection);
  for (const AssumptionReport& a : assumptions_of_moment(collection, *cluster.sources))
    r.times.push_back(phrase(Observation::supposed, {a.what, a.why}));
  for (const Diagnostic& d : cluster.diagnostics) r.diagnostics.push_back(report_diagnostic(d, *cluster.sources));
  return r;
}

DiagnosticReport report_diagnostic(const Diagnostic& d, const SourceTable& sources) {
  DiagnosticReport report{diagnostic_head(d, sources), {}, d.column};
  if (d.at.line != 0) report.line = sources.line_text(d.at);
  return report;
}

}  // namespace egt::explain
