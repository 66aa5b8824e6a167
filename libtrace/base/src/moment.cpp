#include "egtrace/base/moment.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>

#include "egtrace/base/text.h"

namespace egt {
namespace {

constexpr std::uint64_t kMostDays = 3'000'000;  // beyond the year 9999

// Exactly `digits` digits.
std::optional<int> take_number(std::string_view& s, std::size_t digits) {
  if (s.size() < digits) return std::nullopt;
  const auto value = parse_decimal(s.substr(0, digits));
  if (!value || !is_digit(s.front())) return std::nullopt;
  s.remove_prefix(digits);
  return static_cast<int>(*value);
}

// ".123" as milliseconds; further digits are cut. Zero where there is none.
std::optional<std::int64_t> take_fraction(std::string_view& s) {
  if (!s.starts_with('.') && !s.starts_with(',')) return 0;
  s.remove_prefix(1);
  std::int64_t ms = 0;
  std::size_t digits = 0;
  for (; !s.empty() && is_digit(s.front()); s.remove_prefix(1), ++digits)
    if (digits < 3) ms = ms * 10 + (s.front() - '0');
  if (digits == 0) return std::nullopt;
  for (; digits < 3; ++digits) ms *= 10;
  return ms;
}

std::optional<std::int64_t> take_date(std::string_view& s) {
  using namespace std::chrono;
  const auto y = take_number(s, 4);
  if (!y || !consume(s, "-")) return std::nullopt;
  const auto m = take_number(s, 2);
  if (!m || !consume(s, "-")) return std::nullopt;
  const auto d = take_number(s, 2);
  if (!d) return std::nullopt;
  const year_month_day date{year(*y), month(static_cast<unsigned>(*m)), day(static_cast<unsigned>(*d))};
  if (!date.ok()) return std::nullopt;
  return duration_cast<milliseconds>(sys_days(date).time_since_epoch()).count();
}

// "Z", "+01:00", "-0500" or nothing, as milliseconds to be subtracted.
std::optional<std::int64_t> take_zone(std::string_view& s) {
  if (s.empty() || consume(s, "Z") || consume(s, "z")) return 0;
  const std::int64_t sign = s.front() == '-' ? -1 : 1;
  if (!consume(s, "+") && !consume(s, "-")) return std::nullopt;
  const auto hours = take_number(s, 2);
  consume(s, ":");
  const auto minutes = s.empty() ? std::optional<int>(0) : take_number(s, 2);
  if (!hours || !minutes || *hours > 23 || *minutes > 59) return std::nullopt;
  return sign * (*hours * 60 + *minutes) * 60'000;
}

std::optional<std::int64_t> take_clock(std::string_view& s) {
  const auto hours = take_number(s, 2);
  if (!hours || *hours > 23 || !consume(s, ":")) return std::nullopt;
  const auto minutes = take_number(s, 2);
  if (!minutes || *minutes > 59) return std::nullopt;
  std::int64_t ms = (*hours * 60 + *minutes) * 60'000LL;
  if (!consume(s, ":")) return ms;
  const auto seconds = take_number(s, 2);
  const auto fraction = seconds ? take_fraction(s) : std::nullopt;
  if (!fraction || *seconds > 60) return std::nullopt;
  return ms + *seconds * 1000 + *fraction;
}

std::optional<std::int64_t> calendar(std::string_view s) {
  const auto date = take_date(s);
  if (!date || s.empty()) return date;
  if (!consume(s, "T") && !consume(s, "t") && !consume(s, " ")) return std::nullopt;
  const auto clock = take_clock(s);
  const auto zone = clock ? take_zone(s) : std::nullopt;
  if (!zone || !s.empty()) return std::nullopt;
  return *date + *clock - *zone;
}

std::optional<std::int64_t> seconds_since_1970(std::string_view s) {
  const std::size_t digits = std::min(s.find('.'), s.size());
  const auto seconds = parse_decimal(s.substr(0, digits));
  s.remove_prefix(digits);
  const auto fraction = take_fraction(s);
  if (!seconds || !fraction || !s.empty() || *seconds / 86400 > kMostDays) return std::nullopt;
  return static_cast<std::int64_t>(*seconds) * 1000 + *fraction;
}

// "1h30m" in milliseconds.
std::optional<std::int64_t> duration(std::string_view s) {
  std::int64_t sum = 0;
  bool any = false;
  while (!s.empty()) {
    const std::size_t digits = std::min(s.find_first_not_of("0123456789"), s.size());
    const auto number = parse_decimal(s.substr(0, digits));
    s.remove_prefix(digits);
    if (!number) return std::nullopt;
    const std::int64_t unit = consume(s, "ms")  ? 1
                              : consume(s, "s") ? 1000
                              : consume(s, "m") ? 60'000
                              : consume(s, "h") ? 3'600'000
                              : consume(s, "d") ? 86'400'000
                                                : 0;
    if (unit == 0 || *number > kMostDays * 86'400'000 / static_cast<std::uint64_t>(unit)) return std::nullopt;
    sum += static_cast<std::int64_t>(*number) * unit;
    any = true;
  }
  return any ? std::optional(sum) : std::nullopt;
}

}  // namespace

Result<Moment> parse_moment(std::string_view text) {
  const std::string_view s = trim(text);
  if (s.starts_with('@')) {
    if (const auto ms = seconds_since_1970(s.substr(1))) return Moment{false, *ms};
  } else if (const auto at = calendar(s)) {
    return Moment{false, *at};
  } else if (const auto before = duration(s)) {
    return Moment{true, *before};
  }
  return Error{std::string(text) +
               ": no moment; give 2026-03-01T12:00:00Z, @SECONDS, or 10m, 2h, 3d before the newest transaction"};
}

std::string utc_text(std::int64_t ms) {
  using namespace std::chrono;
  const sys_time<milliseconds> at{milliseconds(ms)};
  const auto day = floor<days>(at);
  const year_month_day date(day);
  const hh_mm_ss time(at - day);
  char text[64];
  const int n = std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d", static_cast<int>(date.year()),
                              static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                              static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
                              static_cast<int>(time.seconds().count()));
  const int fraction = static_cast<int>(time.subseconds().count());
  if (fraction != 0) std::snprintf(text + n, sizeof text - static_cast<std::size_t>(n), ".%03d", fraction);
  return std::string(text) + "Z";
}

}  // namespace egt
