// What dumps hold, what is read, and what no walk asks: a reader who wonders about it learns so here.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>

#include "egtrace/base/text.h"
#include "inspect_parts.h"

namespace egt::explain {
namespace {

using cluster::Cluster;
using cluster::Node;

struct ActionFeature {
  std::string_view text, what;
};
constexpr ActionFeature kActions[] = {
    {"meter:", "meters: packets above the rate are dropped"},
    {"set_queue:", "queues"},
    {"enqueue", "queues"},
    {"sample(", "sampling (IPFIX, sFlow)"},
    {"fin_timeout(", "timeouts of flows and connections"},
    {"_timeout=", "timeouts of flows and connections"},
    {"send_flow_rem", "messages about removed flows"},
    {"persistent", "persistent NAT: the same address for each connection of a client"},
};

// Columns of the Open_vSwitch database that change what a port or bridge does, where they are set.
struct ColumnFeature {
  std::string_view table, column, what;
};
constexpr ColumnFeature kColumns[] = {
    {"Bridge", "flood_vlans", "VLANs without MAC learning"},
    {"Bridge", "ipfix", "sampling (IPFIX, sFlow)"},
    {"Bridge", "mcast_snooping_enable", "multicast snooping"},
    {"Bridge", "mirrors", "mirrors"},
    {"Bridge", "netflow", "NetFlow"},
    {"Bridge", "rstp_enable", "spanning tree"},
    {"Bridge", "sflow", "sampling (IPFIX, sFlow)"},
    {"Bridge", "stp_enable", "spanning tree"},
    {"Interface", "bfd", "forwarding detection (BFD)"},
    {"Interface", "cfm_mpid", "connectivity faults (CFM)"},
    {"Interface", "ingress_policing_kpkts_rate", "policing"},
    {"Interface", "ingress_policing_rate", "policing"},
    {"Port", "bond_mode", "bonds"},
    {"Port", "cvlans", "customer VLANs of a port"},
    {"Port", "lacp", "bonds"},
    {"Port", "protected", "protected ports"},
    {"Port", "qos", "queues"},
    {"Port", "trunks", "VLANs that a port carries"},
    {"Port", "vlan_mode", "VLAN mode of a port"},
};

constexpr std::string_view kCounters = "counters: evidence of drops, which decides nothing";

struct DumpFeature {
  std::string_view kind, what;
};
constexpr DumpFeature kDumps[] = {
    {"ovs-ofctl dump-meters", "meters: packets above the rate are dropped"},
    {"ovs-ofctl meter-stats", "meters: packets above the rate are dropped"},
    {"nstat", kCounters},
    {"netstat -s", kCounters},
    {"/proc/net/netstat", kCounters},
    {"ethtool -S", kCounters},
    {"node_exporter", kCounters},
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
    for (const auto* rules : {&node_.host.iptables_v4, &node_.host.iptables_v6, &node_.host.nft})
      netfilter(rules->value);
    for (const std::size_t i : node_.dumps)
      if (i < cluster_.dumps.size()) dump(cluster_.dumps[i]);
    std::vector<UnconsideredReport> all;
    for (auto& [what, report] : found_) all.push_back(std::move(report));
    return all;
  }

 private:
  void add(std::string_view what, Provenance at) {
    UnconsideredReport& r = found_[std::string(what)];
    r.node = node_.name;
    r.what = what;
    if (r.lines++ == 0 && at.known())
      r.first = {{cluster_.sources->at(at.source).path, at.line, std::string(cluster_.sources->line_text(at))}};
  }

  void flows(const openflow::FlowTables& flows) {
    std::unordered_map<const openflow::ActionText*, std::vector<std::string_view>> known;  // by interned actions
    for (openflow::FlowIndex i = 0; i < flows.size(); ++i) {
      const openflow::FlowEntry& f = flows.flow(i);
      const auto [at, is_new] = known.try_emplace(f.actions);
      if (is_new) at->second = features_of(flows.actions_text(f));
      for (const std::string_view what : at->second) add(what, f.from);
    }
  }

  static std::vector<std::string_view> features_of(std::string_view actions) {
    std::vector<std::string_view> all;
    for (const ActionFeature& a : kActions)
      if (actions.find(a.text) != actions.npos && std::find(all.begin(), all.end(), a.what) == all.end())
        all.push_back(a.what);
    return all;
  }

  void columns(const ovn::Row& row) {
    for (const ColumnFeature& c : kColumns) {
      if (row.table != c.table) continue;
      const auto value = row.columns.find(std::string(c.column));
      if (value != row.columns.end() && is_set(trim(value->second))) add(c.what, line_of(row, c.column));
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
        if (set != nullptr && set->has_timeout) add("timeouts of set elements", set->from);
      for (const netfilter::Chain& chain : table.chains)
        for (const netfilter::Rule& rule : chain.rules)
          if (std::any_of(rule.statements.begin(), rule.statements.end(), updates_set))
            add("rules that change sets", rule.from);
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
  std::map<std::string, UnconsideredReport> found_;
};

}  // namespace

std::vector<UnconsideredReport> report_unconsidered(const Cluster& cluster) {
  std::vector<UnconsideredReport> all;
  for (const auto& node : cluster.nodes)
    for (UnconsideredReport& r : Unconsidered(cluster, *node).find()) all.push_back(std::move(r));
  return all;
}

}  // namespace egt::explain
