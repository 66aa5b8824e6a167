#include <algorithm>
#include <bit>
#include <set>
#include <string_view>
#include <vector>

#include "egtrace/host/rule_difference.h"
#include "egtrace/host/rule_view.h"
#include "inconsistencies.h"

namespace egt::cluster {
namespace {

using About = Inconsistency::About;

// Whether the rules have counted enough for two nodes hardly ever to have counted alike. Idle ones, whose dumps are of one second,
// agree in several small numbers: of discovery and keepalives.
bool counters_identify_nodes(const netfilter::Ruleset& rules) {
  constexpr int kEnough = 16;  // bits of different numbers of packets
  std::set<std::uint64_t> counts;
  for (const netfilter::Table& t : rules.tables)
    for (const netfilter::Chain& c : t.chains)
      for (const netfilter::Rule& r : c.rules)
        if (r.packets.value_or(0) > 0) counts.insert(*r.packets);
  int bits = 0;
  for (const std::uint64_t packets : counts) bits += static_cast<int>(std::bit_width(packets));
  return bits >= kEnough && counts.size() > 1;
}

void add_devices(const netfilter::Ruleset& rules, std::set<std::string>& devices) {
  for (const netfilter::Table& t : rules.tables)
    for (const netfilter::Chain& c : t.chains)
      for (const netfilter::Rule& r : c.rules)
        for (const netfilter::Statement& s : r.statements) {
          const auto asked = netfilter::comparison(s);
          if (!asked || (asked->key != netfilter::Key::iifname && asked->key != netfilter::Key::oifname)) continue;
          const auto* name = std::get_if<netfilter::Text>(asked->value);
          if (name != nullptr && !name->wildcard && name->value != "lo") devices.insert(name->value);
        }
}

std::size_t count_devices(const std::vector<host::Link>& links, const std::set<std::string>& names) {
  return static_cast<std::size_t>(std::count_if(names.begin(), names.end(), [&](const std::string& n) {
    return std::any_of(links.begin(), links.end(), [&](const host::Link& l) { return l.name == n; });
  }));
}

// Rules that ask for devices of which this node has none and another one all.
void look_at_devices(const Cluster& cluster, Node& node, const host::Part<netfilter::Ruleset>& part, const char* command) {
  if (!part.present || !node.host.link_list_complete) return;
  std::set<std::string> devices;
  add_devices(part.value, devices);
  if (devices.empty() || count_devices(node.host.links.value, devices) > 0) return;
  for (const NodeHandle& other : cluster.nodes)
    if (other.identity() != &node && count_devices(other.links().value, devices) == devices.size())
      return add_inconsistency(
          node, {About::netfilter, "", std::nullopt, Conflict::rules_with_devices_of, {command, *devices.begin(), other.name()}});
}

// What iptables-nft shows as its own stands in nft's listing, too.
void look_at_listing(const Cluster& cluster, Node& node, const host::Part<netfilter::Ruleset>& part,
                     netfilter::TableFamily family, const char* command) {
  const host::Part<netfilter::Ruleset>& nft = node.host.nft;
  if (!part.present || part.partial || part.from.source == kNoSource || !nft.present || nft.partial) return;
  constexpr std::size_t kHeader = 200;
  const std::string_view head = cluster.sources->at(part.from.source).text.substr(0, kHeader);
  if (head.find("(nf_tables)") == std::string_view::npos) return;
  for (const netfilter::Table& t : part.value.tables) {
    const bool does = std::any_of(t.chains.begin(), t.chains.end(),
                                  [](const netfilter::Chain& c) { return !c.rules.empty() || (c.hook && c.drop_by_default); });
    const bool listed = std::any_of(nft.value.tables.begin(), nft.value.tables.end(),
                                    [&](const netfilter::Table& n) { return n.family == family && n.name == t.name; });
    if (does && !listed)
      return add_inconsistency(node, {About::netfilter, "", std::nullopt, Conflict::rules_not_listed, {command, t.name}});
  }
  if (const auto differs = netfilter::different_chain(part.value, nft.value))
    add_inconsistency(node, {About::netfilter,
                             "",
                             std::nullopt,
                             Conflict::rules,
                             {differs->chain, differs->table, std::string(command) + "; nft list ruleset"}});
}

// Rules that have counted alike to the last packet are one node's.
using RulesOf = host::Part<netfilter::Ruleset> host::Host::*;
void look_at_copied_rules(const Cluster& cluster, const DumpsBySize& dumps, Node& node, RulesOf rules, const char* command) {
  const host::Part<netfilter::Ruleset>& own = node.host.*rules;
  if (!own.present || own.from.source == kNoSource || !counters_identify_nodes(own.value)) return;
  std::vector<const NodeHandle*> alike;
  for (const DumpsBySize::NodeDump& copy : dumps.like(cluster, own.from.source)) {
    const Node& other = copy.node->identity() == &node ? node : copy.node->own();
    const host::Part<netfilter::Ruleset>& part = other.host.*rules;
    if (part.present && part.from.source == cluster.dumps[copy.dump].source) alike.push_back(copy.node);
  }
  if (alike.empty()) return;
  const auto assume = [&](const NodeHandle& other) {
    if (other.identity() != &node)
      add_inconsistency(node, {About::netfilter, "", std::nullopt, Conflict::copied_rules, {command, other.name()}});
  };
  if (alike.front()->identity() != &node) return assume(*alike.front());
  for (const NodeHandle* other : alike) assume(*other);
}

}  // namespace

void look_at_rules(const Cluster& cluster, const DumpsBySize& dumps, Node& node) {
  constexpr std::pair<RulesOf, const char*> kParts[] = {{&host::Host::iptables_v4, "iptables-save -c"},
                                                        {&host::Host::iptables_v6, "ip6tables-save -c"},
                                                        {&host::Host::iptables_legacy_v4, "iptables-legacy-save -c"},
                                                        {&host::Host::iptables_legacy_v6, "ip6tables-legacy-save -c"},
                                                        {&host::Host::nft, "nft list ruleset"}};
  for (const auto& [rules, command] : kParts) {
    look_at_devices(cluster, node, node.host.*rules, command);
    look_at_copied_rules(cluster, dumps, node, rules, command);
  }
  look_at_listing(cluster, node, node.host.iptables_v4, netfilter::TableFamily::ip, "iptables-save");
  look_at_listing(cluster, node, node.host.iptables_v6, netfilter::TableFamily::ip6, "ip6tables-save");
}

}  // namespace egt::cluster
