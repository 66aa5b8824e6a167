#include "event_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "align.h"
#include "egtrace/explain/drop_reason.h"
#include "phrases/events.h"
#include "remark.h"
#include "seen.h"

namespace egt::explain::capture_study {
namespace {

using capture::EventFacts;

std::string reason_text(const DropReport& drop) {
  return drop.subsystem.empty() ? drop.reason : fmt::format("{}/{}", drop.subsystem, drop.reason);
}

// One flow's events, by time.
class FlowEvents {
 public:
  FlowEvents(const cluster::Cluster& cluster, const std::vector<File>& files, const Places& places, const EventTracks& events,
             const EventsByTrack& by_track, const Flow& flow, const Forecast& forecast, const WalkedPaths* walked_paths,
             FlowReport& report)
      : cluster_(cluster),
        files_(files),
        places_(places),
        events_(events),
        flow_(flow),
        forecast_(forecast),
        walked_paths_(walked_paths),
        out_(report) {
    const auto gather = [&](const std::vector<FlowPart>& parts) {
      for (const FlowPart& part : parts)
        if (const auto found = by_track.find(part.track); found != by_track.end())
          for (const EventTrack* e : found->second) part_events_.push_back({&part, e});
    };
    gather(flow.parts);
    if (!flow.only_inside) gather(flow.inside);
    std::stable_sort(part_events_.begin(), part_events_.end(), [](const PartEvent& a, const PartEvent& b) {
      return std::tie(a.event->first_time, a.event->file, a.event->first_line) <
             std::tie(b.event->first_time, b.event->file, b.event->first_line);
    });
  }

  void judge() {
    for (const PartEvent& e : part_events_) add(e);
    if (!decide_by_drop()) soften();
  }

 private:
  struct PartEvent {
    const FlowPart* part;
    const EventTrack* event;
  };

  const WalkedPath* walked_path_of(bool reply) const {
    if (walked_paths_ == nullptr) return nullptr;
    return reply ? &walked_paths_->reply : &walked_paths_->forward;
  }

  void add(const PartEvent& e) {
    const EventFacts& f = *e.event->facts;
    const auto& interfaces = files_[e.event->file].capture.interfaces;
    EventReport r;
    r.node = places_.file(e.event->file).node;
    r.symbol = f.symbol;
    r.what = event_words(f);
    r.reply = e.part->reply;
    r.file = files_[e.event->file].name;
    r.line = e.event->first_line;
    r.events = e.event->events;
    r.time = e.event->first_time;
    if (f.interface < interfaces.size()) r.device = interfaces[f.interface].name;
    if (places_.in_other_netns(e.event->file, f.netns)) r.netns = f.netns;
    if (f.drop)
      r.drop = DropReport{
          f.drop_reason, f.drop_subsystem, std::string(drop_reason(f.drop_subsystem, f.drop_reason).meaning), {}, false};
    place(e, f, r);
    out_.events.push_back(std::move(r));
  }

  void place(const PartEvent& e, const EventFacts& f, EventReport& r) {
    const WalkedPath* walked = walked_path_of(r.reply);
    if (walked == nullptr || walked->hops.empty()) {
      r.unexplained = phrase({r.node.empty()                        ? FlowRemark::place_unknown
                              : r.reply && walked_paths_ != nullptr ? FlowRemark::reply_not_predicted
                                                                    : FlowRemark::path_unknown});
      return;
    }
    const EventPlace at{r.node, r.netns != 0 ? "" : r.device, r.device, r.netns, &f, &events_.openflow_flows(*e.event)};
    const std::uint64_t packet = e.event->packet;
    const auto known = packet == 0 ? before_.end() : before_.find(packet);
    const std::string from = pod_node(r.reply ? out_.to : out_.from), to = pod_node(r.reply ? out_.from : out_.to);
    const Aligned aligned = align(at, *walked, from, to, cluster_, known == before_.end() ? kNoRow : known->second);
    if (r.drop) r.drop->predicted = aligned.drop_predicted;
    if (aligned.hop == kNoRow) {
      r.unexplained = phrase(aligned.unexplained);
      return;
    }
    if (packet != 0) before_[packet] = aligned.hop;
    r.hop = walked->hops[aligned.hop];
  }

  static std::string pod_node(const EndReport& end) { return end.kind == "pod" ? end.node : std::string(); }

  // Whether the flow was seen on a node behind the one that dropped packets of it: then others got through.
  bool goes_on_behind(const EventReport& drop) const {
    const WalkedPath* walked = walked_path_of(drop.reply);
    if (walked == nullptr) return false;
    const auto first_on = [&](const std::string& node) {
      return std::find_if(walked->hops.begin(), walked->hops.end(), [&](const Hop& h) { return h.node == node; });
    };
    const auto at = first_on(drop.node);
    return std::any_of(out_.seen.begin(), out_.seen.end(), [&](const SeenReport& s) {
      return s.reply == drop.reply && s.at.node != drop.node && at != walked->hops.end() && first_on(s.at.node) > at &&
             first_on(s.at.node) != walked->hops.end();
    });
  }

  // Whether packets of the same direction came later than the drops.
  bool is_followed(std::size_t drop) const {
    for (std::size_t i = 0; i < part_events_.size(); ++i)
      if (i != drop && out_.events[i].reply == out_.events[drop].reply &&
          part_events_[i].event->last_time > part_events_[drop].event->last_time)
        return true;
    return false;
  }

  bool decide_by_drop() {
    const bool may_be_answered = out_.fate != Fate::lost && out_.fate != Fate::unexplained;
    if (may_be_answered && !flow_.only_inside) return false;
    for (std::size_t i = 0; i < part_events_.size(); ++i) {
      EventReport& e = out_.events[i];
      if (!e.drop) continue;
      const DropKind kind = drop_reason(e.drop->subsystem, e.drop->reason).kind;
      if (kind == DropKind::harmless || kind == DropKind::unspecified || goes_on_behind(e)) continue;
      if (may_be_answered && is_followed(i)) continue;
      e.drop->ends_flow = true;
      lost_at(e);
      return true;
    }
    return false;
  }

  void lost_at(const EventReport& e) {
    const DropReport& drop = *e.drop;
    out_.fate = Fate::lost;
    out_.direction = e.reply ? Direction::reply : Direction::request;
    out_.last_seen = LastSeenReport{e.node, e.netns == 0 ? e.device : "", ""};
    const std::string place = place_text(e.node, e.device);
    out_.lost_between = {place, e.hop && drop.predicted.value_or(false) ? place_text(e.node, end_of(*e.hop)) : place};
    const std::string meaning = drop.meaning;
    if (!e.hop)
      out_.why = phrase({FlowRemark::dropped_without_path, {reason_text(drop), place, meaning}});
    else if (!drop.predicted)
      out_.why = phrase({FlowRemark::dropped_there, {reason_text(drop), place, meaning}});
    else if (*drop.predicted)
      out_.why = phrase({FlowRemark::dropped_as_predicted, {reason_text(drop), place, meaning, summary(e.reply)}});
    else
      out_.why = phrase({FlowRemark::dropped_unpredicted, {reason_text(drop), place, meaning}});
    if (drop.predicted && !*drop.predicted && e.hop)
      out_.differs.push_back(
          {place_text(e.node, e.hop->where), phrase({FlowRemark::goes_on}), fmt::format("drop, {}", reason_text(drop))});
  }

  // Of a table its bridge.
  static std::string end_of(const Hop& hop) { return hop.at.bridge.empty() ? hop.where : hop.at.bridge; }

  std::string summary(bool reply) const { return reply ? forecast_.reply.summary() : forecast_.forward.summary(); }

  // What a tracer does not show need not have been absent.
  void soften() {
    const bool only_events = std::all_of(flow_.parts.begin(), flow_.parts.end(),
                                         [&](const FlowPart& part) { return files_[part.track->key.file].capture.of_events; });
    if (!only_events || (out_.fate != Fate::lost && !flow_.only_inside)) return;
    const PathReport* path = out_.direction == Direction::reply ? forecast_.reply.path : forecast_.forward.path;
    if (!flow_.only_inside && path != nullptr && path->verdict != Verdict::delivered && forecast_.matched > 0) return;
    const std::string place =
        out_.last_seen ? place_text(out_.last_seen->node, out_.last_seen->device) : place_text(flow_.parts.back());
    out_.fate = Fate::unexplained;
    out_.direction.reset();
    out_.lost_between.reset();
    out_.differs.clear();
    out_.after_handshake = false;
    out_.why = phrase({flow_.only_inside ? FlowRemark::only_events : FlowRemark::events_show_no_absence, {place}});
  }

  const cluster::Cluster& cluster_;
  const std::vector<File>& files_;
  const Places& places_;
  const EventTracks& events_;
  const Flow& flow_;
  const Forecast& forecast_;
  const WalkedPaths* walked_paths_;
  FlowReport& out_;
  std::vector<PartEvent> part_events_;
  std::unordered_map<std::uint64_t, std::size_t> before_;  // the last hop of each packet
};

}  // namespace

EventsByTrack by_track(const EventTracks& events) {
  EventsByTrack found;
  for (const EventTrack& e : events.all()) found[e.track].push_back(&e);
  return found;
}

void part_inside(Flow& flow, const std::vector<File>& files) {
  const auto is_inside = [&](const FlowPart& part) {
    return part.track->key.inside || (files[part.track->key.file].capture.of_events && part.place.device().empty());
  };
  for (const FlowPart& part : flow.parts)
    if (is_inside(part)) flow.inside.push_back(part);
  if (flow.inside.empty()) return;
  flow.only_inside = flow.inside.size() == flow.parts.size();
  if (!flow.only_inside) std::erase_if(flow.parts, is_inside);
}

bool EventJudge::has_events(const Flow& flow) const {
  const auto any = [&](const std::vector<FlowPart>& parts) {
    return std::any_of(parts.begin(), parts.end(), [&](const FlowPart& part) { return by_track_.contains(part.track); });
  };
  return !by_track_.empty() && (any(flow.parts) || any(flow.inside));
}

void EventJudge::judge(const Flow& flow, const Forecast& forecast, const WalkedPaths* walked_paths, FlowReport& report) const {
  FlowEvents(cluster_, files_, places_, events_, by_track_, flow, forecast, walked_paths, report).judge();
}

std::string EventJudge::shape_of(const Flow& flow) const {
  std::vector<const EventFacts*> all;
  const auto gather = [&](const std::vector<FlowPart>& parts) {
    for (const FlowPart& part : parts)
      if (const auto found = by_track_.find(part.track); found != by_track_.end())
        for (const EventTrack* e : found->second) all.push_back(e->facts);
  };
  gather(flow.parts);
  gather(flow.inside);
  std::sort(all.begin(), all.end());
  return {reinterpret_cast<const char*>(all.data()), all.size() * sizeof all[0]};
}

}  // namespace egt::explain::capture_study
