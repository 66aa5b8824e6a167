// Rows by table, and their columns (egtrace/ovn/rows.h, egtrace/ovn/columns.h).
#include "egtrace/ovn/rows.h"

#include <gtest/gtest.h>

#include <iterator>
#include <map>
#include <random>
#include <stdexcept>
#include <string>

#include "egtrace/ovn/printed_value.h"

namespace egt::ovn {
namespace {

std::map<std::string, std::string> as_map(const Columns& columns) {
  std::map<std::string, std::string> all;
  for (const auto& [name, value] : columns) all.emplace(name, value);
  return all;
}

TEST(Columns, AreByNameAsInAMap) {
  std::mt19937 random(7);
  const auto word = [&random] { return std::string(1 + random() % 3, static_cast<char>('a' + random() % 5)); };
  for (int round = 0; round < 200; ++round) {
    Columns columns;
    std::map<std::string, std::string> expected;
    for (int i = 0; i < 20; ++i) {
      const std::string name = word(), value = random() % 4 == 0 ? std::string() : word() + word();
      if (random() % 2 == 0) {
        columns.set(name, value);
        expected[name] = value;
      } else {
        EXPECT_EQ(columns.add(name, value), expected.emplace(name, value).second);
      }
    }
    EXPECT_EQ(as_map(columns), expected);
    for (const std::string& name : {word(), word(), word()}) {
      const auto found = expected.find(name);
      EXPECT_EQ(columns.find(name).has_value(), found != expected.end());
      if (found != expected.end()) EXPECT_EQ(columns.find(name), found->second);
    }
  }
}

TEST(Columns, OfSeveralOfOneNameTheFirstCounts) {
  const Columns sorted({{"a", "1"}, {"b", "2"}});
  EXPECT_EQ(Columns({{"b", "2"}, {"a", "1"}, {"b", "3"}}), sorted);
}

TEST(Columns, ArePackedInTheOrderOfTheirNames) {
  Columns::Packer packer;
  EXPECT_EQ(packer.take(), Columns());
  packer.begin("a")->append("1");
  EXPECT_EQ(packer.begin("a"), nullptr);
  packer.begin("ab")->append("2").append("3");
  EXPECT_EQ(packer.begin("aa"), nullptr);
  packer.begin("b");
  EXPECT_EQ(packer.take(), Columns({{"a", "1"}, {"ab", "23"}, {"b", ""}}));
  packer.begin("a")->append("4");
  EXPECT_EQ(packer.take(), Columns({{"a", "4"}}));
}

Row row(const char* table, const char* uuid) {
  Row r;
  r.database = "NB";
  r.table = table;
  r.uuid = uuid;
  return r;
}

TEST(Rows, AreInTheOrderOfTheirTables) {
  Rows rows;
  rows.table("NB", "QoS");  // no row
  rows.add(row("ACL", "00000001-0000-4000-8000-000000000000"));
  rows.add(row("NAT", "00000002-0000-4000-8000-000000000000"));
  rows.add(row("ACL", "00000003-0000-4000-8000-000000000000"));
  std::vector<std::string> tables;
  for (const Row& r : rows) tables.push_back(r.table);
  EXPECT_EQ(tables, (std::vector<std::string>{"ACL", "ACL", "NAT"}));
  EXPECT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[2].table, "NAT");
  EXPECT_EQ(rows.of("NB", "ACL").size(), 2U);
  EXPECT_TRUE(rows.of("SB", "ACL").empty());
  EXPECT_EQ(rows.of("NB", "ACL").prefixes(), (std::vector<std::uint32_t>{1, 3}));
}

TEST(Rows, OfATableAreReadWhenSomebodyAsksForThem) {
  Rows rows;
  int reads = 0;
  rows.table("NB", "ACL")
      .rows()
      .read_later({0x00000001}, Pieces<Row>::read_by(1, [&reads](std::size_t) {
                    ++reads;
                    return Pieces<Row>::Piece{{row("ACL", "00000001-0000-4000-8000-000000000000")}, nullptr};
                  }));
  rows.add(row("NAT", "00000002-0000-4000-8000-000000000000"));
  EXPECT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows.of("NB", "ACL").prefixes(), std::vector<std::uint32_t>{1});
  EXPECT_EQ(rows.of("NB", "NAT").size(), 1U);
  EXPECT_EQ(reads, 0);
  EXPECT_EQ(std::distance(rows.begin(), rows.end()), 2);
  EXPECT_EQ(reads, 0);
  std::vector<std::string> tables;
  for (const Row& r : rows) tables.push_back(r.table);
  EXPECT_EQ(tables, (std::vector<std::string>{"ACL", "NAT"}));
  EXPECT_EQ(reads, 1);
  rows.add(row("ACL", "00000003-0000-4000-8000-000000000000"));
  EXPECT_EQ(rows.of("NB", "ACL").prefixes(), (std::vector<std::uint32_t>{1, 3}));
}

TEST(Rows, ExternalIdsAreThoseOfTheColumn) {
  Row r = row("ACL", "");
  EXPECT_TRUE(external_ids_of(r).empty());
  r.columns.set("external_ids", R"({direction=Egress, "k8s.ovn.org/name"="a:b"})");
  EXPECT_EQ(external_ids_of(r), (std::map<std::string, std::string>{{"direction", "Egress"}, {"k8s.ovn.org/name", "a:b"}}));
}

TEST(Rows, UuidsAreKnownByTheirFirstDigits) {
  EXPECT_EQ(uuid_prefix("7d8c250c-0000-4000-8000-000000000004"), 0x7d8c250cU);
  EXPECT_EQ(uuid_prefix("7D8C250C"), 0x7d8c250cU);
  EXPECT_EQ(uuid_prefix("7d8c250"), 0U);
  EXPECT_EQ(uuid_prefix("br-int-of-node"), 0U);
}

TEST(PrintedValue, OfAKeyIsWhatTheMapHas) {
  for (const char* printed : {R"({a=1, "b c"="2, 3", d={}})", "{}", "[]", "plain", R"({a="x)", ""})
    for (const char* key : {"a", "b c", "d", "e"}) {
      const std::map<std::string, std::string> all = map_in(printed);
      const auto found = all.find(key);
      EXPECT_EQ(value_in(printed, key), found == all.end() ? std::string() : found->second) << printed << ' ' << key;
    }
}

}  // namespace
}  // namespace egt::ovn
