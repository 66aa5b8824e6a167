#include "decode/release_range.h"

#include <algorithm>
#include <optional>

#include "egtrace/base/text.h"

namespace egt::explain {
namespace {

constexpr unsigned kAnyPatch = 1000;

struct SeriesPatch {
  unsigned series = 0;
  std::optional<unsigned> patch;
};  // 25.03.1: {2503, 1}

std::optional<SeriesPatch> parse_series(std::string_view text) {
  const auto year = parse_decimal(take_until(text, '.')), month = parse_decimal(take_until(text, '.'));
  if (!year || !month || *year > 99 || *month > 12) return std::nullopt;
  SeriesPatch r{static_cast<unsigned>(*year * 100 + *month), std::nullopt};
  if (const auto patch = parse_decimal(text)) r.patch = static_cast<unsigned>(*patch);
  return r;
}

// Patch releases of one series, from the first to the last.
struct Range {
  unsigned series = 0, first = 0, last = kAnyPatch;
};

std::optional<Range> parse_range(std::string_view text) {
  const bool open = text.ends_with('+');
  if (open) text.remove_suffix(1);
  const std::string_view from = take_until(text, '-');
  const auto first = parse_series(from), last = parse_series(text);
  if (!first) return std::nullopt;
  Range range{first->series, first->patch.value_or(0), kAnyPatch};
  if (last && last->patch)
    range.last = *last->patch;
  else if (first->patch && !open)
    range.last = *first->patch;
  return range;
}

// The part of a series for which the words hold; empty (first behind last) where they do not.
Range part_of_series(std::string_view releases, unsigned series) {
  Range part{series, 1, 0};
  while (!releases.empty()) {
    std::string_view one = trim(take_until(releases, ','));
    if (consume(one, "up to ")) {
      if (const auto r = parse_series(one); r && series <= r->series)
        part = {series, 0, series == r->series ? r->patch.value_or(kAnyPatch) : kAnyPatch};
    } else if (consume(one, "before ")) {
      if (const auto r = parse_series(one); r && series < r->series) part = {series, 0, kAnyPatch};
    } else {
      const bool on = one.ends_with(" on");
      if (on) one.remove_suffix(3);
      const auto r = parse_series(one);
      if (!r) continue;
      // A patch release that is named by itself shows from where on an older series has it.
      if (series == r->series) return {series, r->patch.value_or(0), kAnyPatch};
      if (on && series > r->series) part = {series, 0, kAnyPatch};
    }
  }
  return part;
}

}  // namespace

Holds holds_for(std::string_view releases, const std::vector<std::string>& candidates) {
  if (releases.empty()) return Holds::all;
  bool every = true, any = false;
  for (const std::string& text : candidates) {
    const auto candidate = parse_range(text);
    if (!candidate) continue;
    const Range part = part_of_series(releases, candidate->series);
    const bool overlaps = part.first <= part.last && part.first <= candidate->last && candidate->first <= part.last;
    any |= overlaps;
    every &= overlaps && part.first <= candidate->first && candidate->last <= part.last;
  }
  if (candidates.empty()) return Holds::some;
  if (!any) return Holds::no;
  return every ? Holds::all : Holds::some;
}

}  // namespace egt::explain
