#include "event_tracks.h"

#include <algorithm>
#include <functional>

namespace egt::explain::capture_study {
namespace {

constexpr std::size_t kMostLinks = 1'000'000;  // of packets and queues to tracks

std::uint64_t key_of(std::uint32_t file, std::uint64_t id) { return (static_cast<std::uint64_t>(file) << 48) ^ id; }

}  // namespace

std::size_t EventTracks::FactsHash::operator()(const capture::EventFacts& f) const {
  std::size_t h = std::hash<std::string>{}(f.symbol);
  const auto mix = [&h](std::size_t v) { h = (h ^ v) * 0x9e3779b97f4a7c15ULL, h ^= h >> 29; };
  mix(f.netns);
  mix(static_cast<std::size_t>(f.interface) << 8 | static_cast<std::size_t>(f.ovs));
  mix(static_cast<std::size_t>(f.port) << 32 | static_cast<std::size_t>(f.zone) << 16 | f.ct_zone);
  mix(static_cast<std::size_t>(f.nft_rule));
  for (const std::string* s : {&f.action, &f.datapath_flow, &f.ct_state, &f.nft_chain, &f.nft_verdict, &f.drop_reason})
    if (!s->empty()) mix(std::hash<std::string>{}(*s));
  return h;
}

// Events of ovs-vswitchd have no packet, but the queue number of the upcall that brought it.
const Track* EventTracks::track_of(std::uint32_t file, const capture::KernelEvent& event, const Track* track) {
  if (track != nullptr) {
    if (event.queue != 0 && by_queue_.size() < kMostLinks) by_queue_[key_of(file, event.queue)] = track;
    return track;
  }
  if (event.queue == 0) return nullptr;
  const auto found = by_queue_.find(key_of(file, event.queue));
  return found == by_queue_.end() ? nullptr : found->second;
}

void EventTracks::take(std::uint32_t file, const capture::KernelEvent& event, const Track* track) {
  const capture::EventFacts& f = event.facts;
  if (!f.openflow_flows.empty() && flows_.size() < kMostFacts) flows_.try_emplace(f.datapath_flow, f.openflow_flows);
  if (f.symbol.empty() && !f.drop) return;  // ovs-detrace: of a flow, not of a packet
  track = track_of(file, event, track);
  if (track == nullptr) {
    ++without_flow_;
    return;
  }
  if (facts_.size() == kMostFacts && !facts_.contains(f)) {
    ++without_flow_;
    return;
  }
  const auto [known, is_new] = facts_.try_emplace(f, static_cast<std::uint32_t>(facts_.size()));
  const std::uint32_t number = numbers_.try_emplace(track, static_cast<std::uint32_t>(numbers_.size())).first->second;
  const std::uint64_t key = static_cast<std::uint64_t>(number) << 32 | known->second;
  if (const auto row = rows_.find(key); row != rows_.end()) {
    EventTrack& e = all_[row->second];
    ++e.events;
    e.last_time = std::max(e.last_time, event.time);
    return;
  }
  if (all_.size() == kMostRows) {
    ++without_flow_;
    return;
  }
  rows_.emplace(key, static_cast<std::uint32_t>(all_.size()));
  all_.push_back({track, &known->first, file, event.line, 1, event.time, event.time, event.packet});
}

const std::vector<std::string>& EventTracks::openflow_flows(const EventTrack& e) const {
  static const std::vector<std::string> kNone;
  if (!e.facts->openflow_flows.empty()) return e.facts->openflow_flows;
  const auto found = flows_.find(e.facts->datapath_flow);
  return found == flows_.end() ? kNone : found->second;
}

}  // namespace egt::explain::capture_study
