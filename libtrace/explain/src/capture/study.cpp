#include <algorithm>
#include <optional>
#include <set>

#include "address_classes.h"
#include "alike.h"
#include "egtrace/explain/capture.h"
#include "event_report.h"
#include "event_tracks.h"
#include "flows.h"
#include "forecast.h"
#include "judge.h"
#include "places.h"
#include "tracks.h"

namespace egt::explain {

using namespace capture_study;

struct CaptureStudy::State {
  std::vector<File> files;
  Tracks tracks;
  EventTracks events;
};

CaptureStudy::CaptureStudy() : state_(std::make_unique<State>()) {}
CaptureStudy::~CaptureStudy() = default;

std::string_view name_of(Fate fate) {
  static constexpr std::string_view kNames[] = {"answered", "delivered", "rejected", "lost", "unexplained"};
  return kNames[static_cast<std::size_t>(fate)];
}

std::size_t CaptureStudy::begin(const std::string& file, const std::optional<CapturePlace>& place) {
  state_->files.push_back({file, place, {}});
  return state_->files.size() - 1;
}

void CaptureStudy::take(std::size_t file, const capture::Frame& frame) {
  state_->tracks.take(static_cast<std::uint32_t>(file), frame);
}

void CaptureStudy::take(std::size_t file, const capture::KernelEvent& event) {
  const auto number = static_cast<std::uint32_t>(file);
  state_->events.take(number, event, event.has_packet ? state_->tracks.take(number, event) : nullptr);
}

void CaptureStudy::end(std::size_t file, const capture::Capture& capture) { state_->files[file].capture = capture; }

namespace {

// Each pair of ends is walked for where there are few. `null`: so it is.
std::optional<AddressClasses> classes_for(const Flows& found, const cluster::Cluster& cluster) {
  constexpr std::size_t kFew = 64;
  std::set<std::pair<IpAddr, IpAddr>> pairs;
  for (const Flow& flow : found.flows) {
    const Ends& ends = flow.parts.front().ends;
    pairs.emplace(std::min(ends.src, ends.dst), std::max(ends.src, ends.dst));
    if (pairs.size() > kFew) return AddressClasses(cluster);
  }
  return std::nullopt;
}

bool has_answer(const Flow& flow) {
  return std::any_of(flow.parts.begin(), flow.parts.end(), [](const FlowPart& part) { return part.reply; });
}

// What was captured, ready to be judged flow by flow.
class Conclusion {
 public:
  Conclusion(const cluster::Cluster& cluster, const std::vector<File>& files, const Tracks& tracks, const EventTracks& events)
      : files_(files),
        places_(cluster, files, tracks),
        events_(cluster, files, places_, events),
        found_(find_flows(tracks, places_)),
        classes_(classes_for(found_, cluster)),
        forecaster_(cluster, places_, classes()) {
    for (Flow& flow : found_.flows) {
      share_directions(flow);
      part_inside(flow, files);
    }
    for (std::size_t i = 0; i < files.size(); ++i) {
      const File& f = files[i];
      const CapturePlace& place = places_.file(i);
      analysis.captures.push_back({f.name, place.node, place.device, places_.placed_by(i), f.capture.format, f.capture.frames,
                                   f.capture.not_ip, f.capture.not_understood, f.capture.first_not_understood, f.capture.cut_why,
                                   f.capture.of_events, f.capture.events, f.capture.events_without_packet, f.capture.problems});
    }
    analysis.packets_without_flow = found_.stray_errors + tracks.not_flows();
    analysis.packets_left_out = tracks.left_out();
    analysis.events_without_flow = events.without_flow();
  }

  CaptureAnalysis analysis;

  std::vector<Flow>& flows() { return found_.flows; }
  const AddressClasses* classes() const { return classes_ ? &*classes_ : nullptr; }

  // There are only so many walks: before any flow is judged, the first ones are for those that got no answer.
  void prepare(const Flow& flow) {
    if (classes_ && !has_answer(flow)) forecaster_.forecast(flow);
  }
  FlowReport report(const Flow& flow) {
    const Forecast forecast = forecaster_.forecast(flow);
    FlowReport report = judge(flow, forecast, files_);
    if (events_.has_events(flow)) events_.judge(flow, forecast, forecaster_.walked_paths(forecast), report);
    return report;
  }
  const EventJudge& events() const { return events_; }

 private:
  const std::vector<File>& files_;
  Places places_;
  EventJudge events_;
  Flows found_;
  std::optional<AddressClasses> classes_;
  Forecaster forecaster_;
};

}  // namespace

CaptureAnalysis CaptureStudy::conclude(const cluster::Cluster& cluster) const {
  std::vector<FlowReport> flows;
  CaptureAnalysis analysis =
      conclude(cluster, [&](const CaptureAnalysis&, FlowReport flow) { flows.push_back(std::move(flow)); });
  analysis.flows = std::move(flows);
  return analysis;
}

CaptureAnalysis CaptureStudy::conclude(const cluster::Cluster& cluster, const TakeFlow& take) const {
  Conclusion c(cluster, state_->files, state_->tracks, state_->events);
  for (const Flow& flow : c.flows()) c.prepare(flow);
  for (Flow& flow : c.flows()) {
    FlowReport report = c.report(flow);
    c.analysis.flows_not_walked += report.not_walked ? 1 : 0;
    take(c.analysis, std::move(report));
    flow.parts = std::vector<FlowPart>();  // there may be hundreds of thousands: what was judged makes room
  }
  return std::move(c.analysis);
}

CaptureAnalysis CaptureStudy::conclude_alike(const cluster::Cluster& cluster) const {
  Conclusion c(cluster, state_->files, state_->tracks, state_->events);
  AlikeAsOne alike(c.flows(), c.classes(), c.events());
  for (const Flow* flow : alike.firsts()) c.prepare(*flow);
  for (const Flow* flow : alike.firsts()) c.analysis.flows.push_back(c.report(*flow));
  alike.describe(c.analysis.flows);
  for (const FlowReport& f : c.analysis.flows) c.analysis.flows_not_walked += f.not_walked ? 1 + f.alike.flows : 0;
  return std::move(c.analysis);
}

}  // namespace egt::explain
