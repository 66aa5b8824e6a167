#include "../tools/render/src/style.h"

#include <gtest/gtest.h>

#include "egtrace/render/printable.h"

namespace egt::render {
namespace {

TEST(Wrap, BreaksAtBlanksAndBehindCommas) {
  EXPECT_EQ(wrap("one two", 2, 80), "  one two\n");
  EXPECT_EQ(wrap("aaaaaaaaaaaaaaaaaa bbbbbbbbbb", 0, 20), "aaaaaaaaaaaaaaaaaa\nbbbbbbbbbb\n");
  EXPECT_EQ(wrap("aaaaaaaaaaaaaaa,bbbbbbbbbb", 0, 20), "aaaaaaaaaaaaaaa,\nbbbbbbbbbb\n");
  EXPECT_EQ(wrap(std::string(30, 'a'), 0, 20), std::string(20, 'a') + "\n" + std::string(10, 'a') + "\n");
}

TEST(Wrap, MarksWhatItCuts) {
  const std::string cut = wrap("aaaaaaaaaaaaaaaaaaa bbbbbbbbbbbbbbbbbbb ccccccccccccccccc", 0, 20, 2);
  EXPECT_EQ(cut, "aaaaaaaaaaaaaaaaaaa\nbbbbbbbbbbbbbbbb ...\n");
}

TEST(Style, ColoursOnlyWhenAsked) {
  EXPECT_EQ(Style(false)(Tone::bad, "x"), "x");
  EXPECT_EQ(printable(Style(true)(Tone::bad, "x")), "\033[1;31mx\033[0m");
}

}  // namespace
}  // namespace egt::render
