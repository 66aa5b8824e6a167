#include "egtrace/render/printable.h"

#include <gtest/gtest.h>

namespace egt::render {
namespace {

TEST(Printable, KeepsTextAndReplacesWhatIsNone) {
  EXPECT_TRUE(is_printable("plain\ttext\n\xc3\xa9 \xe2\x94\x80 \xf0\x9f\x90\x99", false));
  EXPECT_EQ("a\xef\xbf\xbd" "b", printable("a\x1b" "b", true));
  EXPECT_EQ("\033[1;31mred\033[0m", printable("\033[1;31mred\033[0m", true));
  EXPECT_EQ("\xef\xbf\xbd[0m", printable("\033[0m", false));
  EXPECT_EQ("\xef\xbf\xbd]0;title\xef\xbf\xbd", printable("\033]0;title\a", true));
  EXPECT_FALSE(is_printable("\xc2\x9b", false));            // CSI as one character of C1
  EXPECT_FALSE(is_printable(std::string_view("\0", 1), true));
  EXPECT_EQ("\xef\xbf\xbd\xef\xbf\xbd", printable("\xe2\x94", false));
}

TEST(Printable, KnowsWhatRfc3629Allows) {
  EXPECT_EQ(0U, utf8_length(""));
  EXPECT_EQ(3U, utf8_length("\xef\xbf\xbd"));
  for (const char* wrong : {"\x80", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe2\x82"})
    EXPECT_EQ(0U, utf8_length(wrong)) << wrong;
}

}  // namespace
}  // namespace egt::render
