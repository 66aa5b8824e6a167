#include "near_part.h"

#include <algorithm>

namespace egt::explain::capture_study {

NearPart::NearPart(const Progress& forward, const std::vector<File>& files) {
  std::size_t row = kNoRow;
  for (const Progress::Hit& h : forward.hits)
    if (part_ == nullptr || (h.row != kNoRow && (row == kNoRow || h.row < row))) {
      part_ = h.part;
      row = h.row;
    }
  is_start_ = row == 0;
  shows_all_ = is_start_ && part_ != nullptr && !files[part_->track->key.file].capture.of_events;
  for (const Progress::Hit& h : forward.hits)
    if (part_ != nullptr && h.part->place.at == part_->place.at && h.part->ends == part_->ends)
      openings_ = std::max(openings_, h.part->track->syn.packets);
}

bool NearPart::arrived(const Parts& parts, const Predicted& reply) const {
  if (part_ == nullptr) return false;
  const bool passes_near = std::any_of(parts.begin(), parts.end(), [&](const FlowPart* part) {
    return part->place.at == part_->place.at && part->ends == part_->ends.reversed();
  });
  if (is_start_ || reply.path == nullptr) return passes_near;
  // The sender's own device was not captured: passing where its packet was seen is not arriving, and the answer need
  // not pass there.
  const Progress p = progress_of(parts, reply.rows);
  if (p.furthest == kNoRow) return passes_near;
  return reply.path->verdict == Verdict::delivered && p.missing == kNoRow;
}

}  // namespace egt::explain::capture_study
