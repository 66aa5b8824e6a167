#include "egtrace/assess/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "common/glob.h"
#include "common/pods.h"
#include "common/targets.h"
#include "egtrace/base/address_port.h"
#include "egtrace/base/text.h"
#include "egtrace/engine/workload.h"
#include "egtrace/explain/entry_names.h"
#include "egtrace/explain/point.h"
#include "egtrace/explain/suggest.h"
#include "expect/expand.h"
#include "expect/ground.h"

namespace egt::assess {
namespace {

using cluster::Cluster;
using cluster::NodeBudget;
using Names = std::vector<std::string>;

Names sorted(const std::set<std::string>& names) { return {names.begin(), names.end()}; }

Names node_names(const Cluster& cluster, const NodeBudget& budget) {
  std::set<std::string> names;
  for (const cluster::NodeHandle& node : cluster.nodes) names.insert(node.name());
  for (const std::string& name : cluster_nodes(cluster, budget)) names.insert(name);
  return sorted(names);
}

// Of hosts and of Open vSwitch, alone and behind their nodes.
Names device_names(const Cluster& cluster, const NodeBudget& budget) {
  std::set<std::string> names;
  budget.for_each(cluster, [&](const cluster::Node& node) {
    const auto add = [&](const std::string& name) {
      names.insert(name);
      names.insert(node.name + "/" + name);
    };
    for (const host::Link& link : node.host.links.value) add(link.name);
    for (const openflow::Bridge& bridge : node.bridges) {
      add(bridge.name);
      for (const openflow::Interface& port : bridge.interfaces) add(port.name);
    }
  });
  return sorted(names);
}

// Whether all nodes of the cluster are in the snapshot with their devices: only then can a name be wrong for certain.
bool knows_devices(const Cluster& cluster, const NodeBudget& budget) {
  std::set<std::string> shown;
  budget.for_each(cluster, [&](const cluster::Node& node) {
    if (node.host.links.present && !node.host.links.partial) shown.insert(node.name);
  });
  const Names nodes = cluster_nodes(cluster, budget);
  return !nodes.empty() && std::all_of(nodes.begin(), nodes.end(), [&](const std::string& name) { return shown.contains(name); });
}

Names stage_names(const Cluster& cluster, const NodeBudget& budget) {
  std::set<std::string> names;
  budget.for_each(cluster, [&](const cluster::Node& node) {
    for (const ovn::LogicalFlow& f : node.ovn.logical_flows)
      if (!f.stage.empty()) names.insert(std::string(f.stage));
  });
  return sorted(names);
}

Names chain_names(const Cluster& cluster, const NodeBudget& budget) {
  std::set<std::string> names;
  budget.for_each(cluster, [&](const cluster::Node& node) {
    const host::Host& h = node.host;
    for (const auto* part : {&h.iptables_v4, &h.iptables_v6, &h.iptables_legacy_v4, &h.iptables_legacy_v6, &h.nft})
      for (const netfilter::Table& table : part->value.tables)
        for (const netfilter::Chain& chain : table.chains) names.insert(chain.name);
  });
  return sorted(names);
}

// "br-int 25"
Names table_names(const Cluster& cluster, const NodeBudget& budget) {
  std::set<std::string> names;
  budget.for_each(cluster, [&](const cluster::Node& node) {
    for (const openflow::Bridge& bridge : node.bridges)
      for (unsigned table = 0; bridge.flows && table <= 255; ++table)
        if (bridge.flows->has_table(static_cast<std::uint8_t>(table))) names.insert(fmt::format("{} {}", bridge.name, table));
  });
  return sorted(names);
}

Names namespace_names(const Cluster& cluster, const std::vector<KnownPod>& pods) {
  std::set<std::string> names;
  for (const KnownPod& pod : pods) names.insert(pod.namespace_);
  for (const auto& n : cluster.objects.namespaces) names.insert(n.name);
  for (const cluster::Service& s : cluster.objects.services) names.insert(s.namespace_);
  return sorted(names);
}

std::string_view without_exclusion(std::string_view pattern) {
  consume(pattern, "!");
  return pattern;
}

bool is_among(std::string_view pattern, const Names& known) {
  return std::any_of(known.begin(), known.end(), [&](const std::string& k) { return glob_match(pattern, k); });
}

std::optional<Error> unknown_among(const char* key, const Names& patterns, const Names& known) {
  for (const std::string& pattern : patterns) {
    const std::string_view name = without_exclusion(pattern);
    if (is_among(name, known)) continue;
    return mistake(Mistake::unknown_name, {key, name, explain::did_you_mean(name, known)});
  }
  return std::nullopt;
}

// IP, CIDR, IP:PORT, [IPv6]:PORT.
std::optional<Prefix> address_of(std::string_view text) {
  if (const auto prefix = Prefix::parse(text)) return prefix;
  const auto both = parse_address_port(text);
  return both && both->second != 0 ? std::optional(Prefix::host(both->first)) : std::nullopt;
}

// Of packets that a receiver on another node sees.
bool is_possible(const Prefix& p) {
  const IpAddr& a = p.address;
  const bool unspecified = a.is_unspecified() && p.length != 0;
  return !unspecified && !a.is_multicast() && !a.is_loopback() && !(a.is_v4() && a.as_v4() == 0xffffffff);
}

// The family that all destinations with an address have.
std::optional<Family> family_of(const std::vector<expect::EndPattern>& ends) {
  std::set<Family> families;
  for (const expect::EndPattern& end : ends) {
    const auto point = explain::parse_point(end.text);
    if (!point || !point->ip) return std::nullopt;
    families.insert(point->ip->family);
  }
  return families.size() == 1 ? std::optional(*families.begin()) : std::nullopt;
}

std::optional<Error> impossible_address(const char* key, const Names& patterns, std::optional<Family> family) {
  for (const std::string& pattern : patterns) {
    const std::string_view text = without_exclusion(pattern);
    if (text == "none") continue;
    const auto address = address_of(text);
    if (!address) return mistake(Mistake::no_address, {key, text});
    if (!is_possible(*address)) return mistake(Mistake::impossible_address, {key, text});
    if (family && address->address.family != *family) return mistake(Mistake::other_family, {key, text});
  }
  return std::nullopt;
}

}  // namespace

struct NameChecker::Known {
  Known(const Cluster& c, const NodeBudget& budget)
      : cluster(c),
        pods(known_pods(c, budget)),
        namespaces(namespace_names(c, pods)),
        nodes(node_names(c, budget)),
        stages(stage_names(c, budget)),
        chains(chain_names(c, budget)),
        tables(table_names(c, budget)),
        devices(knows_devices(c, budget) ? device_names(c, budget) : Names()),
        workloads(c) {}

  std::optional<Error> unknown_in_path(const char* key, const Names& items) const;
  std::optional<Error> unknown_end(const char* key, const std::vector<expect::EndPattern>& ends) const;

  const Cluster& cluster;
  std::vector<KnownPod> pods;
  Names namespaces, nodes, stages, chains, tables;
  Names devices;                // empty: the snapshot does not have all of them
  engine::Workloads workloads;  // once no node is put away any more
};

// "chain:NAME" and its like, or a bare NAME of any of these kinds. A rule's number is no name.
std::optional<Error> NameChecker::Known::unknown_in_path(const char* key, const Names& items) const {
  const std::pair<std::string_view, const Names*> kinds[] = {
      {"node:", &nodes}, {"device:", &devices}, {"stage:", &stages}, {"table:", &tables}, {"chain:", &chains}};
  for (const std::string& item : items) {
    const auto* kind = std::find_if(std::begin(kinds), std::end(kinds), [&](const auto& k) { return item.starts_with(k.first); });
    if (kind != std::end(kinds)) {
      if (kind->second->empty()) continue;
      if (auto unknown = unknown_among(key, {item.substr(kind->first.size())}, *kind->second)) return unknown;
      continue;
    }
    const bool is_rule = item.starts_with("rule:") || parse_decimal(item);
    const bool knows_all = std::none_of(std::begin(kinds), std::end(kinds), [](const auto& k) { return k.second->empty(); });
    if (is_rule || !knows_all) continue;
    Names all;
    for (const auto& [name, known] : kinds) all.insert(all.end(), known->begin(), known->end());
    if (auto unknown = unknown_among(key, {item}, all)) return unknown;
  }
  return std::nullopt;
}

std::optional<Error> NameChecker::Known::unknown_end(const char* key, const std::vector<expect::EndPattern>& ends) const {
  if (pods.empty()) return std::nullopt;  // excerpts: a pod that is not there may be in the cluster
  for (const expect::EndPattern& end : ends) {
    const auto expanded = expand(end, cluster, pods);
    if (!expanded) return mistake(Mistake::other, {key, expanded.error().message});
    for (const ExpandedEnd& e : expanded->ends)
      if (const auto resolved = explain::resolve(e.point, cluster, workloads); !resolved)
        return mistake(Mistake::other, {key, resolved.error().message});
  }
  return std::nullopt;
}

NameChecker::NameChecker(const Cluster& cluster, const NodeBudget& budget)
    : known_(std::make_unique<const Known>(cluster, budget)) {}
NameChecker::~NameChecker() = default;

std::optional<Error> NameChecker::mistake_in(const expect::Expectation& e) const {
  const std::optional<Family> family = family_of(e.to);
  if (auto error = known_->unknown_end("from", e.from)) return error;
  if (auto error = known_->unknown_end("to", e.to)) return error;
  if (auto error = impossible_address("snat", e.snat, family)) return error;
  if (auto error = impossible_address("dnat", e.dnat, family)) return error;
  if (auto error = unknown_among("node", e.nodes, known_->nodes)) return error;
  if (const auto unknown = explain::unknown_entry(known_->cluster, e.arrive_at, e.in_dev))
    return mistake(Mistake::other,
                   {unknown->key == explain::UnknownEntry::Key::arrive_at ? "arrive-at" : "in-dev", unknown->message});
  if (auto error = known_->unknown_in_path("contains", e.contains)) return error;
  if (auto error = known_->unknown_in_path("avoids", e.avoids)) return error;
  return known_->devices.empty() ? std::nullopt : unknown_among("device", e.devices, known_->devices);
}

std::optional<Error> NameChecker::unknown_namespace(const std::vector<std::string>& patterns) const {
  if (known_->namespaces.empty()) return std::nullopt;
  for (const std::string& pattern : patterns)
    if (!is_among(pattern, known_->namespaces))
      return mistake(Mistake::unknown_namespace, {pattern, explain::did_you_mean(pattern, known_->namespaces)});
  return std::nullopt;
}

std::optional<Error> NameChecker::unknown_place(const std::vector<std::string>& points) const {
  for (const std::string& text : points) {
    const auto point = explain::parse_point(text);
    if (!point) return point.error();
    if (const auto resolved = explain::resolve(*point, known_->cluster, known_->workloads); !resolved) return resolved.error();
  }
  return std::nullopt;
}

}  // namespace egt::assess
