// A predicted path as the packets of a flow are compared with it. One walk stands for many flows; what it shows is shown
// here with each flow's own addresses and ports.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "egtrace/explain/explanation.h"
#include "flows.h"

namespace egt::explain::capture_study {

// A predicted row as packets are compared with it: made once a walk, compared with every flow that it may be for.
struct PredictedRow {
  const SightingReport* sighting = nullptr;
  const CapturePlace* at = nullptr;  // null: no packet was captured there
  IpAddr src, dst;
  std::uint64_t smac = 0, dmac = 0;  // 0: not known
  bool captured = false;             // a capture was taken there
};
// A path of a walk with its rows, and those of its answers and of the packets after the handshake.
struct PlannedPath {
  const PathReport* path = nullptr;
  std::vector<PredictedRow> rows;
  std::vector<PlannedPath> replies, nexts;
};

// The ends of a walk and of a flow that it stands for: a walk is made once for all source ports, and for all addresses
// that no dump distinguishes. What it left alone is the flow's own.
struct OwnEnds {
  Ends walked, own;

  IpAddr in_place_of(const IpAddr& a) const { return a == walked.src ? own.src : a == walked.dst ? own.dst : a; }
  std::optional<std::uint16_t> in_place_of(std::optional<std::uint16_t> port) const {
    return port == walked.sport ? own.sport : port;
  }
  std::string in_place_of(const std::string& address) const;
  std::string in_text(std::string text) const;  // with the flow's addresses
};

// Rows of one direction of one path, in order, for one flow.
class Rows {
 public:
  Rows() = default;
  Rows(const std::vector<PredictedRow>& rows, const OwnEnds& ends, bool reply) : rows_(&rows), ends_(ends), reply_(reply) {}

  std::size_t size() const { return rows_ == nullptr ? 0 : rows_->size(); }
  bool empty() const { return size() == 0; }
  const PredictedRow& operator[](std::size_t i) const { return (*rows_)[i]; }
  const SightingReport& sighting(std::size_t i) const { return *(*rows_)[i].sighting; }
  IpAddr src(std::size_t i) const { return ends_.in_place_of((*rows_)[i].src); }
  IpAddr dst(std::size_t i) const { return ends_.in_place_of((*rows_)[i].dst); }
  std::optional<std::uint16_t> sport(std::size_t i) const {
    return reply_ ? sighting(i).sport : ends_.in_place_of(sighting(i).sport);
  }
  std::optional<std::uint16_t> dport(std::size_t i) const {
    return reply_ ? ends_.in_place_of(sighting(i).dport) : sighting(i).dport;
  }
  SightingReport report(std::size_t i) const;  // with the flow's addresses and ports

 private:
  const std::vector<PredictedRow>* rows_ = nullptr;
  OwnEnds ends_;
  bool reply_ = false;
};

struct Predicted {
  const PathReport* path = nullptr;
  Rows rows;
  OwnEnds ends;
  bool reply = false;

  // Of the path, with the flow's addresses and ports.
  std::string summary() const;
  std::string why_stopped() const { return ends.in_text(path->stopped_at->why); }
};

// Index of the first predicted row that this part is a sighting of; npos where there is none.
std::size_t match(const Rows& rows, const FlowPart& part);
constexpr std::size_t kNoRow = static_cast<std::size_t>(-1);

}  // namespace egt::explain::capture_study
