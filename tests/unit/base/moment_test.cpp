#include "egtrace/base/moment.h"

#include <gtest/gtest.h>

namespace egt {
namespace {

TEST(Moment, IsReadAsPeopleWriteIt) {
  for (const char* text : {"2026-03-01T12:00:00Z", "2026-03-01 12:00", "2026-03-01T13:30:00+01:30", "2026-03-01T07:00:00-0500",
                           "@1772366400", "@1772366400.000", "2026-03-01T12:00:00.000999Z", " 2026-03-01T12:00Z"}) {
    const auto moment = parse_moment(text);
    ASSERT_TRUE(moment) << text;
    EXPECT_FALSE(moment->before_newest) << text;
    EXPECT_EQ(1772366400000, moment->ms) << text;
  }
  EXPECT_EQ(1772323200000, parse_moment("2026-03-01")->ms);
  EXPECT_EQ(1772366400123, parse_moment("@1772366400.1234")->ms);
  EXPECT_EQ(1772366400500, parse_moment("2026-03-01T12:00:00,5Z")->ms);
}

TEST(Moment, MayCountBackFromTheNewest) {
  EXPECT_TRUE(parse_moment("10m")->before_newest);
  EXPECT_EQ(600000, parse_moment("10m")->ms);
  EXPECT_EQ(5400000, parse_moment("1h30m")->ms);
  EXPECT_EQ(86400000 + 2500, parse_moment("1d2s500ms")->ms);
  EXPECT_EQ(400, parse_moment("600ms")->relative_to(1000));
  EXPECT_EQ(7, Moment({false, 7}).relative_to(1000));
}

TEST(Moment, RefusesTheRest) {
  for (const char* text : {"", "@", "now", "10", "10x", "m", "2026-13-01", "2026-02-30", "2026-3-1", "2026-03-01T25:00",
                           "2026-03-01T12", "2026-03-01T12:00:00X", "2026-03-01T12:00:00.Z", "2026-03-01T12:00+99:00",
                           "@99999999999999999999", "99999999999999999d", "-5m", "@-1", "2026-03-01T12:00:00Zz"})
    EXPECT_FALSE(parse_moment(text)) << text;
}

TEST(Moment, IsPrintedInUtc) {
  EXPECT_EQ("2026-03-01T12:00:00Z", utc_text(1772366400000));
  EXPECT_EQ("2026-03-01T12:00:00.007Z", utc_text(1772366400007));
  EXPECT_EQ("1970-01-01T00:00:00Z", utc_text(0));
  for (const std::int64_t ms : {std::int64_t{1}, std::int64_t{951782400000}, std::int64_t{4102444799999}})
    EXPECT_EQ(ms, parse_moment(utc_text(ms))->ms);
}

}  // namespace
}  // namespace egt
