// The language of tables of phrases.
#include "egtrace/base/fill.h"

#include <gtest/gtest.h>

#include <vector>

namespace egt {
namespace {

// Names and numbers; an empty name is absent.
struct LookupTerm {
  std::string name;
  std::uint64_t number = 0;
};

class Things : public Named {
 public:
  explicit Things(std::vector<LookupTerm> all) : all_(std::move(all)) {}
  std::size_t size() const override { return all_.size(); }
  std::string text(std::size_t i) const override { return all_[i].name; }
  std::uint64_t number(std::size_t i) const override { return all_[i].number; }
  bool is_absent(std::size_t i) const override { return i < all_.size() && all_[i].name.empty(); }
  std::optional<std::size_t> find(std::string_view name) const override {
    return name == "first" ? std::optional<std::size_t>(0) : std::nullopt;
  }

 private:
  std::vector<LookupTerm> all_;
};

std::string filled(std::string_view words, std::vector<LookupTerm> objects) { return fill(words, Things(std::move(objects))); }

TEST(Fill, NamesThings) {
  EXPECT_EQ(filled("nothing is named", {}), "nothing is named");
  EXPECT_EQ(filled("{0} and {1}, {-1}, {first}, {1..}", {{"a"}, {"b"}, {"c"}}), "a and b, c, a, b, c");
  EXPECT_EQ(filled("mark {0x}", {{"16", 16}}), "mark 0x10");
  EXPECT_EQ(filled("{0}", {{"{1} [x]"}}), "{1} [x]") << "what is named is no phrase";
}

TEST(Fill, ChoosesWords) {
  EXPECT_EQ(filled("{0|no|yes}{1|| twice}", {{"x", 1}, {"x", 1}}), "yes twice");
  EXPECT_EQ(filled("{0|no|yes}{1|| twice}", {{"x", 0}, {"x", 0}}), "no");
  EXPECT_EQ(filled("{0} flow{0:|s} {0:is|are} left", {{"1", 1}}), "1 flow is left");
  EXPECT_EQ(filled("{0} flow{0:|s} {0:is|are} left", {{"2", 2}}), "2 flows are left");
  EXPECT_EQ(filled("{0} flow{0:|s}", {{"0", 0}}), "0 flows");
}

TEST(Fill, LeavesOutWhatIsAbsent) {
  EXPECT_EQ(filled("{0}[ on {1}]", {{"a"}, {"b"}}), "a on b");
  EXPECT_EQ(filled("{0}[ on {1}]", {{"a"}}), "a");
  EXPECT_EQ(filled("{0}[ on {1}]", {{"a"}, {""}}), "a");
  EXPECT_EQ(filled("{1}[ of {first}||, of nobody]", {{""}, {"b"}}), "b, of nobody");
  EXPECT_EQ(filled("[pod {0}||what has {1}]", {{""}, {"b"}}), "what has b");
}

}  // namespace
}  // namespace egt
