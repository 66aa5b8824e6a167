#include "report.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "counters.h"
#include "dumped_inputs.h"
#include "egtrace/engine/link_answer.h"
#include "egtrace/explain/phrases.h"
#include "group_agreement.h"
#include "ovn_flows.h"
#include "phrases/endings.h"
#include "phrases/rule_words.h"
#include "reasons.h"
#include "sighting_order.h"

namespace egt::explain {
namespace {

using namespace engine;

// Empty for one that stands for an unknown one.
std::string shown_mac(MacAddr mac, const cluster::Node* at) {
  const auto made_up = [&](const host::Link& link) { return link.mac_made_up && link.mac == mac; };
  if (mac == kSomeNeighbour) return {};
  if (at != nullptr && std::any_of(at->host.links.value.begin(), at->host.links.value.end(), made_up)) return {};
  return mac.to_string();
}

SightingReport report_sighting(const Sighting& s, const NetworkState& network_state, const cluster::Node* at) {
  SightingReport r;
  r.node = s.node;
  r.device = s.device;
  r.in = s.in;
  const Tuple t = tuple_of(s.packet);
  r.src = t.src.to_string();
  r.dst = t.dst.to_string();
  r.proto = proto_name(static_cast<std::uint8_t>(s.packet.u64(FieldId::nw_proto)), family_of(s.packet));
  if (has_ports(s.packet)) {
    if (!network_state.is_port_open(t, true)) r.sport = t.sport;
    if (!network_state.is_port_open(t, false)) r.dport = t.dport;
  }
  r.ttl = static_cast<std::uint8_t>(s.packet.u64(FieldId::nw_ttl));
  r.smac = shown_mac(src_mac(s.packet), at);
  r.dmac = shown_mac(dst_mac(s.packet), at);
  r.encap = s.encap;
  r.hop = s.step;
  return r;
}

bool decides(const RowRef& row) { return row.database == "NB"; }

// The northbound rows behind a translation: those of the step that has its evidence.
void name_nat(std::vector<NatReport>& translations, const std::vector<Hop>& hops) {
  for (NatReport& n : translations)
    for (const Hop& hop : hops) {
      const bool same =
          hop.node == n.node && !n.evidence.empty() && !hop.evidence.empty() && hop.evidence.front() == n.evidence.front();
      if (same && n.rows.empty()) std::copy_if(hop.rows.begin(), hop.rows.end(), std::back_inserter(n.rows), decides);
    }
}

// What a flow does besides its own entry (conntrack, a learned flow, a message to ovn-controller, a drop) has the flow's
// causes, and shows what they mean where the entry itself is shown with the details only.
void share_causes(std::vector<Hop>& hops) {
  Hop& last = hops.back();
  if (last.evidence.empty() || !last.lflows.empty() || !last.rows.empty()) return;
  for (auto hop = hops.rbegin() + 1; hop != hops.rend() && hop->node == last.node; ++hop) {
    if (hop->evidence.empty() || hop->evidence.front() != last.evidence.front()) continue;
    if (hop->lflows.empty() && hop->rows.empty()) return;
    last.lflows = hop->lflows;
    last.rows = hop->rows;
    if (hop->detail && last.means.empty()) last.means = hop->means;
    return;
  }
}

// The same gap is met once for every table or rule that would have needed it.
std::vector<Gap> distinct(const std::vector<MissingInput>& gaps, const cluster::Cluster& cluster) {
  std::vector<Gap> out;
  for (const MissingInput& missing : gaps)
    if (Gap g = gap_besides_dumps(missing, cluster); std::find(out.begin(), out.end(), g) == out.end())
      out.push_back(std::move(g));
  return out;
}

std::string end_name(const WalkedPath& walked, const Words& words) {
  const Endpoint& end = walked.end;
  switch (end.kind) {
    case Endpoint::Kind::pod: return end.pod.name;
    case Endpoint::Kind::process: return end.node != nullptr ? end.node->name : "";
    case Endpoint::Kind::outside: return words.address(end.address);
  }
  return {};
}

std::string what_went_before(const Before& before, const WalkedPath& walked, const cluster::Cluster& cluster) {
  if (before.request == nullptr) return {};
  if (before.answer == nullptr) return wrong_node(*before.request, walked, cluster);
  return remembered_frame(before, walked, cluster);
}

void report_hops(const WalkedPath& walked, const Words& words, bool registers, PathReport& path) {
  bool is_refused = false;
  for (const Step& step : walked.record.steps) {
    path.hops.push_back(words.hop(step, registers));
    path.hops.back().of_refusal = is_refused;
    is_refused |= std::holds_alternative<engine::Refused>(step.kind);
    share_causes(path.hops);
    if (walked.record.wants_shadowed) path.hops.back().counted = counted(step, words.cluster());
  }
  if (path.hops.empty()) return;
  const auto before_step = [&](std::size_t step) -> Hop& { return path.hops[std::min(step, path.hops.size() - 1)]; };
  for (const RuleMiss& miss : walked.record.misses)
    before_step(miss.before_step)
        .near_misses.push_back({fmt::format("{} {} {}", miss.rule.front_end, miss.rule.table, miss.rule.chain),
                                near_miss_words(miss), words.evidence({miss.rule.rule->from})});
  for (const RouteMiss& miss : walked.record.route_misses) {
    const Provenance line = miss.winner != nullptr ? miss.route->from : miss.rule->from;
    before_step(miss.before_step).near_misses.push_back({near_miss_place(miss), near_miss_words(miss), words.evidence({line})});
  }
}

}  // namespace

void assume(const Assumption& a, const Words& words, PathReport& path) {
  path.assumptions.push_back({what_of(a), why_of(a), words.evidence(a.evidence)});
  path.confidence = Confidence::assumed;
}

StopReport report_stop(const Stop& stop, const Words& words) {
  return {stop.node, layer_name(stop.layer), phrase(stop.where), phrase(stop.why),       words.evidence(stop.evidence),
          {},        stop.why.reason,        stop.where,         phrase_alone(stop.why), stop.in_tunnel};
}

NatReport report_nat(const NatEvent& e, const Words& words) {
  const auto side = [&](const Tuple& t) {
    const bool ports = t.proto == ip_proto::tcp || t.proto == ip_proto::udp || t.proto == ip_proto::sctp;
    return e.source ? seen(t.src, t.sport, ports) : seen(t.dst, t.dport, ports);
  };
  NatReport report{e.node, e.by, side(e.before), side(e.after), words.evidence(e.evidence), {}};
  if (e.port_open) report.to.port.reset();
  return report;
}

void report_seen(const WalkedPath& walked, PathReport& path) {
  const Tuple t = tuple_of(walked.received);
  const bool ports = has_ports(walked.received);
  path.source_seen = seen(t.src, t.sport, ports && !walked.network_state.is_port_open(t, true));
  path.destination_seen = seen(t.dst, t.dport, ports && !walked.network_state.is_port_open(t, false));
}

// The test of an ACL comes some tables before the drop that it asks for.
void name_stop(StopReport& stop, std::size_t hops, const std::function<const Hop&(std::size_t)>& hop_at) {
  constexpr std::size_t kNear = 12;
  if (stop.layer != "ovs" && stop.layer != "ovn") return;
  for (std::size_t i = hops; i-- > 0 && i + kNear >= hops && stop.rows.empty();) {
    const Hop& hop = hop_at(i);
    if (hop.node != stop.node) return;
    for (const RowRef& row : hop.rows)
      if (row.table == "ACL" || row.table == "Logical_Router_Policy") stop.rows.push_back(row);
  }
}

bool routes_to_group(const engine::Step& step, const IpAddr& to) {
  const auto* lookup = std::get_if<engine::RouteLookup>(&step.kind);
  if (lookup == nullptr || lookup->reverse_path || lookup->route == nullptr || lookup->route->to.address != to) return false;
  return lookup->route->type == host::RouteType::broadcast || lookup->route->type == host::RouteType::anycast;
}

void report_group(const WalkedPath& walked, const Words& words, PathReport& path) {
  const FlowKey& packet = is_ip(walked.received) ? walked.received : walked.sent;
  if (!is_ip(packet)) return;
  const IpAddr to = dst_ip(packet);
  const auto is_broadcast = [&](const host::Link& link) { return engine::is_broadcast_of(link, to); };
  path.is_for_group = to.is_multicast() || (to.is_v4() && to.as_v4() == 0xffffffff);
  if (walked.end.node != nullptr) {
    const auto& links = walked.end.node->host.links.value;
    path.is_for_group |= std::any_of(links.begin(), links.end(), is_broadcast);
  }
  const auto& steps = walked.record.steps;
  path.is_for_group |= std::any_of(steps.begin(), steps.end(), [&](const engine::Step& s) { return routes_to_group(s, to); });
  if (path.is_for_group) assume({engine::Supposition::no_other_receiver, {to}}, words, path);
}

void report_ovn(const WalkedPath& walked, const Words& words, PathReport& path) {
  path.ovn_nodes = nodes_of_ovn(walked, words.cluster(), words.names());
  if (const auto assumed = assumed_of_physical_flows(walked, words.cluster(), words.names())) assume(*assumed, words, path);
}

PathReport report_verdict(const WalkedPath& walked) {
  PathReport path;
  path.verdict = walked.verdict;
  path.confidence = walked.assumed() ? Confidence::assumed : Confidence::proven;
  path.refusal_accepted = walked.refusal_accepted;
  path.size_learned = walked.size_learned;
  path.largest = walked.record.largest;
  path.weight = weight_of(walked);
  path.choices = report_choices(walked);
  if (walked.egress) path.egress = EgressReport{walked.egress->node, walked.egress->device};
  return path;
}

PathReport report_path(const WalkedPath& walked, const Words& words, const Subject& from, const Before& before,
                       const HopOptions& hops) {
  PathReport path = report_verdict(walked);
  if (hops.all_paths || walked.verdict != Verdict::delivered) report_hops(walked, words, hops.registers, path);
  const std::vector<std::size_t> order = sighting_order(walked.record);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Sighting& seen = walked.record.sightings[i];
    path.sightings.push_back(report_sighting(seen, walked.network_state, words.cluster().node(seen.node)));
    path.sightings.back().hop = order[i];
  }
  for (const NatEvent& e : walked.record.nat) (e.source ? path.snat : path.dnat).push_back(report_nat(e, words));
  name_nat(path.snat, path.hops);
  name_nat(path.dnat, path.hops);
  path.tunnels = walked.record.tunnels;
  for (const Assumption& a : walked.record.assumptions) assume(a, words, path);
  compare_groups(walked, words, path);
  report_ovn(walked, words, path);
  report_group(walked, words, path);
  path.gaps = distinct(walked.record.gaps, words.cluster());
  // A path that is not proven names why.
  if (walked.undecided && path.gaps.empty() && path.assumptions.empty())
    path.gaps.push_back(gap_of_unknown_part(walked.stop ? walked.stop->node : ""));
  path.end_name = end_name(walked, words);
  if (walked.verdict == Verdict::delivered) {
    report_seen(walked, path);
    path.summary = sentence_of_delivered(path, from.sender, walked.left_snapshot);
  } else {
    if (walked.stop) {
      path.stopped_at = report_stop(*walked.stop, words);
      name_stop(*path.stopped_at, path.hops.size(), [&](std::size_t i) -> const Hop& { return path.hops[i]; });
    }
    path.summary = sentence_of_stopped(path, {from.packet,
                                              logical_drop(walked, path),
                                              {deciding_rule(path), no_local_endpoint(walked, words.cluster()),
                                               what_went_before(before, walked, words.cluster())},
                                              path.stopped_at ? ending_rule(*path.stopped_at) : ""});
  }
  return path;
}

std::vector<ChoiceReport> report_choices(const WalkedPath& walked) {
  std::vector<ChoiceReport> choices;
  for (const MadeChoice& c : walked.choices)
    choices.push_back({c.step, c.point.node, what_of(c.point), phrase(c.point.options[c.chosen].label),
                       c.point.kind == ChoicePoint::Kind::unknown, why_of(c.point)});
  return choices;
}

std::optional<double> weight_of(const WalkedPath& walked) {
  double weight = 1;
  for (const MadeChoice& c : walked.choices) {
    if (c.point.kind == ChoicePoint::Kind::unknown) return std::nullopt;
    const auto& share = c.point.options[c.chosen].weight;
    if (!share) return std::nullopt;
    double total = 0;
    for (const Option& o : c.point.options) total += o.weight.value_or(0);
    if (total <= 0) return std::nullopt;
    weight *= *share / total;
  }
  return weight;
}

CommonVerdict common_verdict(const std::vector<PathReport>& paths) {
  if (paths.empty()) return Verdict::inconclusive;
  for (const PathReport& w : paths)
    if (w.verdict != paths.front().verdict) return std::nullopt;
  return paths.front().verdict;
}

Confidence common_confidence(const std::vector<PathReport>& paths) {
  const bool proven = !paths.empty() && std::all_of(paths.begin(), paths.end(),
                                                    [](const PathReport& w) { return w.confidence == Confidence::proven; });
  return proven ? Confidence::proven : Confidence::assumed;
}

std::string summary_of(const std::vector<PathReport>& paths, CommonVerdict verdict) { return sentence_of_all(paths, verdict); }

}  // namespace egt::explain
