#include "egtrace/render/printable.h"

#include <gtest/gtest.h>

namespace egt::render {
namespace {

TEST(Printable, KeepsTextAndReplacesWhatIsNone) {
  EXPECT_TRUE(is_printable("plain\ttext\n\xc3\xa9 \xe2\x94\x80 \xf0\x9f\x90\x99"));
  EXPECT_EQ(
      "a\xef\xbf\xbd"
      "b",
      printable("a\x1b"
                "b"));
  EXPECT_EQ("\xef\xbf\xbd]0;title\xef\xbf\xbd", printable("\033]0;title\a"));
  EXPECT_EQ("\\u009b", printable("\xc2\x9b"));  // CSI as one character of C1
  EXPECT_FALSE(is_printable(std::string_view("\0", 1)));
  EXPECT_EQ("\xef\xbf\xbd\xef\xbf\xbd", printable("\xe2\x94"));
}

TEST(Printable, ColoursAreOursAlone) {
  EXPECT_FALSE(is_printable(colour("1;31")));
  EXPECT_EQ("\033[1;31mred\033[0m", printable(colour("1;31") + "red" + colour("0")));
  EXPECT_EQ("\xef\xbf\xbd[1;31mred\xef\xbf\xbd[0m", printable("\033[1;31mred\033[0m"));
  EXPECT_EQ("\033[1;31m\xef\xbf\xbd[8mhidden\033[0m", printable(colour("1;31") + "\033[8mhidden" + colour("0")));
}

TEST(Printable, InvisibleCharactersAreShown) {
  EXPECT_EQ("pod\\u202egpj", printable("pod\u202egpj"));
  EXPECT_EQ("a\\u200bb\\u2066c\\ufeffd\\u061ce\\u2028", printable("a\u200bb\u2066c\ufeffd\u061ce\u2028"));
  EXPECT_EQ("tag\\udb40\\udc41", printable("tag\U000e0041"));
  EXPECT_EQ("\"\\u202e\\u009b\u00e9\"", with_visible("\"\u202e\xc2\x9b\u00e9\""));
  EXPECT_EQ("\\\\u202e", with_visible("\u202e", "\\\\"));
}

TEST(Printable, KnowsWhatRfc3629Allows) {
  EXPECT_EQ(0U, utf8_length(""));
  EXPECT_EQ(3U, utf8_length("\xef\xbf\xbd"));
  for (const char* wrong :
       {"\x80", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe2\x82"})
    EXPECT_EQ(0U, utf8_length(wrong)) << wrong;
}

}  // namespace
}  // namespace egt::render
