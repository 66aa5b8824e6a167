#include <gtest/gtest.h>

#include "egtrace/base/ip.h"
#include "egtrace/base/mac.h"
#include "egtrace/base/text.h"
#include "egtrace/evidence/evidence.h"

namespace egt {
namespace {

TEST(Ip, ReadsAndPrintsBothFamilies) {
  for (const char* text : {"0.0.0.0", "10.133.0.9", "255.255.255.255", "::", "::1", "fd01:0:0:2::9", "fe80::1"}) {
    const auto a = IpAddr::parse(text);
    ASSERT_TRUE(a) << text;
    EXPECT_EQ(a->to_string(), text);
  }
}

TEST(Ip, RefusesWhatIsNoAddress) {
  for (const char* text : {"", "1", "1.2.3", "1.2.3.4.5", "1.2.3.256", "fd00::/64", "[::1]", "::1%eth0", "g::"})
    EXPECT_FALSE(IpAddr::parse(text)) << text;
  EXPECT_FALSE(IpAddr::parse(std::string(5000, ':')));
}

TEST(Prefix, ContainsItsAddresses) {
  const Prefix p = *Prefix::parse("10.132.0.0/14");
  EXPECT_TRUE(p.contains(*IpAddr::parse("10.135.255.255")));
  EXPECT_FALSE(p.contains(*IpAddr::parse("10.136.0.0")));
  EXPECT_FALSE(p.contains(*IpAddr::parse("::1")));
  EXPECT_TRUE(Prefix::any(Family::v4).contains(*IpAddr::parse("1.2.3.4")));
  EXPECT_TRUE(Prefix::parse("fd01::/48")->contains(*IpAddr::parse("fd01:0:0:2::9")));
  EXPECT_EQ(Prefix::parse("192.168.66.25/24")->network().to_string(), "192.168.66.0/24");
  EXPECT_FALSE(Prefix::parse("10.0.0.0/33"));
  EXPECT_FALSE(Prefix::parse("10.0.0.0/"));
}

TEST(Mac, ReadsAndPrints) {
  EXPECT_EQ(MacAddr::parse("0a:58:64:58:00:02")->to_string(), "0a:58:64:58:00:02");
  EXPECT_FALSE(MacAddr::parse("0a:58:64:58:00"));
  EXPECT_FALSE(MacAddr::parse("0a:58:64:58:00:02:03"));
  EXPECT_TRUE(MacAddr::parse("01:00:5e:00:00:01")->is_multicast());
}

TEST(Text, NumbersKeepTheirRange) {
  EXPECT_EQ(parse_u64("0x2a"), 42u);
  EXPECT_EQ(parse_u64("18446744073709551615"), ~std::uint64_t{0});
  EXPECT_FALSE(parse_u64("18446744073709551616"));
  EXPECT_FALSE(parse_u64("0x"));
  EXPECT_FALSE(parse_u64("-1"));
  EXPECT_EQ(parse_u128("0xffffffffffffffffffffffffffffffff"), ~static_cast<U128>(0));
  EXPECT_FALSE(parse_u128("0x1ffffffffffffffffffffffffffffffff"));
  EXPECT_EQ(hex(make_u128(1, 0)), "0x10000000000000000");
}

TEST(Text, SplitsOutsideBrackets) {
  const auto parts = split_outside(R"(ct(commit,zone=1),note="a,b",x)", ',');
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0], "ct(commit,zone=1)");
  EXPECT_EQ(parts[1], R"(note="a,b")");
}

TEST(Evidence, FindsLinesOfPastedParts) {
  SourceTable sources;
  const SourceId id = sources.add("paste.txt", "one\ntwo\r\nthree", nullptr, 10);
  EXPECT_EQ(sources.line_text({id, 11}), "two");
  EXPECT_EQ(sources.line_text({id, 12}), "three");
  EXPECT_EQ(sources.line_text({id, 13}), "");
  EXPECT_EQ(sources.line_text({id, 9}), "");
  const Diagnostic d{Diagnostic::Severity::warning, {id, 11}, 2, "odd", ""};
  EXPECT_EQ(format_diagnostic(d, sources), "paste.txt:11:2: warning: odd\n    two\n     ^\n");
}

TEST(Evidence, RowsOfATableAreSourcesThatFollowEachOther) {
  SourceTable sources;
  const SourceId dump = sources.add("nb.db", "OVSDB JSON", nullptr);
  int reads = 0;
  const SourceId first = sources.add_rows("nb.db", "ACL", 2, ReadLater<std::vector<QuotedRow>>::by([&reads] {
                                            ++reads;
                                            return std::vector<QuotedRow>{{R"("a":{})", 4}, {R"("b":{})", 9}};
                                          }),
                                          nullptr);
  const SourceId behind = sources.add("other", "text", nullptr);
  EXPECT_EQ(behind, first + 2);
  EXPECT_EQ(sources.size(), 4U);
  EXPECT_EQ(sources.dumps(), (std::vector<SourceId>{dump, behind}));
  EXPECT_EQ(sources.rows_with(first + 1).first, first);
  EXPECT_EQ(sources.rows_with(first + 1).count, 2U);
  EXPECT_EQ(sources.rows_with(behind).rows, nullptr);
  EXPECT_EQ(reads, 0);
  EXPECT_EQ(sources.at(first + 1).text, R"("b":{})");
  EXPECT_EQ(sources.at(first + 1).table, "ACL");
  EXPECT_EQ(sources.line_text({first, 4}), R"("a":{})");
  EXPECT_EQ(sources.line_text({first + 1, 8}), "");
  EXPECT_EQ(sources.line_text({first + 1, 10}), "");
  EXPECT_EQ(reads, 1);
}

TEST(Text, CountsLines) {
  EXPECT_EQ(count_lines(""), 0U);
  EXPECT_EQ(count_lines("a"), 1U);
  EXPECT_EQ(count_lines("a\n"), 1U);
  EXPECT_EQ(count_lines("\n\n\nb"), 4U);
  // Bytes that differ from an end by one bit, at each place of a word.
  std::string text;
  std::uint32_t ends = 0;
  for (unsigned i = 0; i < 1000; ++i) {
    text += static_cast<char>(i % 256);
    ends += i % 256 == 10 ? 1 : 0;
    EXPECT_EQ(count_lines(text), ends + (text.back() == '\n' ? 0 : 1)) << i;
  }
}

}  // namespace
}  // namespace egt
