#include "forecast.h"

#include <algorithm>
#include <set>

#include "egtrace/engine/workload.h"
#include "egtrace/packet/packet.h"

namespace egt::explain::capture_study {
namespace {

// Keeps of paths what captures are compared with: there may be a walk for each of a hundred thousand flows.
void slim(std::vector<PathReport>& paths) {
  for (PathReport& path : paths) {
    for (std::vector<FollowUp>* follow_ups : {&path.reply, &path.continued})
      for (FollowUp& f : *follow_ups) slim(f.paths);
    PathReport kept;
    kept.verdict = path.verdict;
    kept.outcome = path.outcome;
    kept.has_handshake = path.has_handshake;
    kept.choices = std::move(path.choices);
    kept.destination_seen = std::move(path.destination_seen);
    kept.summary = std::move(path.summary);
    kept.source_seen = std::move(path.source_seen);
    kept.stopped_at = std::move(path.stopped_at);
    kept.sightings = std::move(path.sightings);
    kept.reply = std::move(path.reply);
    kept.continued = std::move(path.continued);
    path = std::move(kept);
  }
}

Predicted predicted(const PlannedPath& plan, const OwnEnds& ends, bool reply) {
  return {plan.path, Rows(plan.rows, ends, reply), ends, reply};
}

// Whether one of the rows is at a place that saw the flow; cheap, before rows are copied.
bool leads_through(const PathReport& path, const Flow& flow) {
  return std::any_of(flow.parts.begin(), flow.parts.end(), [&](const FlowPart& part) {
    return std::any_of(path.sightings.begin(), path.sightings.end(), [&](const SightingReport& row) {
      return row.node == part.place.node() && row.device == part.place.device();
    });
  });
}

// What senders start with: the defaults of operating systems, and the small ones of traceroute.
bool is_start_ttl(int ttl) { return ttl <= 32 || ttl == 60 || ttl == 64 || ttl == 128 || ttl == 200 || ttl == 255; }

// Whether the sender that the rows begin with would have started with a TTL that senders start with.
bool ttl_fits(const Rows& rows, const Flow& flow) {
  for (const FlowPart& part : flow.parts) {
    if (part.reply || part.track->is_error() || part.track->key.ttl == 0) continue;
    if (const std::size_t row = match(rows, part); row != kNoRow)
      return is_start_ttl(rows.sighting(0).ttl + part.track->key.ttl - rows.sighting(row).ttl);
  }
  return true;
}

struct Fit {
  std::size_t matched = 0, conflicting = 0, other_macs = 0;
  bool from_start = false;
};

// Which of several next hops was taken shows in the MAC address alone where the next node was not captured.
bool other_receiver(const PredictedRow& row, const TrackKey& seen) {
  return !row.sighting->dmac.empty() && seen.dmac != 0 && row.dmac != seen.dmac;
}

// How well rows fit with what was seen; `reply` picks the direction's parts.
Fit fit(const Rows& rows, const Flow& flow, bool reply) {
  enum : std::uint8_t { not_seen, seen, seen_for_another };
  std::vector<std::uint8_t> state(rows.size(), not_seen);
  std::size_t behind_last = 0;
  for (const FlowPart& part : flow.parts)
    if (part.reply == reply && !part.track->is_error())
      if (const std::size_t row = match(rows, part); row != kNoRow) {
        const bool other = other_receiver(rows[row], part.track->key);
        if (state[row] != seen_for_another) state[row] = other ? seen_for_another : seen;
        behind_last = std::max(behind_last, row + 1);
      }
  Fit f;
  for (std::size_t i = 0; i < behind_last; ++i) {
    if (state[i] != not_seen)
      ++f.matched;
    else if (rows[i].captured)
      ++f.conflicting;
    if (state[i] == seen_for_another) ++f.other_macs;
  }
  f.from_start = f.matched > 0 && (state[0] != not_seen || f.conflicting == 0);
  return f;
}

// Places count before MAC addresses.
std::pair<long, long> worth(const Fit& f) {
  return {2 * static_cast<long>(f.matched) - static_cast<long>(f.conflicting), -static_cast<long>(f.other_macs)};
}

const PlannedPath* best_path(const std::vector<PlannedPath>& paths, const Flow& flow, bool reply, const OwnEnds& ends,
                             Fit* fitness = nullptr) {
  const PlannedPath* best = nullptr;
  Fit best_fit;
  for (const PlannedPath& path : paths) {
    const Fit f = fit(Rows(path.rows, ends, reply), flow, reply);
    if (best != nullptr && worth(f) <= worth(best_fit)) continue;
    best = &path;
    best_fit = f;
  }
  if (fitness != nullptr) *fitness = best_fit;
  return best;
}

}  // namespace

std::vector<PlannedPath> Forecaster::plan(const std::vector<PathReport>& paths) const {
  std::vector<PlannedPath> all;
  for (const PathReport& path : paths) {
    PlannedPath p;
    p.path = &path;
    for (const SightingReport& row : path.sightings) {
      const auto src = IpAddr::parse(row.src), dst = IpAddr::parse(row.dst);
      const auto smac = MacAddr::parse(row.smac), dmac = MacAddr::parse(row.dmac);
      p.rows.push_back({&row, places_.find(row.node, row.device), src.value_or(IpAddr{}), dst.value_or(IpAddr{}),
                        smac ? smac->value : 0, dmac ? dmac->value : 0, places_.captured(row.node, row.device)});
    }
    if (!path.reply.empty()) p.replies = plan(path.reply.front().paths);
    if (!path.continued.empty()) p.nexts = plan(path.continued.front().paths);
    all.push_back(std::move(p));
  }
  return all;
}

const Forecaster::Owners& Forecaster::owners_of(const IpAddr& address) {
  static const Owners kNone;
  if (!is_alone(address)) return kNone;
  const auto [found, is_new] = owners_.try_emplace(address);
  if (is_new)
    for (const auto& node : cluster_.nodes)
      if (node->host.owner_of(address) != nullptr) {
        if (++found->second.count == 1) found->second.first = node.get();
      }
  return found->second;
}

// NETMAP and its like make addresses of addresses: then what came of one end shows nothing of another.
bool Forecaster::can_be_shared(const std::vector<PlannedPath>& paths, const Ends& sent) const {
  const auto is_known = [&](const IpAddr& a) { return a == sent.src || a == sent.dst || is_alone(a); };
  return std::all_of(paths.begin(), paths.end(), [&](const PlannedPath& path) {
    return std::all_of(path.rows.begin(), path.rows.end(),
                       [&](const PredictedRow& row) {
                         const auto& encap = row.sighting->encap;
                         return is_known(row.src) && is_known(row.dst) &&
                                (!encap || (is_known(encap->src) && is_known(encap->dst)));
                       }) &&
           can_be_shared(path.replies, sent) && can_be_shared(path.nexts, sent);
  });
}

const Forecaster::Walked& Forecaster::walk(const Origin& origin, const Ends& sent) {
  Origin key = origin;
  key.to_itself = origin.src == origin.dst;
  key.src = class_of(origin.src);
  key.dst = class_of(origin.dst);
  const Walked& w = walk_for(key, origin, sent);
  if (w.shared || (w.ends.src == sent.src && w.ends.dst == sent.dst)) return w;
  key.src = origin.src;
  key.dst = origin.dst;
  key.exact = true;
  return walk_for(key, origin, sent);
}

const Forecaster::Walked& Forecaster::walk_for(const Origin& key, const Origin& origin, const Ends& sent) {
  const auto found = walked_.find(key);
  if (found != walked_.end()) return found->second;
  if (walked_.size() == kMostWalks) return none_;
  return walked_.emplace(key, walk_now(origin, sent)).first->second;
}

Question Forecaster::question(const Origin& origin, const Ends& sent) {
  Question q;
  q.from.kind = q.to.kind = Point::Kind::ip;
  q.from.ip = origin.src;
  q.from.text = origin.src.to_string();
  q.from.at_node = origin.at_node;
  q.to.ip = origin.dst;
  q.to.text = origin.dst.to_string();
  q.proto = proto_name(origin.proto, origin.src.family);
  q.sport = sent.sport;
  q.dport = origin.dport;
  q.arrive_at = origin.arrive_at;
  q.in_dev = origin.in_device;
  q.steps = q.registers = false;
  q.established = origin.established;
  // Dumps are taken after captures as a rule: their connections may be this very one, which the first packet did not
  // meet.
  q.use_conntrack = origin.established;
  return q;
}

namespace {

WalkedPath walked_path_of(PathReport& path) {
  return {std::move(path.hops), std::move(path.sightings), std::move(path.stopped_at)};
}

// The path of these that shows the same.
WalkedPath walked_path_like(std::vector<PathReport>& paths, const PathReport* path) {
  if (path != nullptr)
    for (PathReport& p : paths)
      if (p.summary == path->summary && p.verdict == path->verdict) return walked_path_of(p);
  return {};
}

}  // namespace

const WalkedPaths* Forecaster::walked_paths(const Forecast& forecast) {
  const auto summary = [](const Predicted& p) { return p.path == nullptr ? std::string() : p.path->summary; };
  const auto key = std::tuple(forecast.origin, summary(forecast.forward), summary(forecast.reply));
  if (const auto found = walked_paths_.find(key); found != walked_paths_.end()) return &found->second;
  if (walked_paths_.size() == kMostWalkedPaths || forecast.forward.path == nullptr) return nullptr;
  WalkedPaths c;
  Question q = question(forecast.origin, forecast.ends.walked);
  q.steps = true;
  if (auto explanation = explainer_.explain(q)) {
    for (PathReport& path : explanation->paths) {
      if (path.summary != forecast.forward.path->summary || path.verdict != forecast.forward.path->verdict) continue;
      if (!path.reply.empty()) c.reply = walked_path_like(path.reply.front().paths, forecast.reply.path);
      if (!path.continued.empty()) c.next = walked_path_like(path.continued.front().paths, forecast.next.path);
      c.forward = walked_path_of(path);
      break;
    }
  }
  return &walked_paths_.emplace(key, std::move(c)).first->second;
}

Forecaster::Walked Forecaster::walk_now(const Origin& origin, const Ends& sent) {
  Walked w;
  w.ends = sent;
  if (auto explanation = explainer_.explain(question(origin, sent))) {
    w.explanation.from = std::move(explanation->from);
    w.explanation.to = std::move(explanation->to);
    w.explanation.paths = std::move(explanation->paths);
    slim(w.explanation.paths);
    w.usable = !w.explanation.paths.empty();
    w.paths = plan(w.explanation.paths);
    w.shared = can_be_shared(w.paths, sent);
  }
  return w;
}

void Forecaster::consider(const Flow& flow, const Origin& origin, const Ends& sent, Forecast& best) {
  const Walked& w = walk(origin, sent);
  if (!w.usable) {
    best.left_out |= w.left_out;
    return;
  }
  Fit fitness;
  const OwnEnds ends{w.ends, sent};
  const PlannedPath* path = best_path(w.paths, flow, false, ends, &fitness);
  if (path == nullptr) return;
  if (best.explanation != nullptr && worth(fitness) <= worth({best.matched, best.conflicting, best.other_macs, false})) return;
  best = {};
  best.explanation = &w.explanation;
  best.origin = origin;
  best.ends = ends;
  best.matched = fitness.matched;
  best.conflicting = fitness.conflicting;
  best.other_macs = fitness.other_macs;
  best.from_start = fitness.from_start;
  best.forward = predicted(*path, ends, false);
  if (fitness.matched > 0)
    for (const PlannedPath& other : w.paths) {
      if (&other == path || other.path->summary == path->path->summary) continue;
      const Predicted also = predicted(other, ends, false);
      if (worth(fit(also.rows, flow, false)) != worth(fitness)) continue;
      std::string summary = also.summary();
      if (summary != best.forward.summary() && std::find(best.alike.begin(), best.alike.end(), summary) == best.alike.end())
        best.alike.push_back(std::move(summary));
    }
  if (const PlannedPath* reply = best_path(path->replies, flow, true, ends)) best.reply = predicted(*reply, ends, true);
  if (const PlannedPath* next = best_path(path->nexts, flow, false, ends)) best.next = predicted(*next, ends, false);
}

// Each pair of ends that the first direction has anywhere may be what the sender sent; the earliest ones first.
std::vector<Origin> Forecaster::origins(const Flow& flow, std::vector<Ends>& sent) {
  std::vector<Origin> found;
  const auto add = [&](const FlowPart& part, const Ends& ends) {
    if (std::find(sent.begin(), sent.end(), ends) != sent.end()) return;
    Origin o;
    o.src = ends.src;
    o.dst = ends.dst;
    o.proto = flow.proto;
    o.dport = carries_ports(flow.proto) ? ends.dport : 0;
    o.established = !flow.has_opening;
    const std::size_t owners = owners_of(ends.src).count;
    if (owners > 1) o.at_node = part.place.node();
    if (owners == 0 && part.place.direction == capture::Direction::in) {
      o.arrive_at = part.place.node();
      o.in_device = part.place.device();
    }
    sent.push_back(ends);
    found.push_back(std::move(o));
  };
  for (const FlowPart& part : flow.parts)
    if (!part.reply && !part.track->is_error()) add(part, part.ends);
  // Only the answer was captured: what it answers went in the other direction.
  if (found.empty())
    for (const FlowPart& part : flow.parts)
      if (part.reply) add({part.track, {part.place.at, capture::Direction::unknown}, {}, false}, part.ends.reversed());
  return found;
}

Forecast Forecaster::forecast(const Flow& flow) {
  Forecast best;
  std::vector<Ends> sent;
  const std::vector<Origin> all = origins(flow, sent);
  constexpr std::size_t kMost = 8;
  for (std::size_t i = 0; i < all.size() && i < kMost && !best.from_start; ++i) consider(flow, all[i], sent[i], best);
  if (best.explanation == nullptr || best.matched == 0) {
    try_pods(flow, best);
    return best;
  }
  best.translated_by = translator(best, flow);
  if (!best.translated_by.empty()) try_pods(flow, best);
  return best;
}

// A node's own packet starts with a TTL that nodes start with; one less shows that it was forwarded.
std::string Forecaster::translator(const Forecast& forecast, const Flow& flow) {
  const cluster::Node* owner = owners_of(forecast.ends.own.src).first;
  if (owner == nullptr || forecast.explanation->from.kind == "pod" || ttl_fits(forecast.forward.rows, flow)) return {};
  return owner->name;
}

// Addresses of pods, at most so many that trying them ends.
std::vector<IpAddr> Forecaster::pods_of(Family family) const {
  constexpr std::size_t kMostPods = 256;
  std::vector<IpAddr> found;
  std::set<IpAddr> known;
  for (const auto& node : cluster_.nodes)
    for (const openflow::Bridge& bridge : node->bridges)
      for (const openflow::Interface& port : bridge.interfaces) {
        if (!engine::is_workload(port)) continue;
        for (const Prefix& p : engine::workload_network(cluster_, *node, port).addresses)
          if (p.address.family == family && known.size() < kMostPods && known.insert(p.address).second)
            found.push_back(p.address);
      }
  return found;
}

// Whether the pod's path to where the flow goes leads through the places that saw it.
bool Forecaster::try_pod(const IpAddr& pod, const Flow& flow, const Ends& seen, Forecast& one) {
  Origin o;
  o.src = pod;
  o.dst = seen.dst;
  o.proto = flow.proto;
  o.dport = carries_ports(flow.proto) ? seen.dport : 0;
  Ends ends = seen;
  ends.src = pod;
  const Walked& w = walk(o, ends);
  one.left_out = w.left_out;
  if (!w.usable || std::none_of(w.explanation.paths.begin(), w.explanation.paths.end(),
                                [&](const PathReport& path) { return leads_through(path, flow); }))
    return false;
  consider(flow, o, ends, one);
  return one.matched > 0 && one.conflicting == 0 && ttl_fits(one.forward.rows, flow);
}

// The source may be a translated one whose origin no capture shows: the pod whose path leads through what was seen, if
// there is only one.
void Forecaster::try_pods(const Flow& flow, Forecast& best) {
  // Where the place of a capture is not known, no path leads through it.
  if (std::all_of(flow.parts.begin(), flow.parts.end(), [](const FlowPart& part) { return part.place.node().empty(); })) return;
  const FlowPart& first = flow.parts.front();
  const Ends seen = first.reply ? first.ends.reversed() : first.ends;
  // Thousands of flows that differ in the source port, or in an address that no dump knows, have the same answer.
  std::string key = class_of(seen.src).to_string() + " " + class_of(seen.dst).to_string() + " " + std::to_string(seen.dport) +
                    " " + std::to_string(flow.proto);
  std::set<std::string> places;
  for (const FlowPart& part : flow.parts)
    places.insert(part.place.node() + "/" + part.place.device() + (part.reply ? "<" : ">") + std::to_string(part.track->key.ttl));
  for (const std::string& place : places) key += " " + place;
  const auto [known, is_new] = pods_tried_.try_emplace(std::move(key));
  if (!is_new) {
    Forecast one;
    if (known->second && try_pod(*known->second, flow, seen, one)) best = std::move(one);
    return;
  }
  std::vector<std::pair<IpAddr, Forecast>> fitting;
  for (const IpAddr& pod : pods_of(seen.dst.family)) {
    Forecast one;
    if (try_pod(pod, flow, seen, one)) fitting.emplace_back(pod, std::move(one));
    best.left_out |= one.left_out;
  }
  if (fitting.size() != 1 || best.left_out) return;
  known->second = fitting.front().first;
  best = std::move(fitting.front().second);
}

}  // namespace egt::explain::capture_study
