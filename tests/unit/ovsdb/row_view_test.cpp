// Columns of rows by their tables (egtrace/ovn/row_view.h), and the reading of printed values, which is held to that of the parser.
#include <gtest/gtest.h>

#include <random>

#include "egtrace/ovn/rows/nb.h"
#include "egtrace/ovn/rows/sb.h"
#include "egtrace/ovn/rows/vswitch.h"
#include "ovsdb/datum.h"

namespace egt {
namespace {

using parsers::ovsdb::Datum;

ovn::Row row_with(std::string database, std::string table, ovn::Columns columns) {
  ovn::Row row;
  row.database = std::move(database);
  row.table = std::move(table);
  row.columns = std::move(columns);
  return row;
}

TEST(PrintedValue, IsReadAsTheToolsPrintIt) {
  EXPECT_EQ(ovn::text_in("allow-related"), "allow-related");
  EXPECT_EQ(ovn::text_in(R"("ip4.src == $a\"b")"), R"(ip4.src == $a"b)");
  EXPECT_EQ(ovn::text_in(R"("one\ntwo\u0007")"), "one\ntwo\a");
  EXPECT_EQ(ovn::text_in("[]"), "");
  EXPECT_EQ(ovn::text_in("[first, second]"), "first");
  EXPECT_EQ(ovn::texts_in(R"(["a, b", c])"), (std::vector<std::string>{"a, b", "c"}));
  EXPECT_EQ(ovn::texts_in("single"), std::vector<std::string>{"single"});
  EXPECT_EQ(ovn::texts_in(""), std::vector<std::string>{});
  EXPECT_EQ(ovn::map_in(R"({"10.96.0.1:80"="10.1.0.2:80,10.1.0.3:80", plain=x})"),
            (std::map<std::string, std::string>{{"10.96.0.1:80", "10.1.0.2:80,10.1.0.3:80"}, {"plain", "x"}}));
  EXPECT_EQ(ovn::map_in("{}"), (std::map<std::string, std::string>{}));
  EXPECT_EQ(ovn::integer_in("-1"), -1);
  EXPECT_EQ(ovn::integer_in("[]"), std::nullopt);
  EXPECT_EQ(ovn::integer_in("99999999999999999999"), std::nullopt);
  EXPECT_EQ(ovn::integers_in("[10, 20]"), (std::vector<std::int64_t>{10, 20}));
  EXPECT_EQ(ovn::boolean_in("false"), false);
  EXPECT_EQ(ovn::boolean_in("[]"), std::nullopt);
}

TEST(PrintedValue, ThatIsCutOffGivesWhatStandsBefore) {
  EXPECT_EQ(ovn::text_in(R"("half)"), "half");
  EXPECT_EQ(ovn::text_in(R"("half\)"), "half");
  EXPECT_EQ(ovn::texts_in("[a, b"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(ovn::map_in("{a=b, c="), (std::map<std::string, std::string>{{"a", "b"}, {"c", ""}}));
  EXPECT_EQ(ovn::texts_in("["), std::vector<std::string>{});
}

std::string random_text(std::mt19937& random) {
  static constexpr std::string_view kCharacters = "ab1.:-_/ ,=]}[{\"\\\n\t\x01$@&|é";
  std::string text;
  for (std::size_t n = random() % 12; n > 0; --n) text += kCharacters[random() % kCharacters.size()];
  return text;
}

Datum random_datum(std::mt19937& random) {
  using parsers::ovsdb::string_atom;
  Datum datum;
  datum.shape = static_cast<Datum::Shape>(random() % 3);
  std::set<std::string> keys;  // a map has each once
  const std::size_t many = datum.shape == Datum::Shape::atom ? 1 : random() % 4;
  while (keys.size() < many) keys.insert(random_text(random));
  for (const std::string& key : keys) {
    datum.keys.push_back(string_atom(key));
    if (datum.shape == Datum::Shape::map) datum.values.push_back(string_atom(random_text(random)));
  }
  return datum;
}

TEST(PrintedValue, IsReadAsTheParserReadsIt) {
  std::mt19937 random(20261128);
  for (int i = 0; i < 20000; ++i) {
    const Datum datum = random_datum(random);
    const std::string printed = to_text(datum);
    ASSERT_EQ(ovn::text_in(printed), datum.text()) << printed;
    ASSERT_EQ(ovn::texts_in(printed), datum.texts()) << printed;
    if (datum.shape == Datum::Shape::map) ASSERT_EQ(ovn::map_in(printed), datum.as_map()) << printed;
  }
}

TEST(RowView, IsOfItsTableAndDatabaseAlone) {
  const ovn::Row northbound = row_with("NB", "Load_Balancer", {}), southbound = row_with("SB", "Load_Balancer", {});
  EXPECT_TRUE(ovn::is<rows::nb::LoadBalancer>(northbound));
  EXPECT_FALSE(ovn::as<rows::nb::LoadBalancer>(southbound));
  EXPECT_TRUE(ovn::as<rows::sb::LoadBalancer>(southbound));
  EXPECT_FALSE(ovn::as<rows::nb::Nat>(northbound));
}

TEST(RowView, HasTheColumnsOfItsSchema) {
  const ovn::Row row = row_with("NB", "Logical_Router_Policy",
                                {{"priority", "100"},
                                 {"match", R"("ip4.src == 10.132.0.13")"},
                                 {"nexthops", R"(["100.88.0.3", "100.88.0.4"])"},
                                 {"options", R"({pkt_mark="50000"})"},
                                 {"router", "ovn_cluster_router"}});
  const rows::nb::LogicalRouterPolicy policy(row);
  EXPECT_EQ(policy.priority(), 100);
  EXPECT_EQ(policy.match(), "ip4.src == 10.132.0.13");
  EXPECT_EQ(policy.nexthops(), (std::vector<std::string>{"100.88.0.3", "100.88.0.4"}));
  EXPECT_EQ(policy.options(), (std::map<std::string, std::string>{{"pkt_mark", "50000"}}));
  EXPECT_EQ(policy.router(), "ovn_cluster_router");
  EXPECT_EQ(policy.action(), "");
  EXPECT_FALSE(policy.shows("action"));
  EXPECT_TRUE(policy.shows("match"));
}

TEST(RowView, NamesWhatIsAWordOfTheLanguageOtherwise) {
  const ovn::Row row = row_with("OVS", "Port", {{"protected", "true"}, {"trunks", "[10, 20]"}, {"tag", "[]"}});
  const rows::vswitch::Port port(row);
  EXPECT_EQ(port.protected_(), true);
  EXPECT_EQ(port.trunks(), (std::vector<std::int64_t>{10, 20}));
  EXPECT_EQ(port.tag(), std::nullopt);
}

TEST(RowsOf, AreThoseOfOneTableInTheirOrder) {
  ovn::Rows all;
  for (const char* table : {"ACL", "NAT", "ACL", "QoS", "ACL"})
    all.add(row_with("NB", table, {{"name", std::to_string(all.size())}}));
  std::vector<std::string> names;
  for (const auto acl : rows_of<rows::nb::Acl>(all)) names.push_back(acl.name());
  EXPECT_EQ(names, (std::vector<std::string>{"0", "2", "4"}));
  for (const auto set : rows_of<rows::nb::AddressSet>(all)) FAIL() << set.name();
}

}  // namespace
}  // namespace egt
