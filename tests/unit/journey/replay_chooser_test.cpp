#include "../libtrace/engine/src/journey/replay_chooser.h"

#include <gtest/gtest.h>

namespace egt::engine {
namespace {

ChoicePoint point(std::size_t options) {
  ChoicePoint p;
  for (std::size_t i = 0; i < options; ++i) p.options.push_back({{Alternative::number, {i}}});
  return p;
}

// Three buckets; the second of them leads to a choice of two.
std::vector<std::vector<std::size_t>> walk(std::size_t max_runs, bool* truncated) {
  std::vector<std::vector<std::size_t>> walked_paths;
  *truncated = for_each_script([&](std::size_t runs) { return runs < max_runs; },
                               [&](const std::vector<std::size_t>& script) {
                                 Record record;
                                 ReplayChooser chooser(script, record);
                                 std::vector<std::size_t> walked{chooser.choose(point(3))};
                                 if (walked[0] == 1) walked.push_back(chooser.choose(point(2)));
                                 chooser.choose(point(1));
                                 walked_paths.push_back(walked);
                                 return chooser.take();
                               });
  return walked_paths;
}

TEST(ReplayChooser, TakesEveryCourseOnceAndInOrder) {
  bool truncated = true;
  const std::vector<std::vector<std::size_t>> expected = {{0}, {1, 0}, {1, 1}, {2}};
  EXPECT_EQ(walk(100, &truncated), expected);
  EXPECT_FALSE(truncated);
}

TEST(ReplayChooser, SaysWhenItStopsEarly) {
  bool truncated = false;
  EXPECT_EQ(walk(2, &truncated).size(), 2u);
  EXPECT_TRUE(truncated);
}

}  // namespace
}  // namespace egt::engine
