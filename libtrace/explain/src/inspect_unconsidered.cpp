// What dumps hold, what is read, and what no walk asks.
#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>

#include "egtrace/base/text.h"
#include "inspect_parts.h"
#include "phrases/inspections.h"

namespace egt::explain {
namespace {

using cluster::Cluster;
using cluster::Node;

struct ActionFeature {
  std::string_view text;
  Feature what;
};
constexpr ActionFeature kActions[] = {
    {"meter:", Feature::meters},
    {"set_queue:", Feature::queues},
    {"enqueue", Feature::queues},
    {"sample(", Feature::sampling},
    {"fin_timeout(", Feature::flow_timeouts},
    {"_timeout=", Feature::flow_timeouts},
    {"send_flow_rem", Feature::removal_messages},
    {"persistent", Feature::persistent_nat},
};

// Columns of the Open_vSwitch database that change what a port or bridge does, where they are set.
struct ColumnFeature {
  std::string_view table, column;
  Feature what;
};
constexpr ColumnFeature kColumns[] = {
    {"Bridge", "ipfix", Feature::sampling},
    {"Bridge", "mcast_snooping_enable", Feature::multicast_snooping},
    {"Bridge", "netflow", Feature::netflow},
    {"Bridge", "sflow", Feature::sampling},
    {"Interface", "bfd", Feature::forwarding_detection},
    {"Interface", "cfm_mpid", Feature::connectivity_faults},
    {"Interface", "ingress_policing_kpkts_rate", Feature::policing},
    {"Interface", "ingress_policing_rate", Feature::policing},
    {"Mirror", "filter", Feature::mirror_filters},
    {"Port", "bond_mode", Feature::bonds},
    {"Port", "lacp", Feature::bonds},
    {"Port", "qos", Feature::queues},
};

struct DumpFeature {
  std::string_view kind;
  Feature what;
};
constexpr DumpFeature kDumps[] = {
    {"ovs-ofctl dump-meters", Feature::meters},
    {"ovs-ofctl meter-stats", Feature::meters},
    {"nstat", Feature::counters},
    {"netstat -s", Feature::counters},
    {"/proc/net/netstat", Feature::counters},
    {"ethtool -S", Feature::counters},
    {"node_exporter", Feature::counters},
    {"bridge vni", Feature::bridge_tables},
    {"bridge fdb", Feature::bridge_tables},
};

bool is_set(std::string_view value) {
  for (const std::string_view empty : {"", "[]", "{}", "0", "false", "\"\""})
    if (value == empty) return false;
  return true;
}

class Unconsidered {
 public:
  Unconsidered(const Cluster& cluster, const Node& node) : cluster_(cluster), node_(node) {}

  std::vector<UnconsideredReport> find() {
    for (const openflow::Bridge& b : node_.bridges)
      if (b.flows) flows(*b.flows);
    for (const ovn::Row& row : node_.ovs_rows) columns(row);
    for (const auto* rules : {&node_.host.iptables_v4, &node_.host.iptables_v6, &node_.host.nft}) netfilter(rules->value);
    for (const std::size_t i : node_.dumps)
      if (i < cluster_.dumps.size()) dump(cluster_.dumps[i]);
    std::vector<UnconsideredReport> all;
    for (auto& [what, report] : found_) all.push_back(std::move(report));
    return all;
  }

 private:
  void add(Feature what, Provenance at) {
    UnconsideredReport& r = found_[words_of(what)];
    r.node = node_.name;
    r.what = words_of(what);
    if (r.lines++ == 0 && at.known())
      r.first = {{cluster_.sources->path_of(at.source), at.line, std::string(cluster_.sources->line_text(at))}};
  }

  void flows(const openflow::FlowTables& flows) {
    std::unordered_map<const openflow::ActionText*, std::vector<Feature>> known;  // by interned actions
    for (openflow::FlowIndex i = 0; i < flows.size(); ++i) {
      const openflow::FlowEntry& f = flows.flow(i);
      const auto [at, is_new] = known.try_emplace(f.actions);
      if (is_new) at->second = features_of(openflow::actions_text(f));
      for (const Feature what : at->second) add(what, f.from);
    }
  }

  static std::vector<Feature> features_of(std::string_view actions) {
    std::vector<Feature> all;
    for (const ActionFeature& a : kActions)
      if (actions.find(a.text) != actions.npos && std::find(all.begin(), all.end(), a.what) == all.end()) all.push_back(a.what);
    return all;
  }

  void columns(const ovn::Row& row) {
    for (const ColumnFeature& c : kColumns) {
      if (row.table != c.table) continue;
      const auto value = row.columns.find(c.column);
      if (value && is_set(trim(*value))) add(c.what, line_of(row, c.column));
    }
  }

  // A record of `ovs-vsctl list` has one line for each column; in other forms it is where the row begins.
  Provenance line_of(const ovn::Row& row, std::string_view column) const {
    constexpr std::uint32_t kMostColumns = 60;
    for (std::uint32_t i = 0; i < kMostColumns && row.from.known(); ++i) {
      const Provenance at{row.from.source, row.from.line + i};
      const std::string_view line = cluster_.sources->line_text(at);
      if (line.empty()) break;
      if (line.starts_with(column) && trim(line.substr(column.size())).starts_with(':')) return at;
    }
    return row.from;
  }

  void netfilter(const netfilter::Ruleset& rules) {
    for (const netfilter::Table& table : rules.tables) {
      for (const auto& [name, set] : table.sets)
        if (set != nullptr && set->has_timeout) add(Feature::element_timeouts, set->from);
      for (const netfilter::Chain& chain : table.chains)
        for (const netfilter::Rule& rule : chain.rules)
          if (std::any_of(rule.statements.begin(), rule.statements.end(), updates_set)) add(Feature::set_updates, rule.from);
    }
  }

  static bool updates_set(const netfilter::Statement& s) { return std::holds_alternative<netfilter::SetUpdate>(s); }

  // The first line is the reply's.
  void dump(const cluster::DumpInfo& d) {
    for (const DumpFeature& feature : kDumps)
      if (d.kind == feature.kind && d.superseded_by.empty() && d.lines > 1) add(feature.what, {d.source, 2});
  }

  const Cluster& cluster_;
  const Node& node_;
  std::map<std::string_view, UnconsideredReport> found_;  // by their words, in which order they are listed
};

}  // namespace

std::vector<UnconsideredReport> report_unconsidered(const Cluster& cluster) {
  std::vector<UnconsideredReport> all;
  for (const auto& node : cluster.nodes)
    for (UnconsideredReport& r : Unconsidered(cluster, *node).find()) all.push_back(std::move(r));
  return all;
}

}  // namespace egt::explain
