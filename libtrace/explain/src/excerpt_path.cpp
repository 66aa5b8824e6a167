#include "excerpt_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "egtrace/engine/excerpt.h"
#include "egtrace/ovn_kubernetes/names.h"
#include "line_remark.h"
#include "next_hop.h"
#include "report.h"

namespace egt::explain {
namespace {

using engine::JudgedFlow;
using engine::JudgedRule;
using engine::Truth;
using openflow::FlowEntry;
using openflow::MatchView;

constexpr std::size_t kMostLines = 200;  // an excerpt is short; a whole dump without ports is not shown line by line

std::string field_list(const std::vector<FieldId>& ids) {
  std::vector<std::string_view> names;
  for (const FieldId id : ids) names.push_back(field(id).name);
  return fmt::format("{}", fmt::join(names, ", "));
}

bool mentions(MatchView match, FieldId id) { return openflow::mask_of(match, id) != 0; }

bool about_source(const JudgedFlow& j, const FlowKey& packet) {
  const MatchView match = openflow::match_of(j.bridge->flows->flow(j.flow));
  const FieldId id = is_arp(packet) || src_ip(packet).is_v4() ? FieldId::ip_src : FieldId::ipv6_src;
  const U128 mask = openflow::mask_of(match, id);
  return mask != 0 && (packet.get(id) & mask) == openflow::value_of(match, id);
}

bool about_packet(const JudgedFlow& j, const FlowKey& packet) {
  if (about_source(j, packet)) return true;
  const MatchView match = openflow::match_of(j.bridge->flows->flow(j.flow));
  const IpAddr src = src_ip(packet);
  const FieldId id = src.is_v4() ? FieldId::ip_dst : FieldId::ipv6_dst;
  if (!mentions(match, id)) return false;
  const U128 wanted = openflow::value_of(match, id);
  return wanted == src.value || wanted == dst_ip(packet).value;
}

std::string name_of_hop(const IpAddr& hop, const Names& names) {
  const std::string name = names.address(hop);
  const bool transit =
      Prefix::parse(ovnk::kTransitSubnetV4)->contains(hop) || Prefix::parse(ovnk::kTransitSubnetV6)->contains(hop);
  return name.empty() && transit ? phrase(LineStatement{LineRemark::in_transit_subnet}) : name;
}

std::string meaning_of_hop(const IpAddr& hop, const Names& names) {
  LineStatement meaning{LineRemark::hop_named, {hop}};
  if (hop.is_v4()) meaning = {LineRemark::hop_of_register, {hex(hop.value), hop}};
  if (std::string name = name_of_hop(hop, names); !name.empty()) meaning.about.emplace_back(std::move(name));
  return phrase(meaning);
}

LineStatement effect(const openflow::ActionList& actions) {
  if (const auto hop = next_hop(actions)) return {LineRemark::reroutes, {*hop}};
  if (actions.empty()) return {LineRemark::drops};
  for (const openflow::Action& a : actions) {
    if (const auto* group = std::get_if<openflow::GroupRef>(&a.kind))
      return {LineRemark::picks_bucket, {std::uint64_t{group->id}}};
    const auto* load = std::get_if<openflow::Load>(&a.kind);
    if (load == nullptr) continue;
    if (load->dest.field == FieldId::pkt_mark) return {LineRemark::sets_mark, {low64(load->value)}};
    if (load->dest == Subfield{FieldId::reg10, 12, 1} && load->value == 0) return {LineRemark::passes_port_security};
  }
  return {LineRemark::continues};
}

// Of the logical datapath that the flow is of; 0: of all.
std::uint64_t metadata_of(MatchView match) {
  return openflow::mask_of(match, FieldId::metadata) == ones(64) ? low64(openflow::value_of(match, FieldId::metadata)) : 0;
}

Hop flow_hop(const JudgedFlow& j, const Names& names, const Words& words) {
  const FlowEntry& f = j.bridge->flows->flow(j.flow);
  Hop hop;
  hop.node = j.node->name;
  hop.layer = "ovs";
  hop.passes = {passage_of_table(j.bridge->name, f.table)};
  hop.at = {.kind = HopPlace::Kind::flow_table, .bridge = j.bridge->name, .within = fmt::format("table {}", f.table)};
  hop.where = in_bridge(hop.at);
  hop.evidence = words.evidence({f.from});
  for (const ovn::LogicalFlow* l : words.logical_flows(*j.node, f.cookie, metadata_of(openflow::match_of(f))))
    hop.lflows.push_back({std::string(l->uuid),
                          std::string(l->datapath),
                          std::string(l->stage),
                          std::string(l->match),
                          std::string(l->actions),
                          l->priority,
                          {}});
  const openflow::ActionList& actions = j.bridge->flows->actions(f);
  if (const auto next = next_hop(actions)) hop.means.push_back(meaning_of_hop(*next, names));
  const std::uint64_t priority = f.priority;
  if (j.matches == Truth::no) {
    hop.what = phrase(
        LineStatement{LineRemark::flow_differs, {priority, field_list(j.conflicts), std::uint64_t{j.conflicts.size() != 1}}});
  } else if (j.bookkeeping) {
    hop.what = phrase(LineStatement{LineRemark::flow_counts_binding, {priority}});
  } else {
    const std::string what = phrase(effect(actions));
    hop.what = j.matches == Truth::unknown ? phrase(LineStatement{LineRemark::flow_may_do, {priority, what, field_list(j.open)}})
                                           : phrase(LineStatement{LineRemark::flow_does, {priority, what}});
    if (j.shadowed) hop.what += phrase(LineStatement{LineRemark::higher_comes_first});
  }
  return hop;
}

bool translates_source(const JudgedRule& r) { return r.target->kind != netfilter::NatTarget::Kind::dnat; }

std::string target_words(const JudgedRule& r) {
  if (r.mapped) {
    const auto* port =
        r.element != nullptr && r.element->data->size() > 1 ? std::get_if<netfilter::Number>(&(*r.element->data)[1]) : nullptr;
    return r.mapped->to_string() + (port != nullptr ? fmt::format(":{}", low64(*port)) : "");
  }
  if (r.target->kind == netfilter::NatTarget::Kind::masquerade) return phrase(LineStatement{LineRemark::address_of_device});
  const auto* ports = std::get_if<std::pair<std::uint16_t, std::uint16_t>>(&r.target->port);
  const std::string port = ports != nullptr && ports->first == ports->second ? fmt::format(":{}", ports->first) : "";
  if (const auto* range = get_if_boxed<IpRange>(&r.target->address))
    return range->first == range->last ? range->first.to_string() + port
                                       : phrase(LineStatement{LineRemark::address_range, {range->first, range->last}});
  return phrase(LineStatement{LineRemark::address_of_map});
}

Hop rule_hop(const JudgedRule& r, const Words& words) {
  Hop hop;
  hop.node = r.node->name;
  hop.layer = "host";
  hop.where = fmt::format("{}{}{} {}", r.front_end, r.table->name.empty() ? "" : " ", r.table->name, r.chain->name);
  hop.passes = {{Passage::Kind::chain, r.chain->name}};
  hop.what = phrase(LineStatement{LineRemark::translates, {std::uint64_t{translates_source(r)}, target_words(r)}});
  if (!r.out_device.empty()) hop.what += phrase(LineStatement{LineRemark::leaves_by, {r.out_device}});
  hop.evidence = r.element != nullptr ? words.evidence({r.rule->from, r.element->from}) : words.evidence({r.rule->from});
  return hop;
}

void add_routing(const cluster::Node& node, const FlowKey& packet, const Words& words, std::vector<Hop>& hops) {
  const bool v4 = src_ip(packet).is_v4();
  const auto& rules = v4 ? node.host.rules_v4 : node.host.rules_v6;
  const auto& routes = v4 ? node.host.routes_v4 : node.host.routes_v6;
  for (const host::PolicyRule& rule : rules.value) {
    if (!rule.fwmark && !rule.has_from) continue;
    Hop hop;
    hop.node = node.name;
    hop.layer = "host";
    hop.where = fmt::format("ip rule {}", rule.priority);
    hop.passes = {{Passage::Kind::rule, std::to_string(rule.priority)}};
    if (rule.fwmark)
      hop.what = phrase(LineStatement{LineRemark::rule_needs_mark, {std::string(rule.table), std::uint64_t{*rule.fwmark}}});
    else if (rule.from_prefix.contains(src_ip(packet)))
      hop.what = phrase(LineStatement{LineRemark::rule_has_source, {std::string(rule.table)}});
    else
      continue;
    hop.evidence = words.evidence({rule.from});
    hops.push_back(std::move(hop));
  }
  for (const host::Route& route : routes.value) {
    Hop hop;
    hop.node = node.name;
    hop.layer = "host";
    hop.where = fmt::format("route {}", route.to.length == 0 ? "default" : route.to.to_short_string());
    hop.what =
        phrase(LineStatement{route.to.contains(dst_ip(packet)) ? LineRemark::route_covers : LineRemark::route_does_not_cover});
    hop.evidence = words.evidence({route.from});
    hops.push_back(std::move(hop));
  }
}

void add_address_sets(const cluster::Node& node, const FlowKey& packet, const Words& words, std::vector<Hop>& hops) {
  const std::string src = src_ip(packet).to_string();
  for (const ovn::AddressSet& set : node.ovn.address_sets) {
    if (std::find(set.addresses.begin(), set.addresses.end(), src) == set.addresses.end()) continue;
    Hop hop;
    hop.node = node.name;
    hop.layer = "ovn";
    hop.where = fmt::format("address set {}", set.name);
    const auto owner = set.external_ids.find("k8s.ovn.org/name");
    const auto type = set.external_ids.find("k8s.ovn.org/owner-type");
    LineStatement holds{LineRemark::set_has_address, {src}};
    if (owner != set.external_ids.end()) {
      holds.about.emplace_back(type == set.external_ids.end() ? "owner" : type->second);
      holds.about.emplace_back(owner->second);
    }
    hop.what = phrase(holds);
    hop.evidence = words.evidence({set.from});
    hops.push_back(std::move(hop));
  }
}

bool has_logical_flows(const cluster::Cluster& cluster) {
  return std::any_of(cluster.nodes.begin(), cluster.nodes.end(), [](const auto& n) { return n->ovn.has_logical_flows; });
}

// "10.0.0.1 or 10.0.0.2": what lines translate the source and the destination to.
struct Translations {
  std::string source, destination;
  std::set<std::pair<bool, std::string>> known;  // whether the source, to what

  void add(const JudgedRule& rule) {
    const bool is_source = translates_source(rule);
    const std::string to = target_words(rule);
    if (!known.emplace(is_source, to).second) return;
    std::string& all = is_source ? source : destination;
    all += (all.empty() ? "" : " or ") + to;
  }
};

std::string summary_of_lines(const std::string& from, const std::optional<IpAddr>& reroute, const Translations& translations) {
  LineStatement path{LineRemark::not_whole_path, {from}};
  if (reroute) path.about.emplace_back(*reroute);
  std::string summary = phrase(path);
  std::uint64_t joint = reroute ? 1 : 0;
  for (const bool source : {true, false}) {
    const std::string& to = source ? translations.source : translations.destination;
    if (to.empty()) continue;
    summary += phrase(LineStatement{LineRemark::shows_translation, {joint, std::uint64_t{source}, to}});
    joint = 2;
  }
  return summary;
}

}  // namespace

PathReport excerpt_path(const cluster::Cluster& cluster, const Names& names, const Words& words, const FlowKey& packet,
                        const std::string& from) {
  PathReport path;
  path.walked = false;
  path.verdict = Verdict::inconclusive;
  path.confidence = Confidence::assumed;
  std::optional<IpAddr> reroute;
  for (const JudgedFlow& j : engine::judge_flows(cluster, packet)) {
    if (!about_packet(j, packet) || path.hops.size() >= kMostLines) continue;
    path.hops.push_back(flow_hop(j, names, words));
    if (j.matches != Truth::no && !j.shadowed && !reroute)
      reroute = next_hop(j.bridge->flows->actions(j.bridge->flows->flow(j.flow)));
  }
  Translations translations;
  for (const JudgedRule& r : engine::judge_nat(cluster, packet)) {
    path.hops.push_back(rule_hop(r, words));
    translations.add(r);
  }
  for (const auto& node : cluster.nodes) {
    add_routing(*node, packet, words, path.hops);
    add_address_sets(*node, packet, words, path.hops);
  }
  path.gaps = gaps_of_excerpt(has_logical_flows(cluster));
  path.stopped_at = report_stop({"", engine::Layer::ovs, {}, {engine::Reason::entry_port_unknown}}, words);
  path.summary = path.hops.empty() ? phrase(LineStatement{LineRemark::nothing_mentioned, {src_ip(packet)}})
                                   : summary_of_lines(from, reroute, translations);
  return path;
}

}  // namespace egt::explain
