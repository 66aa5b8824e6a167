// What tracers saw of a flow, beside its prediction: each event at its hop, and drops that decide what became of it.
#pragma once

#include <unordered_map>
#include <vector>

#include "egtrace/explain/capture.h"
#include "event_tracks.h"
#include "flows.h"
#include "forecast.h"
#include "places.h"

namespace egt::explain::capture_study {

using EventsByTrack = std::unordered_map<const Track*, std::vector<const EventTrack*>>;
EventsByTrack by_track(const EventTracks& events);

// Parts that were seen between devices go into Flow::inside.
void part_inside(Flow& flow, const std::vector<File>& files);

class EventJudge {
 public:
  EventJudge(const cluster::Cluster& cluster, const std::vector<File>& files, const Places& places, const EventTracks& events)
      : cluster_(cluster), files_(files), places_(places), events_(events), by_track_(by_track(events)) {}

  bool has_events(const Flow& flow) const;
  // Adds the events to the report, and what they show to its fate. `paths`: null where no path is known.
  void judge(const Flow& flow, const Forecast& forecast, const WalkedPaths* walked_paths, FlowReport& report) const;
  // Equal for flows with equal events.
  std::string shape_of(const Flow& flow) const;

 private:
  const cluster::Cluster& cluster_;
  const std::vector<File>& files_;
  const Places& places_;
  const EventTracks& events_;
  EventsByTrack by_track_;
};

}  // namespace egt::explain::capture_study
