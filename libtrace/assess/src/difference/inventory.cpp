#include "difference/inventory.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>

#include "difference/host_text.h"
#include "egtrace/base/text.h"
#include "egtrace/host/rule_effect.h"
#include "egtrace/openflow/action_effect.h"
#include "egtrace/ovn/rows/nb.h"
#include "egtrace/ovn/southbound.h"

namespace egt::assess {
namespace {

using cluster::Cluster;
using cluster::Node;

class Collector {
 public:
  Collector(const Cluster& cluster, const std::set<std::string>& topics) : cluster_(cluster), topics_(topics) {}

  Inventory collect() {
    if (begin("objects", "")) objects();
    for (const auto& node : cluster_.nodes) {
      addresses(*node);
      routes(*node);
      rules(*node);
      northbound(*node);
      logical_flows(*node);
      flows(*node);
    }
    return std::move(facts_);
  }

 private:
  bool begin(const char* topic, const std::string& node) {
    scope_ = {topic, node, ""};
    return topics_.contains(topic);
  }
  void shown() { facts_.shown.insert(scope_); }
  InventoryLine& add(std::string what, std::string value, Provenance from) {
    return facts_.all.emplace_back(InventoryLine{scope_, std::move(what), std::move(value), from, {}, {}});
  }

  void objects();
  void addresses(const Node& node);
  void routes(const Node& node);
  void rules(const Node& node);
  void elements(const std::string& table, const netfilter::Set& set);
  void ruleset(const std::string& front_end, const host::Part<netfilter::Ruleset>& part);
  void northbound(const Node& node);
  void logical_flows(const Node& node);
  void flows(const Node& node);
  void flows_of(const Node& node, const openflow::Bridge& bridge);
  void add_flow(const openflow::Bridge& bridge, const openflow::FlowEntry& flow);

  const Cluster& cluster_;
  const std::set<std::string>& topics_;
  InventoryScope scope_;
  Inventory facts_;
};

std::string ips(const std::vector<IpAddr>& all) {
  return joined(all, [](const IpAddr& a) { return a.to_string(); });
}

std::string labels_text(const cluster::Labels& labels) {
  return joined(labels, [](const auto& l) { return l.first + "=" + l.second; });
}

void Collector::objects() {
  const cluster::Objects& o = cluster_.objects;
  if (!o.pods.empty() || !o.namespaces.empty() || !o.services.empty() || !o.egress_ips.empty()) shown();
  for (const cluster::Pod& p : o.pods)
    add(fmt::format("Pod {}/{}", p.namespace_, p.name),
        fmt::format("on {}, {}, labels {}", p.node, joined(p.addresses, [](const Prefix& a) { return a.address.to_string(); }),
                    labels_text(p.labels)),
        p.from);
  for (const auto& n : o.namespaces) add("Namespace " + n.name, "labels " + labels_text(n.labels), n.from);
  for (const cluster::Service& s : o.services)
    add(fmt::format("Service {}/{}", s.namespace_, s.name),
        fmt::format("{} {} external {} load balancer {} ports {} policy {}/{} selects {}", s.type, ips(s.cluster_ips),
                    ips(s.external_ips), ips(s.load_balancer_ips),
                    joined(s.ports, [](const cluster::ServicePort& p) { return fmt::format("{}/{}", p.port, p.protocol); }),
                    s.external_traffic_policy, s.internal_traffic_policy, labels_text(s.selector)),
        s.from);
  for (const cluster::EgressIp& e : o.egress_ips)
    add("EgressIP " + e.name,
        fmt::format(
            "{}, assigned {}", ips(e.addresses),
            joined(e.status,
                   [](const cluster::EgressIp::Assignment& a) { return fmt::format("{}@{}", a.address.to_string(), a.node); })),
        e.from);
  for (const cluster::EgressService& e : o.egress_services)
    add(fmt::format("EgressService {}/{}", e.namespace_, e.name), fmt::format("host {}, source by {}", e.host, e.source_ip_by),
        e.from);
}

void Collector::addresses(const Node& node) {
  if (!begin("addresses", node.name) || !node.host.links.present) return;
  if (!node.host.links.partial) shown();
  for (const host::Link& link : node.host.links.value)
    add(link.name,
        fmt::format("{} {} {}", link.is_up() ? "up" : "down", link.mac ? link.mac->to_string() : "-",
                    joined(link.addresses, [](const host::Address& a) { return a.prefix.to_string(); })),
        link.from);
}

void Collector::routes(const Node& node) {
  if (!begin("routes", node.name)) return;
  const host::Host& h = node.host;
  if (h.routes_v4.present && !h.routes_v4.partial && h.rules_v4.present && !h.rules_v4.partial) shown();
  for (const auto* part : {&h.routes_v4, &h.routes_v6})
    for (const host::Route& r : part->value)
      add(fmt::format("{} table {} {}", r.family == Family::v4 ? "v4" : "v6", r.table, r.to.to_string()), route_text(r), r.from);
  for (const auto* part : {&h.rules_v4, &h.rules_v6})
    for (const host::PolicyRule& r : part->value)
      add(fmt::format("{} rule {}", r.family == Family::v4 ? "v4" : "v6", r.priority), rule_text(r), r.from);
}

// How often each line of the dump has been asked for so far: nft lists several elements in one.
using Places = std::map<Provenance, std::size_t>;

// "elements = { 192.0.2.80 . tcp . 80 : 172.30.7.7 . 80," and the lines behind it.
std::string element_text(std::string_view line, std::size_t place) {
  line = trim(line);
  if (const std::size_t open = line.find("elements = {"); open != std::string_view::npos)
    line = line.substr(line.find('{', open) + 1);
  const auto all = split_outside(line, ',');
  std::string_view text = place < all.size() ? trim(all[place]) : std::string_view{};
  if (text.ends_with('}')) text = trim(text.substr(0, text.size() - 1));
  return std::string(text);
}

// Of sets that nothing but their writer changes.
void Collector::elements(const std::string& table, const netfilter::Set& set) {
  if (set.dynamic || set.has_timeout || set.contents_unknown) return;
  Places places;
  const auto line = [&](const Provenance& from) {
    std::string text = element_text(cluster_.sources->line_text(from), places[from]++);
    if (!text.empty()) add(fmt::format("{} {}", table, set.name), without_counters(text), from);
  };
  for (const netfilter::SetElement& e : set.elements) line(e.from);
  for (const netfilter::VerdictElement& e : set.verdicts) line(e.from);
}

void Collector::ruleset(const std::string& front_end, const host::Part<netfilter::Ruleset>& part) {
  // A line of nft's JSON is not a rule's own.
  if (!part.present || trim(cluster_.sources->at(part.from.source).text).starts_with("{")) return;
  for (const netfilter::Table& table : part.value.tables) {
    scope_.part = front_end;
    if (table.from_iptables && front_end == "nft")
      scope_.part = as_nft_shows(table.family == netfilter::TableFamily::ip6 ? "ip6tables" : "iptables");
    if (!part.partial) shown();
    for (const netfilter::Chain& chain : table.chains) {
      const std::string what =
          fmt::format("{}{} {} {}", scope_.part, front_end == "nft" ? " " + std::string(family_name(table.family)) : "",
                      table.name, chain.name);
      if (chain.drop_by_default) add(what, "policy drop", chain.from);  // to accept is what happens without a chain, too
      for (const netfilter::Rule& rule : chain.rules)
        add(what, without_counters(cluster_.sources->line_text(rule.from)), rule.from).meaning =
            netfilter::effect_of(rule).value_or("");
    }
    for (const auto& [name, set] : table.sets) elements(fmt::format("nft {} {}", family_name(table.family), table.name), *set);
  }
  scope_.part = front_end;
  if (!part.partial) shown();
}

void Collector::rules(const Node& node) {
  if (!begin("rules", node.name)) return;
  const host::Host& h = node.host;
  ruleset("iptables", h.iptables_v4);
  ruleset("ip6tables", h.iptables_v6);
  ruleset("iptables-legacy", h.iptables_legacy_v4);
  ruleset("ip6tables-legacy", h.iptables_legacy_v6);
  ruleset("nft", h.nft);
}

// What counts, shows a time, or only lists other rows by UUID is left out.
std::string columns_text(const ovn::Row& row) {
  constexpr std::string_view kLeftOut[] = {"_uuid", "bfd", "bfd_sessions", "health_check", "meter", "nextgroup"};
  std::string text;
  for (const auto& [column, value] : row.columns)
    if (std::find(std::begin(kLeftOut), std::end(kLeftOut), column) == std::end(kLeftOut) && value != "[]" && value != "{}" &&
        value != "\"\"")
      text += fmt::format("{}{}={}", text.empty() ? "" : " ", column, value);
  return text;
}

// Rows by their content.
void Collector::northbound(const Node& node) {
  if (!begin("northbound", node.name)) return;
  static const std::set<std::string> kTables = {
      "ACL", "Address_Set", "Load_Balancer", "Logical_Router_Policy", "Logical_Router_Static_Route", "NAT"};
  for (const std::string& table : kTables) {
    scope_.part = table;
    if (node.ovn.complete_tables.contains("NB " + table)) shown();
  }
  for (const ovn::Rows::Table& of : node.ovn.rows.tables()) {
    if (of.database() != "NB" || !kTables.contains(of.name())) continue;
    scope_.part = of.name();
    for (const ovn::Row& row : of.rows()) {
      InventoryLine& line = add(row.table, columns_text(row), row.from);
      line.origin = ovn::uuid_prefix(row.uuid);
      if (const auto set = as<rows::nb::AddressSet>(row)) line.address_set = set->name();
    }
  }
}

std::string name_of(const ovn::LogicalFlow& f) {
  const std::string stage =
      f.stage.empty() ? fmt::format("{} {}", f.ingress ? "ingress" : "egress", f.table) : std::string(f.stage);
  return lflow_name(stage, f.priority, f.match);
}

// One for each datapath that has it: whether they share a row shows nothing.
void Collector::logical_flows(const Node& node) {
  if (!begin("logical flows", node.name) || !node.ovn.has_logical_flows) return;
  shown();
  for (const ovn::LogicalFlow& f : node.ovn.logical_flows)
    for (const std::string_view datapath : ovn::datapaths_of(node.ovn, f)) {
      const std::string name = name_of(f);
      InventoryLine& line = add(fmt::format("{} {}", datapath, name), std::string(trim(f.actions)), f.from);
      line.lflow = name;
      if (f.origin) line.origin = ovn::uuid_prefix(f.origin->stage_hint);
    }
}

// What a line has of a flow besides its match and actions.
std::string timeouts(std::string_view line) {
  std::string text;
  for (std::string_view head = line.substr(0, line.find(" actions=")); !head.empty();)
    if (const std::string_view word = trim(take_until(head, ','));
        word.starts_with("idle_timeout=") || word.starts_with("hard_timeout="))
      text += std::string(word) + ",";
  return text;
}

std::string words_of(openflow::MatchView match) {
  std::string text;
  for (const openflow::MatchWord& w : match) text += fmt::format("{:02}:{:x}/{:x} ", w.word, w.value, w.mask);
  return text;
}

// A flow that was not understood has no meaning but its text.
bool is_understood(const openflow::ActionList& actions) {
  return std::none_of(actions.begin(), actions.end(),
                      [](const openflow::Action& a) { return std::holds_alternative<openflow::Opaque>(a.kind); });
}

// A flow as its dump prints it, without what counts, how old it is, and its cookie.
std::string flow_text(std::string_view line) {
  static constexpr std::string_view kLeft[] = {"cookie=", "duration=", "n_packets=", "n_bytes=", "idle_age=", "hard_age="};
  line = trim(line);
  const std::size_t actions = line.find(" actions=");
  std::string_view head = line.substr(0, actions);
  std::string text;
  while (!head.empty()) {
    const std::string_view word = trim(take_until(head, ','));
    if (std::any_of(std::begin(kLeft), std::end(kLeft), [&](std::string_view k) { return word.starts_with(k); })) continue;
    text += (text.empty() ? "" : ",") + std::string(word);
  }
  return text;
}

void Collector::add_flow(const openflow::Bridge& bridge, const openflow::FlowEntry& flow) {
  const std::string_view text = cluster_.sources->line_text(flow.from);
  const std::size_t at = text.find(" actions=");
  const openflow::ActionList& actions = bridge.flows->actions(flow);
  InventoryLine& line = add(fmt::format("{} {}", bridge.name, flow_text(text)),
                            at == std::string_view::npos ? std::string() : std::string(text.substr(at + 1)), flow.from);
  if (!is_understood(actions)) return;
  const auto number = [&](std::string_view name) -> std::optional<std::uint32_t> {
    const openflow::Interface* port = bridge.by_name(name);
    return port != nullptr ? port->ofport : std::nullopt;
  };
  line.key =
      fmt::format("{} table={:03},priority={:05},{}", bridge.name, flow.table, flow.priority, words_of(openflow::match_of(flow)));
  line.meaning = fmt::format("{}actions={}", timeouts(text), openflow::effect_of(actions, number));
}

// A logical flow becomes a flow on each datapath, and more where its match is not one of OpenFlow: how many says
// enough, as ports, datapaths and conjunctions have numbers of their own on each node.
void Collector::flows_of(const Node& node, const openflow::Bridge& bridge) {
  std::unordered_map<std::uint32_t, const ovn::LogicalFlow*> by_cookie;
  for (const ovn::LogicalFlow& f : node.ovn.logical_flows)
    if (f.uuid_prefix) by_cookie.emplace(*f.uuid_prefix, &f);
  std::unordered_map<const ovn::LogicalFlow*, std::pair<std::size_t, Provenance>> counts;
  for (openflow::FlowIndex i = 0; i < bridge.flows->size(); ++i) {
    const std::uint64_t cookie = bridge.flows->cookie_of(i);
    const auto found = cookie > 0xffffffff ? by_cookie.end() : by_cookie.find(static_cast<std::uint32_t>(cookie));
    if (cookie != 0 && found != by_cookie.end()) {
      auto& [count, from] = counts[found->second];
      if (count++ == 0) from = bridge.flows->flow(i).from;
      continue;
    }
    add_flow(bridge, bridge.flows->flow(i));
  }
  std::map<std::string, std::pair<std::size_t, Provenance>> by_name;  // rows of several datapaths may be one or many
  for (const ovn::LogicalFlow& f : node.ovn.logical_flows) {
    const auto it = counts.find(&f);
    if (it == counts.end()) continue;
    auto& [count, from] = by_name[name_of(f)];
    if (count == 0) from = it->second.second;
    count += it->second.first;
  }
  for (const auto& [name, counted] : by_name)
    add(fmt::format("{} of {}", bridge.name, name), fmt::format("{} flow{}", counted.first, counted.first == 1 ? "" : "s"),
        counted.second)
        .lflow = name;
}

void Collector::flows(const Node& node) {
  if (!begin("flows", node.name)) return;
  for (const openflow::Bridge& bridge : node.bridges) {
    if (!bridge.flows) continue;
    // Flows that are counted on one side and printed on the other cannot be compared.
    scope_.part = bridge.name + (node.ovn.has_logical_flows ? " by logical flow" : "");
    if (!bridge.flows_partial) shown();
    flows_of(node, bridge);
  }
}

}  // namespace

std::string lflow_name(std::string_view stage, std::uint16_t priority, std::string_view match) {
  return fmt::format("{} priority {} match {}", stage, priority, trim(match));
}

std::string as_nft_shows(const std::string& front_end) { return front_end + " as nft prints it"; }

Inventory inventory_of(const Cluster& cluster, const std::set<std::string>& topics) {
  return Collector(cluster, topics).collect();
}

}  // namespace egt::assess
