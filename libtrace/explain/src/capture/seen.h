// One direction of a flow, set against the rows that were predicted for it.
#pragma once

#include <string>
#include <vector>

#include "egtrace/explain/capture.h"
#include "flows.h"
#include "forecast.h"

namespace egt::explain::capture_study {

// The parts of one direction and stage along the predicted rows.
struct Progress {
  struct Hit {
    const FlowPart* part;
    std::size_t row;
  };                               // row: kNoRow where nothing like it was predicted
  std::vector<Hit> hits;           // by time
  const FlowPart* last = nullptr;  // the furthest; null: nothing was seen
  std::size_t furthest = kNoRow;   // its row
  std::size_t missing = kNoRow;    // the first captured row behind it at which nothing was seen
  bool complete = false;           // the last row was seen
};
Progress progress_of(const std::vector<const FlowPart*>& parts, const Rows& rows);

std::string place_text(const std::string& node, const std::string& device);
std::string place_text(const FlowPart& part);
std::string ends_text(const FlowPart& part);
std::string row_text(const SightingReport& row);
std::string source_text(const SightingReport& row);  // "10.0.0.1:80"
std::string packet_kinds(const Track& track);        // "SYN, data"
std::string error_text(const Track& track);          // "ICMP port unreachable from 10.0.0.1"

Kinds kinds_of(const Track& track);

SeenReport seen_report(const FlowPart& part, bool predicted, const std::vector<File>& files);
// What the parts show otherwise than predicted: addresses, places, TTL, MAC addresses.
void add_differences(const Progress& progress, const Rows& rows, std::vector<DifferenceReport>& out);

}  // namespace egt::explain::capture_study
