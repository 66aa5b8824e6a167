#include "support/quick_hash.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "support/lines.h"

namespace egt::parsers {
namespace {

TEST(QuickHash, TellsTextsOfAllLengthsApart) {
  std::set<std::uint64_t> seen;
  std::string text;
  for (int n = 0; n < 300; ++n) {
    EXPECT_TRUE(seen.insert(quick_hash(text)).second) << n;
    for (std::size_t i = 0; i < text.size(); i += 7) {
      std::string other = text;
      other[i] ^= 1;
      EXPECT_TRUE(seen.insert(quick_hash(other)).second) << n << " " << i;
    }
    text += static_cast<char>('a' + n % 26);
  }
}

// Compiled snapshots keep hashes: a change here is a new version of their format.
TEST(QuickHash, StaysWhatItIs) {
  EXPECT_EQ(quick_hash(""), 0u);
  EXPECT_EQ(quick_hash("resubmit(,8)"), 0xc2526cb542c7f86bu);
  EXPECT_EQ(quick_hash(std::string(1000, 'x')), 0xfc62fcf2dd8602edu);
}

TEST(FormOf, NumbersOfAnyLengthAreAlike) {
  const auto group = [](const std::string& address, int buckets) {
    std::string text = "group_id=" + std::to_string(buckets) + ",type=select";
    for (int i = 0; i < buckets; ++i) text += ",bucket=bucket_id:0,weight:100,actions=ct(nat(dst=" + address + ":80))";
    return text;
  };
  for (const int buckets : {1, 30, 300}) {
    EXPECT_EQ(form_of(group("10.0.0.1", buckets)), form_of(group("192.168.100.200", buckets)));
    EXPECT_NE(form_of(group("10.0.0.1", buckets)), form_of(group("10.0.0.1", buckets + 1)));
    EXPECT_NE(form_of(group("10.0.0.1", buckets)), form_of(group("[fd00::1]", buckets)));
  }
  EXPECT_EQ(form_of("load:0x1->NXM_NX_REG0[]"), form_of("load:0xffff->NXM_NX_REG15[]"));
  EXPECT_NE(form_of("load:0x1->NXM_NX_REG0[]"), form_of("load:0x1->NXM_NX_REG[]"));
}

TEST(PiecesOfLines, AreTheTextAndEndWithLines) {
  for (const std::string text : {"", "a", "a\n", "a\nb", "\n\n\n", "long line\nanother\n\nlast"})
    for (std::size_t about = 0; about < 12; ++about) {
      std::string all;
      for (const std::string_view piece : pieces_of_lines(text, about)) {
        ASSERT_FALSE(piece.empty());
        EXPECT_TRUE(piece.ends_with('\n') || all.size() + piece.size() == text.size());
        all += piece;
      }
      EXPECT_EQ(all, text);
    }
}

}  // namespace
}  // namespace egt::parsers
