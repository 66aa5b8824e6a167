// A dump of OpenFlow flows that lost lines makes no answer wrong: what differs from the answer of the whole dump is not proven,
// since the logical flows of the same snapshot show that some are missing, or nothing shows that none is. EGTRACE_MUTATIONS sets
// how many dumps are damaged, EGTRACE_SEED which.
#include <gtest/gtest.h>

#include <random>

#include "answers.h"

namespace egt::assess {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

// One line, some lines in a row, or all from a line on.
std::string lose_some(Lines& lines, std::mt19937& dice) {
  const std::size_t size = lines.size(), first = 1 + dice() % (size - 1);
  const std::size_t counts[] = {1, 1 + dice() % (size / 8), size};
  const std::size_t count = std::min(counts[dice() % 3], size - first);
  const auto begin = lines.begin() + static_cast<std::ptrdiff_t>(first);
  lines.erase(begin, begin + static_cast<std::ptrdiff_t>(count));
  return std::to_string(count) + " lines from line " + std::to_string(first + 1) + " lost";
}

TEST(LostLines, ProveNothingWrong) {
  const DamagedCopy copy(fs::path(EGTRACE_SOURCE_DIR) / "samples/egressip-secondary");
  EXPECT_LT(copy.rows() / 2, copy.proven_rows());
  std::vector<fs::path> flows;
  for (const fs::path& dump : copy.dumps())
    if (dump.filename() == "ovs-ofctl_dump-flows_br-int") flows.push_back(dump);
  ASSERT_FALSE(flows.empty());
  std::mt19937 dice(number("EGTRACE_SEED", 1));
  for (unsigned i = number("EGTRACE_MUTATIONS", 12); i-- > 0;) {
    const fs::path& dump = flows[dice() % flows.size()];
    Lines lines = lines_of(read_text(dump));
    const std::string what = lose_some(lines, dice), text = joined(lines);
    copy.expect_nothing_wrong_proven(dump, &text, what);
  }
}

}  // namespace
}  // namespace egt::assess
