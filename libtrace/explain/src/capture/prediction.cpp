#include "prediction.h"

#include <fmt/format.h>

#include "egtrace/explain/outcome.h"
#include "remarks.h"
#include "seen.h"

namespace egt::explain::capture_study {

std::vector<FlowStatement> Prediction::of_answered() const {
  if (forecast_.forward.path == nullptr || forecast_.matched == 0)
    return {{FlowRemark::answered_unpredicted, {phrase({why_none()})}}};
  if (const std::string why = why_not_answered(); !why.empty()) return {{FlowRemark::answered_nevertheless, {why}}};
  return summary_of(forecast_.forward);
}

// Why the path that fits has another outcome than an answer; empty where it has not, or none.
std::string Prediction::why_not_answered() const {
  const PathReport& path = *forecast_.forward.path;
  if (path.verdict != Verdict::delivered) return Remarks::text_of(summary_of(forecast_.forward));
  if (path.outcome != Outcome::refused && path.outcome != Outcome::unanswered) return {};
  const FailedWalk failed = failed_walk(path);
  return failed.walk != nullptr
             ? forecast_.ends.in_text(failed.walk->summary)
             : phrase({FlowRemark::no_process_listens, {path.destination_seen ? to_text(*path.destination_seen) : receiver_}});
}

std::vector<FlowStatement> Prediction::summary_of(const Predicted& p) const {
  const PathReport& path = *p.path;
  if (forecast_.translated_by.empty() && (forecast_.alike.empty() || &p != &forecast_.forward))
    return {{FlowRemark::predicted, {p.summary()}}};
  if (forecast_.translated_by.empty())
    return {{FlowRemark::several_paths_fit,
             {std::uint64_t{forecast_.alike.size() + 1}, p.summary(), fmt::format("{}", fmt::join(forecast_.alike, "; or "))}}};
  const bool ends = path.stopped_at && path.verdict != Verdict::delivered;
  return {ends
              ? FlowStatement{FlowRemark::ends_as_predicted,
                              {std::string(name_of(path.verdict)), stop_place(*path.stopped_at), p.why_stopped()}}
              : FlowStatement{FlowRemark::seen_by_receiver_as,
                              {path.end_name.empty() ? receiver_ : path.end_name, source_text(p.rows.report(p.rows.size() - 1))}},
          {FlowRemark::sender_not_captured, {forecast_.translated_by}}};
}

std::string Prediction::stop_place(const StopReport& stop) const {
  const bool in_table = stop.place.kind == engine::PlaceKind::table;
  return place_text(stop.node, in_table ? std::get<std::string>(stop.place.about.front()) : forecast_.ends.in_text(stop.where));
}

}  // namespace egt::explain::capture_study
