// Moments as logs have them and as users write them: milliseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "egtrace/base/result.h"

namespace egt {

// What a user wrote: a moment, or how long before the newest thing known.
struct Moment {
  bool before_newest = false;
  std::int64_t ms = 0;  // since 1970; before_newest: how much earlier

  std::int64_t relative_to(std::int64_t newest) const { return before_newest ? newest - ms : ms; }
};

// "2026-03-01T12:00:00Z" (ISO 8601; seconds, fractions and zone may be absent, without a zone it is UTC; a date alone
// is its midnight), "@1772366400" (seconds since 1970, fractions allowed), or a number with one of ms s m h d ("10m",
// "1h30m"): that long before the newest. The error names what was given and what is taken.
Result<Moment> parse_moment(std::string_view text);

// RFC 3339 in UTC: "2026-03-01T12:00:00.123Z", without the fraction where it is zero.
std::string utc_text(std::int64_t ms);

}  // namespace egt
