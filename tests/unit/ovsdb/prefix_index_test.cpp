// Rows by the beginnings of their UUIDs (egtrace/ovn/prefix_index.h, row_list.h).
#include "egtrace/ovn/prefix_index.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

#include "egtrace/ovn/rows.h"

namespace egt::ovn {
namespace {

std::vector<std::uint32_t> rows_with(const PrefixIndex& index, std::uint64_t prefix) {
  std::vector<std::uint32_t> rows;
  for (const PrefixIndex::PrefixedRow& at : index.with(prefix)) rows.push_back(at.row);
  return rows;
}

// Random ones, many that share one, and many that differ in their last bits alone.
TEST(PrefixIndex, FindsWhatASearchFinds) {
  std::mt19937 random(7);
  for (const std::size_t size : {0, 1, 2, 100, 5000}) {
    std::vector<std::uint32_t> prefixes;
    for (std::size_t i = 0; i < size; ++i)
      prefixes.push_back(i % 3 == 0   ? static_cast<std::uint32_t>(random())
                         : i % 3 == 1 ? 0x7d8c2500U + random() % 16
                                      : random() % 2 * 0xffffffffU);
    const PrefixIndex index(prefixes);
    std::map<std::uint32_t, std::vector<std::uint32_t>> expected;
    for (std::uint32_t row = 0; row < prefixes.size(); ++row) expected[prefixes[row]].push_back(row);
    expected[0].clear();
    for (const auto& [prefix, rows] : expected) EXPECT_EQ(rows_with(index, prefix), rows) << std::hex << prefix;
    EXPECT_TRUE(index.with(std::uint64_t{1} << 32).empty());
    EXPECT_TRUE(index.with(0x7d8c2510).empty());
  }
}

TEST(RowList, FindsRowsAlsoAfterAChange) {
  Row row;
  row.uuid = "7d8c250c-0000-4000-8000-000000000004";
  RowList<Row> rows = {row};
  EXPECT_EQ(rows.with(0x7d8c250c).begin()->row, 0U);
  const RowList<Row> before = rows;
  row.uuid = "00000001-0000-4000-8000-000000000005";
  rows.edit().push_back(row);
  EXPECT_EQ(rows.with(1).begin()->row, 1U);
  EXPECT_EQ(rows.prefixes(), (std::vector<std::uint32_t>{0x7d8c250c, 1}));
  EXPECT_TRUE(before.with(1).empty());
}

}  // namespace
}  // namespace egt::ovn
