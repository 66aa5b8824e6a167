// Where a flow was seen nearest to its sender: there the answer must come by.
#pragma once

#include <cstdint>
#include <vector>

#include "flow_parts.h"
#include "predicted.h"
#include "seen.h"

namespace egt::explain::capture_study {

class NearPart {
 public:
  // `forward`: of the first direction.
  NearPart(const Progress& forward, const std::vector<File>& files);

  // Null: nothing of the first direction was seen.
  const FlowPart* part() const { return part_; }
  // Whether it is the sender's own device.
  bool is_start() const { return is_start_; }
  // Whether what was not seen there was absent.
  bool shows_all() const { return shows_all_; }
  std::uint64_t packets() const { return part_ != nullptr ? part_->track->all.packets : 0; }
  // How often its opening was sent there; 0: not at all, or that is not known.
  std::uint64_t openings() const { return openings_; }
  // Whether one of these parts came back to the sender, as an answer to what it sent.
  bool arrived(const Parts& parts, const Predicted& reply) const;

 private:
  const FlowPart* part_ = nullptr;
  bool is_start_ = false;
  bool shows_all_ = false;
  std::uint64_t openings_ = 0;
};

}  // namespace egt::explain::capture_study
