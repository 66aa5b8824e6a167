#include "excerpt_path.h"

#include <fmt/format.h>

#include <algorithm>

#include "egtrace/engine/excerpt.h"
#include "next_hop.h"
#include "report.h"

namespace egt::explain {
namespace {

using engine::JudgedFlow;
using engine::JudgedRule;
using engine::Truth;
using openflow::FlowEntry;
using openflow::MatchView;

constexpr std::size_t kMostLines = 200;   // an excerpt is short; a whole dump without ports is not told line by line

std::string field_list(const std::vector<FieldId>& ids) {
  std::vector<std::string_view> names;
  for (const FieldId id : ids) names.push_back(field(id).name);
  return fmt::format("{}", fmt::join(names, ", "));
}

bool mentions(MatchView match, FieldId id) { return openflow::mask_of(match, id) != 0; }

bool about_source(const JudgedFlow& j, const FlowKey& packet) {
  const MatchView match = j.bridge->flows->match(j.bridge->flows->flow(j.flow));
  const FieldId id = is_arp(packet) || src_ip(packet).is_v4() ? FieldId::ip_src : FieldId::ipv6_src;
  const U128 mask = openflow::mask_of(match, id);
  return mask != 0 && (packet.get(id) & mask) == openflow::value_of(match, id);
}

bool about_packet(const JudgedFlow& j, const FlowKey& packet) {
  if (about_source(j, packet)) return true;
  const MatchView match = j.bridge->flows->match(j.bridge->flows->flow(j.flow));
  const IpAddr src = src_ip(packet);
  const FieldId id = src.is_v4() ? FieldId::ip_dst : FieldId::ipv6_dst;
  if (!mentions(match, id)) return false;
  const U128 wanted = openflow::value_of(match, id);
  return wanted == src.value || wanted == dst_ip(packet).value;
}

std::string effect(const openflow::ActionList& actions, std::vector<std::string>& means, const Names& names) {
  if (const auto hop = next_hop(actions)) {
    std::string name = names.address(*hop);
    // The transit switch's default subnets of OVN-Kubernetes (config.ClusterManager).
    if (name.empty() && Prefix::parse("100.88.0.0/16")->contains(*hop)) name = "in OVN-Kubernetes' transit subnet: a node's transit port";
    if (name.empty() && Prefix::parse("fd97::/64")->contains(*hop)) name = "in OVN-Kubernetes' transit subnet: a node's transit port";
    means.push_back(hop->is_v4() ? fmt::format("{} = {}{}{}", hex(hop->value), hop->to_string(), name.empty() ? "" : ", ", name)
                                 : fmt::format("{}{}{}", hop->to_string(), name.empty() ? "" : ", ", name));
    return fmt::format("reroutes to next hop {}", hop->to_string());
  }
  if (actions.empty()) return "drops";
  for (const openflow::Action& a : actions) {
    if (const auto* group = std::get_if<openflow::GroupRef>(&a.kind)) return fmt::format("chooses a bucket of group {}", group->id);
    const auto* load = std::get_if<openflow::Load>(&a.kind);
    if (load == nullptr) continue;
    if (load->dest.field == FieldId::pkt_mark) return fmt::format("sets packet mark {}", hex(load->value));
    if (load->dest == Subfield{FieldId::reg10, 12, 1} && load->value == 0) return "passes the port security check";
  }
  return "continues in the next table";
}

// Of the logical datapath that the flow is of; 0: of all.
std::uint64_t metadata_of(MatchView match) {
  return openflow::mask_of(match, FieldId::metadata) == ones(64) ? low64(openflow::value_of(match, FieldId::metadata))
                                                                 : 0;
}

Hop flow_hop(const JudgedFlow& j, const Names& names, const Words& words) {
  const FlowEntry& f = j.bridge->flows->flow(j.flow);
  Hop hop;
  hop.node = j.node->name;
  hop.layer = "ovs";
  hop.where = fmt::format("{} table {}", j.bridge->name, f.table);
  hop.evidence = words.evidence({f.from});
  for (const ovn::LogicalFlow* l : words.logical_flows(*j.node, f.cookie, metadata_of(j.bridge->flows->match(f))))
    hop.lflows.push_back({std::string(l->uuid), std::string(l->datapath), std::string(l->stage), std::string(l->match),
                          std::string(l->actions), l->priority, {}});
  const std::string what = effect(j.bridge->flows->actions(f), hop.means, names);
  if (j.matches == Truth::no) {
    hop.what = fmt::format("priority {} does not match this packet: {} {}", f.priority, field_list(j.contradicts),
                           j.contradicts.size() == 1 ? "differs" : "differ");
  } else if (j.bookkeeping) {
    hop.what = fmt::format("priority {} counts the use of a MAC binding; its \"drop\" drops nothing", f.priority);
  } else {
    hop.what = fmt::format("priority {} {}", f.priority, what);
    if (j.matches == Truth::unknown) hop.what += fmt::format(", if the packet has that {} there", field_list(j.open));
    if (j.beaten) hop.what += "; a line of higher priority may come first";
  }
  return hop;
}

bool translates_source(const JudgedRule& r) { return r.target->kind != netfilter::NatTarget::Kind::dnat; }

std::string target_words(const JudgedRule& r) {
  if (r.mapped) return r.mapped->to_string();
  if (r.target->kind == netfilter::NatTarget::Kind::masquerade) return "the address of the device by which it leaves";
  const auto* ports = std::get_if<std::pair<std::uint16_t, std::uint16_t>>(&r.target->port);
  const std::string port = ports != nullptr && ports->first == ports->second ? fmt::format(":{}", ports->first) : "";
  if (const auto* range = std::get_if<IpRange>(&r.target->address))
    return range->first == range->last ? range->first.to_string() + port
                                       : fmt::format("{} to {}", range->first.to_string(), range->last.to_string());
  return "an address of a map";
}

Hop rule_hop(const JudgedRule& r, const Words& words) {
  Hop hop;
  hop.node = r.node->name;
  hop.layer = "host";
  hop.where = fmt::format("{}{}{} {}", r.front_end, r.table->name.empty() ? "" : " ", r.table->name, r.chain->name);
  hop.what = fmt::format("on the node that has this rule the {} becomes {}", translates_source(r) ? "source" : "destination",
                         target_words(r));
  if (!r.out_device.empty()) hop.what += fmt::format(", if the packet leaves by {}", r.out_device);
  hop.evidence = words.evidence({r.rule->from});
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
    if (rule.fwmark)
      hop.what = fmt::format("looks into table {} only for packets with mark {}; no line here sets it on this one",
                             rule.table, hex(*rule.fwmark));
    else if (rule.from_prefix.contains(src_ip(packet)))
      hop.what = fmt::format("this packet's source is looked up in table {}", rule.table);
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
    hop.what = route.to.contains(dst_ip(packet)) ? "covers the destination, if its table is asked"
                                                 : "does not cover the destination";
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
    hop.what = fmt::format("{} is in it", src);
    if (owner != set.external_ids.end())
      hop.what += fmt::format(": the set of {} {}", type == set.external_ids.end() ? "owner" : type->second, owner->second);
    hop.evidence = words.evidence({set.from});
    hops.push_back(std::move(hop));
  }
}

void add_gaps(const cluster::Cluster& cluster, std::vector<Gap>& gaps) {
  gaps.push_back({"", "the port by which the packet enters Open vSwitch", "ovs-vsctl -f json list interface; ovs-ofctl show br-int"});
  gaps.push_back({"", "all flows of br-int, of every node on the path", "ovs-ofctl dump-flows br-int"});
  gaps.push_back({"", "all rules and routes of the egress node", "ip rule; ip route show table all; ip addr"});
  gaps.push_back({"", "all of its netfilter rules", "iptables-save -c; nft list ruleset"});
  const bool lflows = std::any_of(cluster.nodes.begin(), cluster.nodes.end(),
                                  [](const auto& n) { return n->ovn.has_logical_flows; });
  if (!lflows) gaps.push_back({"", "the logical flows that name these tables", "ovn-sbctl --uuid lflow-list"});
}

}  // namespace

PathReport excerpt_path(const cluster::Cluster& cluster, const Names& names, const Words& words, const FlowKey& packet,
                      const std::string& from) {
  PathReport path;
  path.walked = false;
  path.verdict = Verdict::inconclusive;
  path.confidence = Confidence::assumed;
  std::string reroute;
  for (const JudgedFlow& j : engine::judge_flows(cluster, packet)) {
    if (!about_packet(j, packet) || path.hops.size() >= kMostLines) continue;
    path.hops.push_back(flow_hop(j, names, words));
    if (j.matches != Truth::no && !j.beaten && reroute.empty())
      if (const auto hop = next_hop(j.bridge->flows->actions(j.bridge->flows->flow(j.flow)))) reroute = hop->to_string();
  }
  std::string source, destination;
  for (const JudgedRule& r : engine::judge_nat(cluster, packet)) {
    path.hops.push_back(rule_hop(r, words));
    std::string& told = translates_source(r) ? source : destination;
    const std::string to = target_words(r);
    if (told.find(to) == std::string::npos) told += (told.empty() ? "" : " or ") + to;
  }
  for (const auto& node : cluster.nodes) {
    add_routing(*node, packet, words, path.hops);
    add_address_sets(*node, packet, words, path.hops);
  }
  add_gaps(cluster, path.gaps);
  path.stopped_at = report_stop({"", engine::Layer::ovs, {}, {engine::Reason::entry_port_unknown}}, words);
  if (path.hops.empty()) {
    path.summary = fmt::format("no line of the snapshot mentions {}", src_ip(packet).to_string());
    return path;
  }
  path.summary = fmt::format("the dumped lines do not show the whole path of {}", from);
  if (!reroute.empty()) path.summary += fmt::format("; they prove a reroute to {}", reroute);
  const char* show = reroute.empty() ? "; they show a" : " and show a";
  for (const auto& [what, to] : {std::pair("source", &source), std::pair("destination", &destination)}) {
    if (to->empty()) continue;
    path.summary += fmt::format("{} translation of its {} to {} on the node that has the rule", show, what, *to);
    show = " and a";
  }
  return path;
}

}  // namespace egt::explain
