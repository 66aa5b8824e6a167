// Events of tracers, gathered: those of packets with the same headers that pass the same place alike are one
// row. A file of a million events has some hundred of them for each flow.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "egtrace/capture/kernel_event.h"
#include "tracks.h"

namespace egt::explain::capture_study {

struct EventTrack {
  const Track* track = nullptr;  // whose packets these are
  const capture::EventFacts* facts = nullptr;
  std::uint32_t file = 0;
  std::uint64_t first_line = 0, events = 0;
  std::int64_t first_time = 0, last_time = 0;
  std::uint64_t packet = 0;  // of the first one, as the tracer distinguishes packets; 0: it does not
};

class EventTracks {
 public:
  // `track`: null where the event has no packet, or too many flows are kept.
  void take(std::uint32_t file, const capture::KernelEvent& event, const Track* track);
  const std::deque<EventTrack>& all() const { return all_; }
  // Of packets that nothing shows, as of processes that have no packet, or of more than are kept.
  std::uint64_t without_flow() const { return without_flow_; }
  // The OpenFlow flows that made a datapath flow, as the tracer printed them elsewhere; empty where it did not.
  const std::vector<std::string>& openflow_flows(const EventTrack& e) const;

 private:
  struct FactsHash {
    std::size_t operator()(const capture::EventFacts& f) const;
  };
  const Track* track_of(std::uint32_t file, const capture::KernelEvent& event, const Track* track);

  static constexpr std::size_t kMostRows = 1'000'000, kMostFacts = 100'000;
  std::unordered_map<capture::EventFacts, std::uint32_t, FactsHash> facts_;
  std::unordered_map<std::uint64_t, std::uint32_t> rows_;  // by track, facts and file
  std::unordered_map<const Track*, std::uint32_t> numbers_;
  std::unordered_map<std::uint64_t, const Track*> by_queue_;         // by file and queue
  std::unordered_map<std::string, std::vector<std::string>> flows_;  // by UFID
  std::deque<EventTrack> all_;
  std::uint64_t without_flow_ = 0;
};

}  // namespace egt::explain::capture_study
