// Lines as terminals show them: columns, not bytes.
#include "egtrace/render/wrap.h"

#include <gtest/gtest.h>

#include "egtrace/base/columns.h"
#include "egtrace/render/diagnostic.h"

namespace egt::render {
namespace {

TEST(Wrap, CountsColumns) {
  EXPECT_EQ(wrap("ノード一二 ノード三四 ノ", 0, 22), "ノード一二 ノード三四\nノ\n");
  EXPECT_EQ(wrap("größere Wörter sind ok", 0, 20), "größere Wörter sind\nok\n");
  EXPECT_EQ(wrap("right\u202eto left is visible", 0, 20), "right\\u202eto left\nis visible\n");
}

TEST(Wrap, DoesNotBreakPaths) {
  EXPECT_EQ(wrap("see must-gather/quay-io/namespaces/ovn/pods/ovnkube-node/ip_rule:12 there", 0, 30),
            "see must-gather/.../ip_rule:12\nthere\n");
  EXPECT_EQ(wrap("actions=aaaaaaa,resubmit(,8)", 0, 24), "actions=aaaaaaa,\nresubmit(,8)\n");
}

TEST(Wrap, GoesOnUnderTheFirstLine) {
  EXPECT_EQ(wrap_behind("  next: ", "one two three four five", 30), "  next: one two three four\n        five\n");
}

// The column counts bytes of the dump; the caret stands below the character all the same.
TEST(Diagnostic, TheCaretStandsBelowItsCharacter) {
  const std::string line = "7:\tノード größe x";
  const auto at = static_cast<std::uint32_t>(line.find('x')) + 1;
  EXPECT_EQ(quoted_line({"", line, at}, 80), "    7: ノード größe x\n                    ^\n");
  EXPECT_EQ(quoted_line({"", "", 0}, 80), "");
}

TEST(Diagnostic, OfALongLineWhatIsAroundTheCaretIsShown) {
  for (const std::string& filler : {std::string(150, 'a'), std::string(150, 'b') + "ノードノード"})
    for (const std::string& end : {std::string(), std::string(150, 'c')})
      for (const std::size_t width : {60U, 80U, 200U}) {
        const std::string line = filler + "#" + end;
        const std::string text = quoted_line({"", line, static_cast<std::uint32_t>(filler.size()) + 1}, width);
        const std::size_t first = text.find('\n');
        const std::string shown = text.substr(0, first), caret = text.substr(first + 1, text.size() - first - 2);
        EXPECT_LE(columns_of(shown), width);
        EXPECT_EQ(columns_of(shown.substr(0, shown.find('#'))) + 1, columns_of(caret)) << text;
      }
}

}  // namespace
}  // namespace egt::render
