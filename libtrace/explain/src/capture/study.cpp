#include <algorithm>

#include "egtrace/explain/capture.h"
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
};

CaptureStudy::CaptureStudy() : state_(std::make_unique<State>()) {}
CaptureStudy::~CaptureStudy() = default;

std::size_t CaptureStudy::begin(const std::string& file, const std::optional<CapturePlace>& told) {
  state_->files.push_back({file, told, {}});
  return state_->files.size() - 1;
}

void CaptureStudy::take(std::size_t file, const capture::Frame& frame) {
  state_->tracks.take(static_cast<std::uint32_t>(file), frame);
}

void CaptureStudy::end(std::size_t file, const capture::Capture& capture) { state_->files[file].capture = capture; }

CaptureAnalysis CaptureStudy::conclude(const cluster::Cluster& cluster) const {
  const Places places(cluster, state_->files, state_->tracks);
  CaptureAnalysis analysis;
  for (std::size_t i = 0; i < state_->files.size(); ++i) {
    const File& f = state_->files[i];
    const CapturePlace& place = places.file(i);
    analysis.captures.push_back({f.name, place.node, place.device, places.placed_by(i), f.capture.format,
                                 f.capture.frames, f.capture.not_ip, f.capture.not_understood,
                                 f.capture.first_not_understood, f.capture.cut_why});
  }
  Flows found = find_flows(state_->tracks, places);
  Forecaster forecaster(cluster, places);
  analysis.flows.reserve(found.flows.size());
  for (Flow& flow : found.flows) {
    share_directions(flow);
    analysis.flows.push_back(judge(flow, forecaster.forecast(flow), state_->files));
    flow.parts = std::vector<Part>();  // there may be hundreds of thousands: what was judged makes room
  }
  analysis.packets_without_flow = found.stray_errors + state_->tracks.not_flows();
  analysis.packets_left_out = state_->tracks.left_out();
  return analysis;
}

}  // namespace egt::explain
