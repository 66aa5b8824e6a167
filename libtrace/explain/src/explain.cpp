#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absent_sender.h"
#include "ambiguous_sender.h"
#include "conclusion.h"
#include "destinations.h"
#include "egtrace/engine/pod_sides.h"
#include "egtrace/explain/collection_limits.h"
#include "egtrace/explain/entry_names.h"
#include "egtrace/explain/explainer.h"
#include "excerpt_path.h"
#include "follow_up.h"
#include "intent.h"
#include "lagging_nodes.h"
#include "line_remark.h"
#include "listener.h"
#include "names.h"
#include "other_network.h"
#include "packet_of.h"
#include "phrases/outcome.h"
#include "phrases/walks.h"
#include "phrases/words.h"
#include "reasons.h"
#include "report.h"
#include "within_pod.h"

namespace egt::explain {
namespace {

using engine::Journey;
using engine::Start;
using engine::WalkedPath;

// Of the paths that are reported, with their replies and later packets.
constexpr std::size_t kMostHops = 50'000;

std::size_t count_hops(const PathReport& path) {
  std::size_t hops = path.hops.size();
  for (const auto* follow : {&path.reply, &path.continued})
    for (const FollowUp& f : *follow)
      for (const PathReport& p : f.paths) hops += count_hops(p);
  return hops;
}

bool has_handshake(const FlowKey& packet) {
  const std::uint64_t proto = packet.u64(FieldId::nw_proto);
  return proto == ip_proto::tcp || proto == ip_proto::sctp;
}

// The first packet of TCP has 20 bytes of options (tcp_syn_options()), over IPv6 behind the longer header.
engine::JourneyOptions options_of(const Question& q, const FlowKey& packet) {
  constexpr std::uint32_t kSynOverIpv6 = 80;
  engine::JourneyOptions options;
  if (packet.u64(FieldId::nw_proto) == ip_proto::tcp && packet.u32(FieldId::eth_type) == ethertype::ipv6)
    options.packet_length = kSynOverIpv6 + kEthernetHeader;
  options.note_misses = q.near_misses;
  options.note_shadowed = q.counters;
  options.may_fragment = !q.dont_fragment;
  if (q.size && has_handshake(packet)) options.later_length = *q.size + kEthernetHeader;
  if (q.size && !has_handshake(packet)) options.packet_length = *q.size + kEthernetHeader;
  options.as_intended = q.as_intended;
  return options;
}

EndReport end_report(const Resolved& r, const IpAddr& address) {
  return {r.kind, r.name, r.node, address.is_unspecified() ? "" : address.to_string()};
}

// What a sentence calls the sender.
std::string sender_name(const Resolved& from, const Point& point) {
  if (!from.name.empty()) return from.name;
  return point.ip ? point.ip->to_string() : point.text;
}

void fill_listener(const ListenerEvidence& found, const WalkedPath& walked, PathReport& path, const Words& words) {
  path.listener = found.listener;
  if (!found.unless_redirected) return;
  path.assumptions.push_back({phrase(LineStatement{LineRemark::redirects_nothing, {walked.end.pod.name}}),
                              phrase(LineStatement{LineRemark::rules_not_shown}), words.evidence({found.from})});
  path.confidence = Confidence::assumed;
}

template <class T>
void add_new(std::vector<T>& all, const T& one) {
  if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
}

void keep_smaller(std::optional<engine::SizeLimit>& known, const std::optional<engine::SizeLimit>& other) {
  if (other && (!known || other->bytes < known->bytes)) known = other;
}

std::optional<LargestPacket> largest_packet(const std::vector<PathReport>& paths, const Words& words) {
  std::optional<engine::SizeLimit> least;
  for (const PathReport& path : paths) {
    keep_smaller(least, path.largest);
    for (const FollowUp& after : path.reply)
      for (const PathReport& back : after.paths) keep_smaller(least, back.largest);
  }
  if (!least) return std::nullopt;
  return LargestPacket{least->bytes, least->node, least->device, words.evidence({least->from}),
                       least->by == engine::SizeLimit::By::flow};
}

void gather_assumptions(const PathReport& path, Explanation& e) {
  for (const AssumptionReport& a : path.assumptions)
    if (std::none_of(e.assumptions.begin(), e.assumptions.end(),
                     [&](const AssumptionReport& b) { return a.what == b.what && a.why == b.why; }))
      e.assumptions.push_back(a);
}

// What replies rest on, the answer rests on.
void gather(Explanation& e) {
  for (const PathReport& w : e.paths) {
    for (const Gap& g : w.gaps) add_new(e.gaps, g);
    gather_assumptions(w, e);
  }
  for (const PathReport& w : e.paths)
    for (const FollowUp& reply : w.reply)
      for (const PathReport& back : reply.paths) gather_assumptions(back, e);
}

// A question that names the node of arrival does not ask the nodes outside the cluster: neither those on the path nor,
// where it is one of them, the sender.
engine::Endpoint beyond_routers(engine::Endpoint from) {
  if (from.kind != engine::Endpoint::Kind::process) return from;
  const auto& roles = from.node->roles;
  if (roles.empty() || std::find(roles.begin(), roles.end(), cluster::Role::cluster_node) != roles.end()) return from;
  engine::Endpoint outside;
  outside.kind = engine::Endpoint::Kind::outside;
  return outside;
}

// An address that no dump places on a node starts outside the cluster, unless there is no node to arrive at: then
// all there is are excerpts, and the address may well be a pod's.
bool can_start(const Resolved& from, const cluster::Cluster& cluster) {
  if (!from.place) return false;
  if (from.place->kind != engine::Endpoint::Kind::outside) return true;
  return std::any_of(cluster.nodes.begin(), cluster.nodes.end(), [](const auto& node) { return node.links().present; });
}

// Whether the walk could not even begin, in a snapshot of nothing but excerpts: then their lines are shown one by one.
bool has_only_lines(const std::vector<WalkedPath>& walked_paths, const cluster::Cluster& cluster) {
  const bool walked = std::any_of(walked_paths.begin(), walked_paths.end(), [](const WalkedPath& c) {
    return c.verdict != engine::Verdict::inconclusive || !c.record.steps.empty();
  });
  if (walked) return false;
  for (const auto& node : cluster.nodes) node.get();  // which shows what its dumps are
  return std::all_of(cluster.dumps.begin(), cluster.dumps.end(),
                     [](const cluster::DumpInfo& d) { return d.partial || d.node.empty(); });
}

// What the sender's kernel made of the packet.
void fill_sent(Explanation& e, const std::vector<WalkedPath>& walked_paths) {
  if (walked_paths.empty()) return;
  const FlowKey& sent = walked_paths.front().sent;
  if (!is_ip(sent)) return;
  const Tuple t = tuple_of(sent);
  if (!t.src.is_unspecified()) e.packet.src = t.src.to_string();
}

PacketReport packet_report(const Asked& asked) {
  const Tuple t = tuple_of(asked.packet);
  PacketReport report{asked.src.is_unspecified() ? "" : asked.src.to_string(), asked.dst.to_string(),
                      proto_name(t.proto, asked.dst.family), std::nullopt, std::nullopt};
  if (has_ports(asked.packet)) {
    report.sport = t.sport;
    report.dport = t.dport;
  }
  return report;
}

// A question of which the ends are known.
struct Inquiry {
  const Question& question;
  const Resolved& from;
  const Asked& asked;
  Journey journey;

  std::string sender() const { return sender_name(from, question.from); }
};

Start start_of(const Inquiry& of) {
  const Question& q = of.question;
  Start start;
  start.from = q.arrive_at.empty() ? *of.from.place : beyond_routers(*of.from.place);
  start.from.address = of.asked.src;
  start.packet = of.asked.packet;
  start.choose_source = of.asked.choose_source;
  start.own_ttl = !q.ttl && start.from.kind == engine::Endpoint::Kind::process;
  start.smac = q.smac;
  start.dmac = q.dmac;
  start.arrive_at = q.arrive_at;
  start.in_device = q.in_dev;
  return start;
}

}  // namespace

// What all threads share.
struct Explainer::Prepared {
  Prepared(const cluster::Cluster& c, const cluster::Collection* how) : Prepared(c, how, LaggingNodes(c)) {}
  Prepared(const cluster::Cluster& c, const cluster::Collection* how, LaggingNodes l)
      : cluster(c),
        collection(how),
        names(c),
        words(c, names),
        intents(c, words),
        journey(c),
        connections(engine::initial_network_state(c, true)),
        lagging(std::move(l)),
        listeners(c) {}

  void report_lines(const Inquiry& of, Explanation& e) const;
  void report_walks(const Inquiry& of, Explanation& e) const;
  PathReport report_walk(const Inquiry& of, const Start& start, const WalkedPath& walked) const;

  const cluster::Cluster& cluster;
  const cluster::Collection* collection;
  Names names;
  Words words;
  IntentChecker intents;
  Journey journey;  // of which each session has a copy
  engine::NetworkState connections, no_connections;
  LaggingNodes lagging;
  Listeners listeners;
};

namespace {

// A pod that leaves with its own address is answered where routers outside have a route to it: by BGP, of advertised networks.
void assume_route_back(const Start& start, const WalkedPath& walked, const Words& words, PathReport& path) {
  const cluster::Cluster& cluster = words.cluster();
  const bool pod = start.from.kind == engine::Endpoint::Kind::pod && walked.verdict == engine::Verdict::delivered;
  if (!pod || !walked.left_snapshot || !walked.egress || src_ip(walked.received) != start.from.address) return;
  const auto is_router = [&](const engine::Step& step) {
    const cluster::Node* node = cluster.node(step.node);
    return node != nullptr && std::find(node->roles.begin(), node->roles.end(), cluster::Role::cluster_node) == node->roles.end();
  };
  const auto& steps = walked.record.steps;
  if (std::any_of(steps.begin(), steps.end(), is_router)) return;  // its table decides
  const cluster::RouteAdvertisement* by = advertisement_of(cluster.objects, start.from.pod.network);
  engine::Assumption route{
      by != nullptr ? engine::Supposition::advertised_route_back : engine::Supposition::unexplained_route_back,
      {start.from.address, walked.egress->node}};
  if (by != nullptr) route.because = {by->name}, route.evidence = {by->from};
  assume(route, words, path);
}

}  // namespace

// What one thread keeps.
struct Explainer::Session {
  explicit Session(Journey own) : journey(std::move(own)) {}

  // Of logical flows there is another one, with what it keeps of switches.
  const Journey& journey_of(const Question& q) {
    if (!q.as_intended) return journey;
    if (!intended) {
      engine::JourneyOptions options;
      options.as_intended = true;
      intended.emplace(journey.with(options));
    }
    return *intended;
  }

  Journey journey;
  std::optional<Journey> intended;
  Destinations destinations;
};

// What single lines show. Reports nothing where none of them matches and a path was reported before.
void Explainer::Prepared::report_lines(const Inquiry& of, Explanation& e) const {
  if (auto path = path_of_absent_sender(cluster, of.from, of.asked.packet, of.sender(), words)) {
    e.paths = {*std::move(path)};
    return;
  }
  PathReport lines = excerpt_path(cluster, names, words, of.asked.packet, of.sender());
  for (const PathReport& path : e.paths)
    for (const Gap& g : path.gaps) add_new(lines.gaps, g);
  if (lines.hops.empty() && !e.paths.empty()) return;
  e.paths = {std::move(lines)};
}

PathReport Explainer::Prepared::report_walk(const Inquiry& of, const Start& start, const WalkedPath& walked) const {
  const Question& q = of.question;
  const std::string sender = of.sender();
  PathReport path = q.only_deciding ? report_decision(walked, words)
                                    : report_path(walked, words, {sender, request_name(sender)}, {}, {q.registers, q.steps});
  fill_listener(listeners.of(walked), walked, path, words);
  assume_route_back(start, walked, words, path);
  path.has_handshake = has_handshake(of.asked.packet);
  if (!q.one_way && !q.established && !path.is_for_group && walked.verdict == engine::Verdict::delivered)
    follow_up(path, walked, {of.journey, start, q.size && has_handshake(of.asked.packet)}, words,
              q.only_deciding            ? HopsReported::deciding
              : q.steps && q.later_steps ? HopsReported::all
                                         : HopsReported::of_failed);
  return path;
}

void Explainer::Prepared::report_walks(const Inquiry& of, Explanation& e) const {
  const Question& q = of.question;
  const Start start = start_of(of);
  std::vector<WalkedPath> walked_paths = of.journey.explore(start, q.use_conntrack ? connections : no_connections, &e.truncated);
  if (q.established)
    if (std::vector<WalkedPath> later = established(of.journey, start, walked_paths, e.truncated); !later.empty())
      walked_paths = std::move(later);
  fill_sent(e, walked_paths);
  std::size_t hops = 0;
  for (const WalkedPath& walked : walked_paths) {
    if (hops > kMostHops) break;
    hops += count_hops(e.paths.emplace_back(report_walk(of, start, walked)));
  }
  if (e.paths.size() < walked_paths.size()) {
    e.truncated = true;
    walked_paths.erase(walked_paths.begin() + static_cast<std::ptrdiff_t>(e.paths.size()), walked_paths.end());
  }
  if (!q.only_deciding) report_checked(e, walked_paths, q, cluster);
  if (!q.only_deciding && q.steps) e.intent = intents.intent(start.from, walked_paths, e.paths);
  if (has_only_lines(walked_paths, cluster)) report_lines(of, e);
}

Explainer::Explainer(const cluster::Cluster& cluster, const cluster::Collection* collection)
    : Explainer(std::make_shared<const Prepared>(cluster, collection)) {}
Explainer::Explainer(std::shared_ptr<const Prepared> prepared)
    : prepared_(std::move(prepared)), session_(std::make_unique<Session>(prepared_->journey.for_thread())) {}
Explainer::~Explainer() = default;
Explainer::Explainer(Explainer&&) noexcept = default;

Explainer Explainer::for_another_thread() const { return Explainer(prepared_); }
Explainer Explainer::for_part(const cluster::Cluster& part) const {
  return Explainer(std::make_shared<const Prepared>(part, nullptr, LaggingNodes(part, prepared_->lagging)));
}

const cluster::Cluster& Explainer::cluster() const { return prepared_->cluster; }
const std::optional<Agreement>& Explainer::agreement(const cluster::Node& node) const {
  return prepared_->lagging.agreement(node);
}

Result<Explanation> explain(const cluster::Cluster& cluster, const Question& q) { return Explainer(cluster).explain(q); }

Result<Explanation> Explainer::explain(const Question& q) const {
  const Prepared& known = *prepared_;
  // Names that the snapshot lacks would make every answer wrong without a word.
  if (const auto unknown = unknown_entry(known.cluster, q.arrive_at, q.in_dev)) return Error{unknown->message};
  const engine::Workloads& workloads = known.journey.workloads();
  Result<Resolved> from = resolve(q.from, known.cluster, workloads);
  if (!from) return from.error();
  const bool sends_itself = q.arrive_at.empty() && q.in_dev.empty();
  if (const auto error = sends_itself ? ambiguous_sender(*from) : std::nullopt) return *error;
  Result<Resolved> to = session_->destinations.resolve(q.to, known.cluster, workloads, from->network.name);
  if (!to) return to.error();
  Result<Asked> asked = packet_of(q, *from, *to);
  const cluster::SeenNetworks seen = engine::seen_networks(workloads);
  std::optional<SendingNetwork> by;
  if (asked && sends_itself) by = sending_network(*from, asked->dst, known.cluster.objects, seen);
  if (by && !by->is_walked) {  // than the one with its default route
    Point on = q.from;
    on.network = by->name;
    from = resolve(on, known.cluster, workloads);
    if (!from) return from.error();
    from->network_given = false;
    to = session_->destinations.resolve(q.to, known.cluster, workloads, from->network.name);
    if (!to) return to.error();
    asked = packet_of(q, *from, *to);
  }
  if (!asked) return asked.error();

  const Inquiry inquiry{q, *from, *asked, session_->journey_of(q).with(options_of(q, asked->packet))};
  Explanation e;
  e.packet = packet_report(*asked);
  e.one_way = q.one_way;
  e.from = end_report(*from, asked->src);
  e.to = end_report(*to, asked->dst);
  if (auto inside = sends_itself ? path_within_pod(*from, *asked, known.words) : std::nullopt) {
    e.packet.src = inside->source_seen->ip;
    e.to = end_report(*from, asked->dst);  // loopback addresses are every node's
    e.paths = {*std::move(inside)};
  } else if (auto refused = path_without_network_port(known.cluster, *from, asked->packet, known.words)) {
    e.paths = {*std::move(refused)};
  } else if (auto open = path_on_other_network(*from, *to, asked->dst, known.words, seen)) {
    e.paths = {*std::move(open)};
  } else {
    can_start(*from, known.cluster) ? known.report_walks(inquiry, e) : known.report_lines(inquiry, e);
  }
  if (by && !by->is_usual)
    for (PathReport& path : e.paths)
      assume({engine::Supposition::pod_sends_by_network, {from->name, asked->dst, by->name}}, known.words, path);
  for (PathReport& path : e.paths) known.lagging.assume_current(path, known.words);
  if (known.collection != nullptr) undecide_what_was_replaced(*known.collection, e.paths);
  gather(e);
  if (!q.only_deciding && !q.one_way) e.largest = largest_packet(e.paths, known.words);
  e.verdict = common_verdict(e.paths);
  conclude(e, q);
  if (!q.only_deciding) e.summary = outcome_clause(e);
  if (known.collection != nullptr) assume_collection(*known.collection, *known.cluster.sources, e);
  return e;
}

}  // namespace egt::explain
