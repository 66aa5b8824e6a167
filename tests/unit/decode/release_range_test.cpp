#include "../../../libtrace/explain/src/decode/release_range.h"

#include <gtest/gtest.h>

namespace egt::explain {
namespace {

TEST(ReleaseRange, TellsForWhichCandidatesAFactHolds) {
  EXPECT_EQ(holds_for("", {"25.03.0"}), Holds::all);
  EXPECT_EQ(holds_for("24.03 on", {"25.03.0", "25.09"}), Holds::all);
  EXPECT_EQ(holds_for("24.03 on", {"23.09"}), Holds::no);
  EXPECT_EQ(holds_for("24.03 on", {"23.09", "24.03.0-24.03.4"}), Holds::some);
  EXPECT_EQ(holds_for("24.03 on, 23.06.3", {"23.06.1+"}), Holds::some);
  EXPECT_EQ(holds_for("24.03 on, 23.06.3", {"23.06.3+"}), Holds::all);
  EXPECT_EQ(holds_for("25.09 on, 24.03.6, 24.09.3, 25.03.1", {"25.03.1+"}), Holds::all);
  EXPECT_EQ(holds_for("25.09 on, 24.03.6, 24.09.3, 25.03.1", {"25.03.0"}), Holds::no);
  EXPECT_EQ(holds_for("25.09 on, 24.03.6", {"24.03.0-24.03.4"}), Holds::no);
  EXPECT_EQ(holds_for("up to 24.09", {"24.09.3+"}), Holds::all);
  EXPECT_EQ(holds_for("up to 24.09", {"25.03.0"}), Holds::no);
  EXPECT_EQ(holds_for("before 22.03", {"22.09.2+"}), Holds::no);
  EXPECT_EQ(holds_for("22.06.1 on", {"23.03.0"}), Holds::all);
  EXPECT_EQ(holds_for("24.03 on", {}), Holds::some);
}

}  // namespace
}  // namespace egt::explain
