#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "agreement.h"
#include "egtrace/explain/doubts.h"
#include "egtrace/explain/explainer.h"
#include "excerpt_way.h"
#include "names.h"
#include "packet_of.h"
#include "promises.h"
#include "reasons.h"
#include "report.h"
#include "words.h"

namespace egt::explain {
namespace {

using engine::Course;
using engine::Journey;
using engine::Start;

EndReport end_report(const Resolved& r, const IpAddr& address) {
  return {r.kind, r.name, r.node, address.is_unspecified() ? "" : address.to_string()};
}

// What a sentence calls the sender.
std::string sender_name(const Resolved& from, const Point& point) {
  if (!from.name.empty()) return from.name;
  return point.ip ? point.ip->to_string() : point.text;
}

// What was assumed of the packets before is assumed of those that follow as well.
WayReport report_after(Course course, const Before& before, const Words& words, const std::string& packet, bool all_hops) {
  course.undecided |= before.request->assumed();
  return report_way(course, words, {packet, packet}, before, {true, all_hops});
}

void conclude(FollowUp& f) {
  f.verdict = common_verdict(f.ways);
  f.confidence = common_confidence(f.ways);
  f.summary = summary_of(f.ways, f.verdict);
}

std::string receiver_name(const Course& course) {
  if (course.end.kind == engine::Endpoint::Kind::pod) return course.end.pod.name;
  return course.end.node != nullptr ? course.end.node->name : "the receiver";
}

// The answer, and where it arrives, the packet that follows it.
void follow_up(WayReport& way, const Journey& journey, const Start& start, const Course& forward, const Words& words,
               const std::string& sender, bool all_hops) {
  FollowUp reply, continued;
  for (const Course& answer : journey.explore_reply(start, forward)) {
    std::vector<Course> nexts;
    if (answer.verdict == engine::Verdict::delivered) nexts = journey.explore_continued(start, forward, answer);
    // What ends the next packet may be what the answer left behind.
    const bool may_be_why = std::any_of(nexts.begin(), nexts.end(), [](const Course& next) {
      return next.verdict != engine::Verdict::delivered;
    });
    reply.ways.push_back(report_after(answer, {&forward, nullptr, nullptr}, words, receiver_name(forward) + "'s answer",
                                      all_hops || may_be_why));
    for (const Course& next : nexts)
      continued.ways.push_back(
          report_after(next, {&forward, &answer, &reply.ways.back()}, words, sender + "'s next packet", all_hops));
  }
  conclude(reply);
  if (reply.ways.empty()) reply.summary = "the receiver is not in the snapshot, so neither is its answer";
  way.reply.push_back(std::move(reply));
  if (continued.ways.empty()) return;
  conclude(continued);
  way.continued.push_back(std::move(continued));
}

// The courses of a packet in the middle of a connection: the ones that follow a first packet and its answer. Where no
// first packet gets through and back, there is no such connection, and the first packet's fate is all there is to tell.
std::vector<Course> established(const Journey& journey, const Start& start, const std::vector<Course>& first) {
  std::vector<Course> courses;
  for (const Course& forward : first) {
    if (forward.verdict != engine::Verdict::delivered) continue;
    for (const Course& answer : journey.explore_reply(start, forward)) {
      if (answer.verdict != engine::Verdict::delivered) continue;
      for (Course& next : journey.explore_continued(start, forward, answer)) {
        next.undecided |= forward.assumed() || answer.assumed();
        courses.push_back(std::move(next));
      }
    }
  }
  return courses;
}

template <class T>
void add_new(std::vector<T>& all, const T& one) {
  if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
}

void gather(Explanation& e) {
  for (const WayReport& w : e.ways) {
    for (const Gap& g : w.gaps) add_new(e.gaps, g);
    for (const AssumptionReport& a : w.assumptions)
      if (std::none_of(e.assumptions.begin(), e.assumptions.end(),
                       [&](const AssumptionReport& b) { return a.what == b.what && a.why == b.why; }))
        e.assumptions.push_back(a);
  }
}

// Who says at which node the packet arrives does not ask the machines outside the cluster: neither those on the way nor,
// where it is one of them, the sender.
engine::Endpoint beyond_routers(engine::Endpoint from) {
  if (from.kind != engine::Endpoint::Kind::process) return from;
  const auto& roles = from.node->roles;
  if (roles.empty() || std::find(roles.begin(), roles.end(), cluster::Role::cluster_node) != roles.end()) return from;
  engine::Endpoint outside;
  outside.kind = engine::Endpoint::Kind::outside;
  return outside;
}

// An address that no dump places on a machine starts outside the cluster, unless there is no machine to arrive at: then
// all there is are excerpts, and the address may well be a pod's.
bool can_start(const Resolved& from, const cluster::Cluster& cluster) {
  if (!from.place) return false;
  if (from.place->kind != engine::Endpoint::Kind::outside) return true;
  return std::any_of(cluster.nodes.begin(), cluster.nodes.end(),
                     [](const auto& node) { return node->host.links.present; });
}

// Whether the walk could not even begin, in a snapshot of nothing but excerpts: then their lines are told one by one.
bool has_only_lines(const std::vector<Course>& courses, const cluster::Cluster& cluster) {
  const bool walked = std::any_of(courses.begin(), courses.end(), [](const Course& c) {
    return c.verdict != engine::Verdict::inconclusive || !c.record.steps.empty();
  });
  return !walked && std::all_of(cluster.dumps.begin(), cluster.dumps.end(),
                                [](const cluster::DumpInfo& d) { return d.partial || d.node.empty(); });
}

// Machines on which the packet met flows that OVN made, or that stand where only OVN makes some.
std::set<std::string> nodes_of_ovn(const Course& course, const cluster::Cluster& cluster, const Names& names) {
  std::set<std::string> nodes;
  for (const engine::Step& step : course.record.steps) {
    const auto* match = std::get_if<engine::TableMatch>(&step.kind);
    if (match == nullptr || nodes.contains(step.node)) continue;
    const cluster::Node* node = cluster.node(step.node);
    if (node == nullptr || match->cookie == 0) continue;
    if (match->on == node->integration_bridge() || names.has_logical_flow(*node, match->cookie)) nodes.insert(step.node);
  }
  return nodes;
}

std::set<std::string> nodes_of_ovn(const WayReport& way) {
  std::set<std::string> nodes;
  for (const Hop& hop : way.hops)
    if (!hop.lflows.empty()) nodes.insert(hop.node);
  return nodes;
}

// What a node was told since, or was not told yet, may change the packet's way: its flows are certain, what OVN wants is
// not.
void doubt_lagging_nodes(Explanation& e, const std::vector<std::set<std::string>>& nodes_of_ways,
                         const cluster::Cluster& cluster, const Words& words,
                         std::map<std::string, std::optional<Agreement>>& judged) {
  for (std::size_t i = 0; i < e.ways.size(); ++i) {
    WayReport& way = e.ways[i];
    for (const std::string& name : nodes_of_ways[i]) {
      const auto [at, fresh] = judged.try_emplace(name);
      if (const cluster::Node* node = cluster.node(name); fresh && node != nullptr) at->second = agreement_of(cluster, *node);
      if (!at->second || at->second->complete()) continue;
      std::vector<Provenance> from;
      for (const auto* some : {&at->second->missing, &at->second->orphaned})
        if (!some->empty()) from.push_back(some->front());
      way.assumptions.push_back({fmt::format("the flows of {} stay as they are", name),
                                 fmt::format("they are not what OVN says: {} logical flows have no OpenFlow flow, {} cookies "
                                             "have no logical flow", at->second->missing.size(), at->second->orphaned.size()),
                                 words.evidence(from)});
      way.confidence = "assumed";
    }
  }
}

void fill_sent(Explanation& e, const std::vector<Course>& courses) {
  if (courses.empty()) return;
  const FlowKey& sent = courses.front().sent;
  if (!is_ip(sent)) return;
  const Tuple t = tuple_of(sent);
  if (!t.src.is_unspecified()) e.packet.src = t.src.to_string();
}

// What the last few destinations turned out to be: many senders are asked about the same one.
class Destinations {
 public:
  Result<Resolved> resolve(const Point& point, const cluster::Cluster& cluster, const engine::Workloads& workloads) {
    for (const auto& [asked, resolved] : known_)
      if (asked == point) return resolved;
    Result<Resolved> fresh = explain::resolve(point, cluster, workloads);
    if (!fresh) return fresh;
    constexpr std::size_t kMost = 8;
    if (known_.size() < kMost) known_.emplace_back();
    known_[next_] = {point, *fresh};
    next_ = (next_ + 1) % kMost;
    return fresh;
  }

 private:
  std::vector<std::pair<Point, Resolved>> known_;
  std::size_t next_ = 0;
};

}  // namespace

struct Explainer::Prepared {
  Prepared(const cluster::Cluster& c, const cluster::Collection* how)
      : cluster(c), collection(how), names(c), words(c, names), promises(c, words), journey(c), connections(engine::initial_world(c, true)) {}

  const cluster::Cluster& cluster;
  const cluster::Collection* collection;
  Names names;
  Words words;
  Promises promises;
  Journey journey;
  std::map<std::string, std::optional<Agreement>> judged;   // by node
  engine::World connections, no_connections;
  Destinations destinations;
};

Explainer::Explainer(const cluster::Cluster& cluster, const cluster::Collection* collection)
    : prepared_(std::make_unique<Prepared>(cluster, collection)) {}
Explainer::~Explainer() = default;

const cluster::Cluster& Explainer::cluster() const { return prepared_->cluster; }

Result<Explanation> explain(const cluster::Cluster& cluster, const Question& q) { return Explainer(cluster).explain(q); }

Result<Explanation> Explainer::explain(const Question& q) const {
  const cluster::Cluster& cluster = prepared_->cluster;
  const Names& names = prepared_->names;
  const Words& words = prepared_->words;
  engine::JourneyOptions noting;
  noting.note_misses = q.passed_over;
  noting.note_beaten = q.counters;
  const Journey journey = prepared_->journey.with(noting);
  Result<Resolved> from = resolve(q.from, cluster, journey.workloads());
  if (!from) return from.error();
  Result<Resolved> to = prepared_->destinations.resolve(q.to, cluster, journey.workloads());
  if (!to) return to.error();
  Result<Asked> asked = packet_of(q, *from, *to);
  if (!asked) return asked.error();

  Explanation e;
  std::vector<std::set<std::string>> ovn_nodes;   // by way
  const Tuple t = tuple_of(asked->packet);
  e.packet = {asked->src.is_unspecified() ? "" : asked->src.to_string(), asked->dst.to_string(),
              proto_name(t.proto, asked->dst.family), std::nullopt, std::nullopt};
  if (has_ports(asked->packet)) {
    e.packet.sport = t.sport;
    e.packet.dport = t.dport;
  }
  e.from = end_report(*from, asked->src);
  e.to = end_report(*to, asked->dst);

  if (!can_start(*from, cluster)) {
    e.ways.push_back(excerpt_way(cluster, names, words, asked->packet, sender_name(*from, q.from)));
    ovn_nodes.push_back(nodes_of_ovn(e.ways.back()));
  } else {
    Start start;
    start.from = q.arrive_at.empty() ? *from->place : beyond_routers(*from->place);
    start.from.address = asked->src;
    start.packet = asked->packet;
    start.choose_source = asked->choose_source;
    start.smac = q.smac;
    start.dmac = q.dmac;
    start.arrive_at = q.arrive_at;
    start.in_device = q.in_dev;
    const engine::World& world = q.use_conntrack ? prepared_->connections : prepared_->no_connections;
    std::vector<Course> courses = journey.explore(start, world, &e.truncated);
    if (q.established)
      if (std::vector<Course> later = established(journey, start, courses); !later.empty()) courses = std::move(later);
    fill_sent(e, courses);
    for (const Course& course : courses) {
      ovn_nodes.push_back(nodes_of_ovn(course, cluster, names));
      if (q.only_deciding) {
        e.ways.push_back(report_decision(course, words));
        continue;
      }
      const std::string sender = sender_name(*from, q.from);
      e.ways.push_back(report_way(course, words, {sender, "the packet from " + sender}, {}, {q.registers, q.steps}));
      if (q.reply && course.verdict == engine::Verdict::delivered)
        follow_up(e.ways.back(), journey, start, course, words, sender, q.steps);
    }
    if (!q.only_deciding && q.steps) e.disagreements = prepared_->promises.broken(start.from, courses, e.ways);
    if (has_only_lines(courses, cluster)) {
      WayReport lines = excerpt_way(cluster, names, words, asked->packet, sender_name(*from, q.from));
      for (const WayReport& way : e.ways)
        for (const Gap& g : way.gaps) add_new(lines.gaps, g);
      if (!lines.hops.empty()) {
        ovn_nodes = {nodes_of_ovn(lines)};
        e.ways = {std::move(lines)};
      }
    }
  }
  doubt_lagging_nodes(e, ovn_nodes, cluster, words, prepared_->judged);
  if (prepared_->collection != nullptr) leave_open_what_was_replaced(*prepared_->collection, e.ways);
  gather(e);
  e.verdict = common_verdict(e.ways);
  e.confidence = e.truncated ? "assumed" : common_confidence(e.ways);
  if (!q.only_deciding) e.summary = summary_of(e.ways, e.verdict) + afterwards(e.ways);
  if (prepared_->collection != nullptr) take_doubts(*prepared_->collection, *cluster.sources, e);
  return e;
}

}  // namespace egt::explain
