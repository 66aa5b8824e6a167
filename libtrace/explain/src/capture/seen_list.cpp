#include "seen_list.h"

#include <algorithm>
#include <utility>

namespace egt::explain::capture_study {
namespace {

bool same_place(const SeenReport& a, const SeenReport& b) {
  return a.at.node == b.at.node && a.at.device == b.at.device && a.at.src == b.at.src && a.at.dst == b.at.dst &&
         a.at.sport == b.at.sport && a.at.dport == b.at.dport && a.at.ttl == b.at.ttl && a.reply == b.reply &&
         a.at.encap.has_value() == b.at.encap.has_value() && (!a.direction_known || !b.direction_known || a.at.in == b.at.in);
}

void add(SeenReport r, std::vector<SeenReport>& seen) {
  for (SeenReport& known : seen) {
    const bool same = same_place(known, r) && known.what == r.what;
    if (!same || known.file == r.file) continue;
    if (known.at.dmac.empty() && !r.at.dmac.empty()) {  // a cooked capture shows less
      r.predicted |= known.predicted;
      known = std::move(r);
    }
    return;
  }
  seen.push_back(std::move(r));
}

// A capture of all devices does not show which device a frame was for; where others do, frames for several nodes stand in
// rows of their own, and its row for all of them adds nothing.
void drop_less_detailed(std::vector<SeenReport>& seen) {
  const auto has_better = [&](const SeenReport& r) {
    if (!r.at.dmac.empty()) return false;
    Kinds rest = r.kinds;
    for (const SeenReport& other : seen) {
      if (other.at.dmac.empty() || other.file == r.file || !same_place(other, r)) continue;
      if (r.kinds != kOtherPackets || r.what == other.what) rest = static_cast<Kinds>(rest & ~other.kinds);
    }
    return rest == 0;
  };
  const bool cooked = std::any_of(seen.begin(), seen.end(), [](const SeenReport& r) { return r.at.dmac.empty(); });
  if (!cooked) return;
  std::vector<bool> better;  // of all, before the first goes
  for (const SeenReport& r : seen) better.push_back(has_better(r));
  std::vector<SeenReport> kept;
  for (std::size_t i = 0; i < seen.size(); ++i)
    if (!better[i]) kept.push_back(std::move(seen[i]));
  seen = std::move(kept);
}

}  // namespace

std::vector<SeenReport> seen_in_order(const Flow& flow, const FlowParts& parts, const FlowProgress& progress,
                                      const Rows& reply_rows, const std::vector<File>& files) {
  struct OrderedPart {
    const FlowPart* part;
    std::size_t order;
  };
  std::vector<OrderedPart> ordered;
  ordered.reserve(flow.parts.size());
  std::vector<bool> listed(flow.parts.size());
  const auto first_time = [&](const FlowPart* part) {
    const auto index = static_cast<std::size_t>(part - flow.parts.data());
    const bool known = listed[index];
    listed[index] = true;
    return !known;
  };
  const auto list = [&](const Progress& p) {
    for (const Progress::Hit& h : p.hits)
      if (first_time(h.part)) ordered.push_back({h.part, h.row});
  };
  list(progress.forward);
  list(progress.next);
  const std::size_t forward_count = ordered.size();
  list(progress.reply);
  for (const Parts* more : {&parts.replies_later, &parts.resets, &parts.errors, &parts.other})
    for (const FlowPart* part : *more)
      if (first_time(part)) ordered.push_back({part, match(reply_rows, *part)});
  const auto by_path = [](const OrderedPart& a, const OrderedPart& b) {
    if ((a.order == kNoRow) != (b.order == kNoRow)) return b.order == kNoRow;
    if (a.order != b.order) return a.order < b.order;
    return a.part->track->all.time < b.part->track->all.time;
  };
  std::stable_sort(ordered.begin(), ordered.begin() + static_cast<std::ptrdiff_t>(forward_count), by_path);
  std::stable_sort(ordered.begin() + static_cast<std::ptrdiff_t>(forward_count), ordered.end(), by_path);
  std::vector<SeenReport> seen;
  seen.reserve(ordered.size());
  for (const OrderedPart& p : ordered) add(seen_report(*p.part, p.order != kNoRow, files), seen);
  drop_less_detailed(seen);
  return seen;
}

}  // namespace egt::explain::capture_study
