#include <fmt/format.h>

#include <algorithm>

#include "egtrace/explain/explanation.h"
#include "excerpt_way.h"
#include "names.h"
#include "packet_of.h"
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

FollowUp report_reply(const Journey& journey, const Start& start, const Course& forward, const Words& words) {
  FollowUp reply;
  const std::string sender = forward.end.kind == engine::Endpoint::Kind::pod
                                 ? forward.end.pod.name
                                 : forward.end.node != nullptr ? forward.end.node->name : "the receiver";
  for (const Course& c : journey.explore_reply(start, forward)) {
    Course whole = c;
    // What was assumed on the way there is assumed of the answer as well.
    whole.undecided |= forward.assumed();
    reply.ways.push_back(report_way(whole, words, sender + "'s answer"));
  }
  reply.verdict = common_verdict(reply.ways);
  reply.confidence = common_confidence(reply.ways);
  reply.summary = reply.ways.empty() ? "the receiver is not in the snapshot, so neither is its answer"
                                     : summary_of(reply.ways, reply.verdict);
  return reply;
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

// An address that no dump places on a machine starts outside the cluster, unless there is no machine to arrive at: then
// all there is are excerpts, and the address may well be a pod's.
bool can_start(const Resolved& from, const cluster::Cluster& cluster) {
  if (!from.place) return false;
  if (from.place->kind != engine::Endpoint::Kind::outside) return true;
  return std::any_of(cluster.nodes.begin(), cluster.nodes.end(),
                     [](const auto& node) { return node->host.links.present; });
}

void fill_sent(Explanation& e, const std::vector<Course>& courses) {
  if (courses.empty()) return;
  const FlowKey& sent = courses.front().sent;
  if (!is_ip(sent)) return;
  const Tuple t = tuple_of(sent);
  if (!t.src.is_unspecified()) e.packet.src = t.src.to_string();
}

}  // namespace

Result<Explanation> explain(const cluster::Cluster& cluster, const Question& q) {
  Result<Resolved> from = resolve(q.from, cluster);
  if (!from) return from.error();
  Result<Resolved> to = resolve(q.to, cluster);
  if (!to) return to.error();
  Result<Asked> asked = packet_of(q, *from, *to);
  if (!asked) return asked.error();

  Explanation e;
  const Tuple t = tuple_of(asked->packet);
  e.packet = {asked->src.is_unspecified() ? "" : asked->src.to_string(), asked->dst.to_string(),
              proto_name(t.proto, asked->dst.family), std::nullopt, std::nullopt};
  if (has_ports(asked->packet)) {
    e.packet.sport = t.sport;
    e.packet.dport = t.dport;
  }
  e.from = end_report(*from, asked->src);
  e.to = end_report(*to, asked->dst);

  const Names names(cluster);
  const Words words(cluster, names);
  if (!can_start(*from, cluster)) {
    e.ways.push_back(excerpt_way(cluster, names, words, asked->packet, sender_name(*from, q.from)));
  } else {
    Start start;
    start.from = *from->place;
    start.from.address = asked->src;
    start.packet = asked->packet;
    start.choose_source = asked->choose_source;
    start.smac = q.smac;
    start.dmac = q.dmac;
    start.arrive_at = q.arrive_at;
    start.in_device = q.in_dev;
    const Journey journey(cluster);
    const std::vector<Course> courses =
        journey.explore(start, engine::initial_world(cluster, q.use_conntrack), &e.truncated);
    fill_sent(e, courses);
    for (const Course& course : courses) {
      e.ways.push_back(report_way(course, words, sender_name(*from, q.from)));
      if (q.reply && course.verdict == engine::Verdict::delivered)
        e.ways.back().reply.push_back(report_reply(journey, start, course, words));
    }
  }
  gather(e);
  e.verdict = common_verdict(e.ways);
  e.confidence = e.truncated ? "assumed" : common_confidence(e.ways);
  e.summary = summary_of(e.ways, e.verdict);
  return e;
}

}  // namespace egt::explain
