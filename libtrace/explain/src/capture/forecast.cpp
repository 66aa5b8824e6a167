#include "forecast.h"

#include <algorithm>
#include <set>

#include "egtrace/engine/workload.h"
#include "egtrace/packet/packet.h"
#include "words.h"

namespace egt::explain::capture_study {
namespace {

bool same_tunnel(const std::optional<engine::Encap>& a, const TrackKey& k) {
  if (!a) return k.tunnel == 0;
  return k.tunnel != 0 && a->src == k.tunnel_src && a->dst == k.tunnel_dst && a->vni == k.vni;
}

// Keeps of ways what captures are held against: there may be a walk for each of a hundred thousand flows.
void slim(std::vector<WayReport>& ways) {
  for (WayReport& way : ways) {
    for (std::vector<FollowUp>* follow_ups : {&way.reply, &way.continued})
      for (FollowUp& f : *follow_ups) slim(f.ways);
    WayReport kept;
    kept.verdict = std::move(way.verdict);
    kept.summary = std::move(way.summary);
    kept.source_seen = std::move(way.source_seen);
    kept.stopped_at = std::move(way.stopped_at);
    kept.sightings = std::move(way.sightings);
    kept.reply = std::move(way.reply);
    kept.continued = std::move(way.continued);
    way = std::move(kept);
  }
}

Predicted predicted(const PlannedWay& plan, OwnPort port, bool reply) {
  return {plan.way, Rows(plan.rows, port, reply), port, reply};
}

// Whether one of the rows is at a place that saw the flow; cheap, before rows are copied.
bool leads_through(const WayReport& way, const Flow& flow) {
  return std::any_of(flow.parts.begin(), flow.parts.end(), [&](const Part& part) {
    return std::any_of(way.sightings.begin(), way.sightings.end(), [&](const SightingReport& row) {
      return row.node == part.place.node && row.device == part.place.device;
    });
  });
}

// What senders start with: the defaults of operating systems, and the small ones of traceroute.
bool is_start_ttl(int ttl) { return ttl <= 32 || ttl == 60 || ttl == 64 || ttl == 128 || ttl == 200 || ttl == 255; }

// Whether the sender that the rows begin with would have started with a TTL that senders start with.
bool ttl_fits(const Rows& rows, const Flow& flow) {
  for (const Part& part : flow.parts) {
    if (part.reply || part.track->is_error() || part.track->key.ttl == 0) continue;
    if (const std::size_t row = match(rows, part); row != kNoRow)
      return is_start_ttl(rows.told(0).ttl + part.track->key.ttl - rows.told(row).ttl);
  }
  return true;
}

struct Fit {
  std::size_t matched = 0, contradicted = 0, other_macs = 0;
  bool from_start = false;
};

// Which of several next hops was taken shows in the MAC address alone where the next machine was not captured.
bool other_receiver(const Row& row, const TrackKey& seen) {
  return !row.told->dmac.empty() && seen.dmac != 0 && row.dmac != seen.dmac;
}

// How well rows fit with what was seen; `reply` picks the direction's parts.
Fit fit(const Rows& rows, const Flow& flow, bool reply) {
  enum : std::uint8_t { not_seen, seen, seen_for_another };
  std::vector<std::uint8_t> state(rows.size(), not_seen);
  std::size_t behind_last = 0;
  for (const Part& part : flow.parts)
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
      ++f.contradicted;
    if (state[i] == seen_for_another) ++f.other_macs;
  }
  f.from_start = f.matched > 0 && (state[0] != not_seen || f.contradicted == 0);
  return f;
}

// Places count before MAC addresses.
std::pair<long, long> worth(const Fit& f) {
  return {2 * static_cast<long>(f.matched) - static_cast<long>(f.contradicted), -static_cast<long>(f.other_macs)};
}

const PlannedWay* best_way(const std::vector<PlannedWay>& ways, const Flow& flow, bool reply, OwnPort port,
                           Fit* fitness = nullptr) {
  const PlannedWay* best = nullptr;
  Fit best_fit;
  for (const PlannedWay& way : ways) {
    const Fit f = fit(Rows(way.rows, port, reply), flow, reply);
    if (best != nullptr && worth(f) <= worth(best_fit)) continue;
    best = &way;
    best_fit = f;
  }
  if (fitness != nullptr) *fitness = best_fit;
  return best;
}

}  // namespace

SightingReport Rows::report(std::size_t i) const {
  SightingReport row = told(i);
  row.sport = sport(i);
  row.dport = dport(i);
  return row;
}

std::string Predicted::summary() const {
  std::string text = way->summary;
  if (reply || port.walked == port.own || !way->source_seen || way->source_seen->port != port.walked) return text;
  const std::string told = to_text(*way->source_seen), owned = to_text(SeenAddress{way->source_seen->ip, port.own});
  if (const std::size_t at = text.find(told); at != std::string::npos) text.replace(at, told.size(), owned);
  return text;
}

std::size_t match(const Rows& rows, const Part& part) {
  const TrackKey& k = part.track->key;
  const bool ports = carries_ports(k.proto);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].src != k.src || rows[i].dst != k.dst) continue;
    const SightingReport& row = rows.told(i);
    if (row.device != part.place.device || row.node != part.place.node) continue;
    if (ports && (rows.sport(i).value_or(k.sport) != k.sport || rows.dport(i).value_or(k.dport) != k.dport)) continue;
    if (!same_tunnel(row.encap, k)) continue;
    if (part.place.direction != capture::Direction::unknown &&
        row.in != (part.place.direction == capture::Direction::in))
      continue;
    return i;
  }
  return kNoRow;
}

std::vector<PlannedWay> Forecaster::plan(const std::vector<WayReport>& ways) const {
  std::vector<PlannedWay> all;
  for (const WayReport& way : ways) {
    PlannedWay p;
    p.way = &way;
    for (const SightingReport& row : way.sightings) {
      const auto src = IpAddr::parse(row.src), dst = IpAddr::parse(row.dst);
      const auto smac = MacAddr::parse(row.smac), dmac = MacAddr::parse(row.dmac);
      p.rows.push_back({&row, src.value_or(IpAddr{}), dst.value_or(IpAddr{}), smac ? smac->value : 0,
                        dmac ? dmac->value : 0, places_.captured(row.node, row.device)});
    }
    if (!way.reply.empty()) p.replies = plan(way.reply.front().ways);
    if (!way.continued.empty()) p.nexts = plan(way.continued.front().ways);
    all.push_back(std::move(p));
  }
  return all;
}

const Forecaster::Owners& Forecaster::owners_of(const IpAddr& address) const {
  const auto [found, is_new] = owners_.try_emplace(address);
  if (is_new)
    for (const auto& node : cluster_.nodes)
      if (node->host.owner_of(address) != nullptr) {
        if (++found->second.count == 1) found->second.first = node.get();
      }
  return found->second;
}

const Forecaster::Walked& Forecaster::walk(const Origin& origin, std::uint16_t sport) {
  const auto [found, is_new] = walked_.try_emplace(origin);
  Walked& w = found->second;
  if (!is_new) return w;
  Question q;
  q.from.kind = q.to.kind = Point::Kind::ip;
  q.from.ip = origin.src;
  q.from.text = origin.src.to_string();
  q.from.at_node = origin.at_node;
  q.to.ip = origin.dst;
  q.to.text = origin.dst.to_string();
  q.proto = proto_name(origin.proto, origin.src.family);
  q.sport = sport;
  q.dport = origin.dport;
  q.arrive_at = origin.arrive_at;
  q.in_dev = origin.in_device;
  q.reply = true;
  q.established = origin.established;
  // Dumps are taken after captures as a rule: their connections may be this very one, which the first packet did not
  // meet.
  q.use_conntrack = origin.established;
  if (auto explanation = explainer_.explain(q)) {
    w.explanation.from = std::move(explanation->from);
    w.explanation.to = std::move(explanation->to);
    w.explanation.ways = std::move(explanation->ways);
    slim(w.explanation.ways);
    w.usable = !w.explanation.ways.empty();
    w.ways = plan(w.explanation.ways);
  }
  w.sport = sport;
  return w;
}

void Forecaster::consider(const Flow& flow, const Origin& origin, const Ends& sent, Forecast& best) {
  const Walked& w = walk(origin, sent.sport);
  if (!w.usable) return;
  Fit fitness;
  const OwnPort port{w.sport, sent.sport};
  const PlannedWay* way = best_way(w.ways, flow, false, port, &fitness);
  if (way == nullptr) return;
  if (best.explanation != nullptr && worth(fitness) <= worth({best.matched, best.contradicted, best.other_macs, false}))
    return;
  best = {};
  best.explanation = &w.explanation;
  best.sent = sent;
  best.matched = fitness.matched;
  best.contradicted = fitness.contradicted;
  best.other_macs = fitness.other_macs;
  best.from_start = fitness.from_start;
  best.forward = predicted(*way, port, false);
  if (fitness.matched > 0)
    for (const PlannedWay& other : w.ways) {
      if (&other == way || other.way->summary == way->way->summary) continue;
      const Predicted also = predicted(other, port, false);
      if (worth(fit(also.rows, flow, false)) != worth(fitness)) continue;
      std::string summary = also.summary();
      if (summary != best.forward.summary() &&
          std::find(best.alike.begin(), best.alike.end(), summary) == best.alike.end())
        best.alike.push_back(std::move(summary));
    }
  if (const PlannedWay* reply = best_way(way->replies, flow, true, port)) best.reply = predicted(*reply, port, true);
  if (const PlannedWay* next = best_way(way->nexts, flow, false, port)) best.next = predicted(*next, port, false);
}

// Each pair of ends that the first direction has anywhere may be what the sender sent; the earliest ones first.
std::vector<Forecaster::Origin> Forecaster::origins(const Flow& flow, std::vector<Ends>& sent) const {
  std::vector<Origin> found;
  const auto add = [&](const Part& part, const Ends& ends) {
    if (std::find(sent.begin(), sent.end(), ends) != sent.end()) return;
    Origin o;
    o.src = ends.src;
    o.dst = ends.dst;
    o.proto = flow.proto;
    o.dport = carries_ports(flow.proto) ? ends.dport : 0;
    o.established = !flow.has_opening;
    const std::size_t owners = owners_of(ends.src).count;
    if (owners > 1) o.at_node = part.place.node;
    if (owners == 0 && part.place.direction == capture::Direction::in) {
      o.arrive_at = part.place.node;
      o.in_device = part.place.device;
    }
    sent.push_back(ends);
    found.push_back(std::move(o));
  };
  for (const Part& part : flow.parts)
    if (!part.reply && !part.track->is_error()) add(part, part.ends);
  // Only the answer was captured: what it answers went the other way round.
  if (found.empty())
    for (const Part& part : flow.parts)
      if (part.reply)
        add({part.track, {part.place.node, part.place.device, capture::Direction::unknown}, {}, false},
            part.ends.reversed());
  return found;
}

Forecast Forecaster::forecast(const Flow& flow) {
  if (walked_.size() > kMostWalks) walked_.clear();
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

// A machine's own packet starts with a TTL that machines start with; one less shows that it was forwarded.
std::string Forecaster::translator(const Forecast& forecast, const Flow& flow) const {
  const cluster::Node* owner = owners_of(forecast.sent.src).first;
  if (owner == nullptr || forecast.explanation->from.kind == "pod" || ttl_fits(forecast.forward.rows, flow)) return {};
  return owner->name;
}

// The source may be a translated one whose origin no capture shows: the pod whose way leads through what was seen, if
// there is only one.
void Forecaster::try_pods(const Flow& flow, Forecast& best) {
  // Where nobody knows the place of a capture, no way leads through it.
  if (std::all_of(flow.parts.begin(), flow.parts.end(), [](const Part& part) { return part.place.node.empty(); })) return;
  std::vector<Forecast> fitting;
  std::set<IpAddr> tried;
  constexpr std::size_t kMostPods = 256;
  const Part& first = flow.parts.front();
  const Ends seen = first.reply ? first.ends.reversed() : first.ends;
  // Thousands of flows that differ in the source port alone have the same answer; only where it is a pod is it worked
  // out for each.
  std::string key = seen.src.to_string() + " " + seen.dst.to_string() + " " + std::to_string(seen.dport) + " " +
                    std::to_string(flow.proto);
  std::set<std::string> places;
  for (const Part& part : flow.parts)
    places.insert(part.place.node + "/" + part.place.device + (part.reply ? "<" : ">") +
                  std::to_string(part.track->key.ttl));
  for (const std::string& place : places) key += " " + place;
  const auto [known, is_new] = pods_tried_.try_emplace(std::move(key), false);
  if (!is_new && !known->second) return;
  for (const auto& node : cluster_.nodes)
    for (const openflow::Bridge& bridge : node->bridges)
      for (const openflow::Interface& port : bridge.interfaces) {
        if (!engine::is_workload(port)) continue;
        for (const Prefix& p : engine::workload_network(cluster_, *node, port).addresses) {
          if (p.address.family != seen.dst.family || tried.size() == kMostPods || !tried.insert(p.address).second)
            continue;
          Origin o;
          o.src = p.address;
          o.dst = seen.dst;
          o.proto = flow.proto;
          o.dport = carries_ports(flow.proto) ? seen.dport : 0;
          const Walked& w = walk(o, seen.sport);
          if (!w.usable || std::none_of(w.explanation.ways.begin(), w.explanation.ways.end(),
                                        [&](const WayReport& way) { return leads_through(way, flow); }))
            continue;
          Forecast one;
          Ends ends = seen;
          ends.src = p.address;
          consider(flow, o, ends, one);
          if (one.matched > 0 && one.contradicted == 0 && ttl_fits(one.forward.rows, flow))
            fitting.push_back(std::move(one));
        }
      }
  known->second = fitting.size() == 1;
  if (known->second) best = std::move(fitting.front());
}

}  // namespace egt::explain::capture_study
