// egtrace sql and export, run as a user would.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/run.h"

namespace sql_test {
namespace {

namespace fs = std::filesystem;

using egt::testing::Ran;
using egt::testing::read_file;
using nlohmann::json;

const std::string kSample = std::string(EGTRACE_SOURCE_DIR) + "/samples/egressip-secondary";
const std::string kExcerpt = std::string(EGTRACE_SOURCE_DIR) + "/samples/egressip-excerpt";

Ran sql(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {EGTRACE_BINARY, "sql"});
  return egt::testing::run(arguments);
}

json rows(const std::string& statement, const std::string& snapshot = kSample) {
  const Ran ran = sql({snapshot, statement, "--format", "json"});
  EXPECT_EQ(0, ran.status) << statement << ": " << ran.err;
  const json document = json::parse(ran.out, nullptr, false);
  return document.is_object() ? document.at("rows") : json::array();
}

// A snapshot of one node with a few lines.
class Small : public ::testing::Test {
 protected:
  void SetUp() override {
    home_.file("dumps/w1/hostname", "w1\n");
    home_.file("dumps/w1/ovs-ofctl_dump-flows_br-int",
               " cookie=0x1, duration=5.5s, table=0, n_packets=7, n_bytes=70, priority=10,tcp,nw_dst=10.1.0.0/16 actions=drop\n"
               " cookie=0x2, duration=5s, table=1, n_packets=0, n_bytes=0, priority=5,ip,nw_src=10.9.9.9 actions=output:2\n"
               " cookie=0x2, duration=5s, table=2, n_packets=3, n_bytes=9, actions=resubmit(,1)\n"
               " cookie=0x3, duration=5s, table=3, n_packets=3, n_bytes=9, in_port=\"veth0\" actions=NORMAL\n");
    home_.file("dumps/w1/ip_route_show_table_all",
               "default via 192.0.2.1 dev eth0 proto static\n10.1.0.0/16 via 192.0.2.9 dev eth0 table 7\n");
    home_.file("dumps/w1/ip_rule",
               "0:\tfrom all lookup local\n100:\tfrom 10.9.0.0/16 fwmark 0x3f0/0xff0 lookup 7\n32766:\tfrom all lookup main\n");
  }
  std::string dumps() const { return home_.path() + "/dumps"; }
  egt::testing::TemporaryDirectory home_;
};

TEST_F(Small, EveryRowHasItsLine) {
  const json found =
      rows("SELECT table_id, n_packets, duration, cookie, nw_dst, dump, line FROM flows WHERE actions = 'drop'", dumps());
  ASSERT_EQ(1u, found.size());
  EXPECT_EQ(7, found[0].at("n_packets"));
  EXPECT_EQ(5.5, found[0].at("duration"));
  EXPECT_EQ("0x1", found[0].at("cookie"));
  EXPECT_EQ("10.1.0.0/16", found[0].at("nw_dst"));
  EXPECT_EQ("w1/ovs-ofctl_dump-flows_br-int", found[0].at("dump"));
  EXPECT_EQ(1, found[0].at("line"));
}

TEST_F(Small, FlowWithoutPriorityHasTheUsualOne) {
  EXPECT_EQ(32768, rows("SELECT priority FROM flows WHERE table_id = 2", dumps())[0].at("priority"));
}

TEST_F(Small, RulesAndRoutes) {
  EXPECT_EQ("0x3f0/0xff0", rows("SELECT fwmark FROM rules WHERE priority = 100", dumps())[0].at("fwmark"));
  EXPECT_EQ(
      "192.0.2.9",
      rows("SELECT r.via FROM rules AS p JOIN routes AS r USING (node, route_table) WHERE p.priority = '100'", dumps())[0].at(
          "via"));
  EXPECT_EQ(1u, rows("SELECT * FROM routes WHERE destination = '0.0.0.0/0'", dumps()).size());
}

TEST_F(Small, MatchIsThatOfDumpFlows) {
  EXPECT_EQ(1, rows("SELECT count(*) AS n FROM flows WHERE match(flow, 'tcp')", dumps())[0].at("n"));
  EXPECT_EQ(2, rows("SELECT count(*) AS n FROM flows WHERE match(flow, 'ip')", dumps())[0].at("n"));
  EXPECT_EQ(0, rows("SELECT count(*) AS n FROM flows WHERE match(flow, 'tcp,nw_dst=10.1.2.3')", dumps())[0].at("n"));
  EXPECT_EQ(1, rows("SELECT count(*) AS n FROM flows WHERE match(match, 'tcp,nw_dst=10.0.0.0/8')", dumps())[0].at("n"));
}

TEST_F(Small, MayMatchIsWhatPacketsMeet) {
  EXPECT_EQ(json::array({{{"table_id", 0}}, {{"table_id", 1}}, {{"table_id", 2}}, {{"table_id", 3}}}),
            rows("SELECT table_id FROM flows WHERE may_match(flow, 'tcp,nw_dst=10.1.2.3')", dumps()));
  EXPECT_EQ(0, rows("SELECT count(*) AS n FROM flows WHERE table_id = 0 AND may_match(flow, 'udp')", dumps())[0].at("n"));
}

TEST_F(Small, NameAgainstNumberOfAPortIsUnknown) {
  EXPECT_EQ(nullptr, rows("SELECT match(flow, 'in_port=3') AS m FROM flows WHERE table_id = 3", dumps())[0].at("m"));
  EXPECT_EQ(1, rows("SELECT match(flow, 'in_port=\"veth0\"') AS m FROM flows WHERE table_id = 3", dumps())[0].at("m"));
  EXPECT_EQ(0, rows("SELECT match(flow, 'in_port=\"veth1\"') AS m FROM flows WHERE table_id = 3", dumps())[0].at("m"));
}

TEST_F(Small, WhatDumpsLackIsSaid) {
  const Ran none = sql({dumps(), "SELECT * FROM neighbours"});
  EXPECT_EQ(3, none.status);
  EXPECT_NE(std::string::npos, none.err.find("rows may be missing: w1: the snapshot lacks neighbours; `ip neighbour` has them"))
      << none.err;
  const Ran document = sql({dumps(), "SELECT * FROM neighbours", "--format", "json"});
  EXPECT_EQ("w1", json::parse(document.out).at("gaps").at(0).at("node"));
  EXPECT_EQ(0, sql({dumps(), "SELECT * FROM rules WHERE priority = 5"}).status);
}

TEST_F(Small, InSubnet) {
  const auto value = [&](const std::string& call) { return rows("SELECT " + call + " AS v", dumps())[0].at("v"); };
  EXPECT_EQ(1, value("in_subnet('10.1.2.3', '10.1.0.0/16')"));
  EXPECT_EQ(0, value("in_subnet('10.2.2.3', '10.1.0.0/16')"));
  EXPECT_EQ(1, value("in_subnet('10.1.3.0/24', '10.1.0.0/16')"));
  EXPECT_EQ(0, value("in_subnet('fd00::1', '10.1.0.0/16')"));
  EXPECT_EQ(nullptr, value("in_subnet('veth0', '10.1.0.0/16')"));
  EXPECT_EQ(nullptr, value("in_subnet(NULL, '10.1.0.0/16')"));
  EXPECT_EQ(2, sql({dumps(), "SELECT in_subnet('10.1.2.3', '10.0.0.0/33')"}).status);
}

TEST_F(Small, ReadsAlone) {
  for (const char* statement :
       {"ATTACH '/tmp/x.sqlite' AS y", "CREATE TABLE x(y)", "CREATE TEMP TABLE x(y)", "INSERT INTO flows(node) VALUES('x')",
        "DELETE FROM flows", "UPDATE flows SET node = 'x'", "PRAGMA writable_schema = 1", "DROP TABLE flows", "BEGIN",
        "VACUUM INTO '/tmp/x'", "SELECT load_extension('x')", "SELECT 1; SELECT 2", "", "SELECT", "SELECT * FROM flow",
        "SELECT nothing FROM flows"}) {
    const Ran ran = sql({dumps(), statement});
    EXPECT_EQ(2, ran.status) << statement;
    EXPECT_EQ(1, std::count(ran.err.begin(), ran.err.end(), '\n')) << ran.err;
  }
  EXPECT_NE(std::string::npos, sql({dumps(), "SELECT * FROM flow"}).err.find("`flows`"));
}

TEST_F(Small, EndlessStatementEnds) {
  const Ran ran =
      sql({dumps(), "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n", "--timeout", "1"});
  EXPECT_EQ(2, ran.status);
  EXPECT_NE(std::string::npos, ran.err.find("longer than 1 s")) << ran.err;
}

TEST_F(Small, CsvIsGuarded) {
  EXPECT_EQ("a,b\n'=1+1,\"x,y\"\n-3,\n",
            sql({dumps(), "SELECT '=1+1' AS a, 'x,y' AS b UNION ALL SELECT -3, NULL ORDER BY b DESC", "--format", "csv"}).out);
}

TEST_F(Small, TextIsATableOrRecords) {
  EXPECT_EQ("a   b\n-  12\n", sql({dumps(), "SELECT NULL AS a, 12 AS b"}).out);
  EXPECT_EQ(0u, sql({dumps(), "SELECT * FROM flows"}).out.find("row 1\n  node       w1\n"));
}

TEST_F(Small, StatementFromStandardInput) {
  EXPECT_EQ("n\n4\n", egt::testing::run({EGTRACE_BINARY, "sql", dumps(), "-"}, "SELECT count(*) AS n FROM flows;\n").out);
}

TEST_F(Small, ExportIsTheSameEachTime) {
  const std::string a = home_.path() + "/a.sqlite", b = home_.path() + "/b.sqlite";
  ASSERT_EQ(0, egt::testing::run({EGTRACE_BINARY, "export", dumps(), "-o", a}).status);
  ASSERT_EQ(0, egt::testing::run({EGTRACE_BINARY, "export", dumps(), "-o", b}).status);
  EXPECT_EQ(read_file(a), read_file(b));
  sqlite3* file = nullptr;
  ASSERT_EQ(SQLITE_OK, sqlite3_open_v2(a.c_str(), &file, SQLITE_OPEN_READONLY, nullptr));
  sqlite3_stmt* statement = nullptr;
  ASSERT_EQ(SQLITE_OK,
            sqlite3_prepare_v2(file, "SELECT line FROM flows WHERE n_packets = 7 AND actions = 'drop'", -1, &statement, nullptr));
  ASSERT_EQ(SQLITE_ROW, sqlite3_step(statement));
  EXPECT_EQ(1, sqlite3_column_int(statement, 0));
  sqlite3_finalize(statement);
  sqlite3_close(file);
}

// SQLite writes the file beside its name: the old one stays until it is done, and nothing else is left.
TEST_F(Small, ExportTakesItsNameAtTheEnd) {
  const egt::testing::TemporaryDirectory out;
  const std::string file = out.file("case.sqlite", "old");
  ASSERT_EQ(0, egt::testing::run({EGTRACE_BINARY, "export", dumps(), "-o", file}).status);
  EXPECT_EQ(0u, read_file(file).find("SQLite format 3"));
  EXPECT_EQ(fs::perms::owner_read | fs::perms::owner_write, fs::status(file).permissions());
  EXPECT_EQ(1, std::distance(fs::directory_iterator(out.path()), fs::directory_iterator()));
}

// To a pipe, the same bytes.
TEST_F(Small, ExportIntoAPipe) {
  const std::string file = home_.path() + "/c.sqlite";
  ASSERT_EQ(0, egt::testing::run({EGTRACE_BINARY, "export", dumps(), "-o", file}).status);
  const Ran ran =
      egt::testing::run({"sh", "-c", std::string(EGTRACE_BINARY) + " export " + dumps() + " -q -o /dev/stdout | cat"});
  EXPECT_EQ("", ran.err);
  EXPECT_TRUE(read_file(file) == ran.out);
}

TEST_F(Small, ExportIsRefusedWhereItCannotBe) {
  const auto status = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {EGTRACE_BINARY, "export", dumps()});
    return egt::testing::run(arguments).status;
  };
  EXPECT_EQ(2, status({}));
  EXPECT_EQ(2, status({"-o", dumps() + "/case.sqlite"}));
  EXPECT_EQ(2, status({"-o", home_.path() + "/c.sqlite", "--table", "flow"}));
  EXPECT_EQ(2, status({"-o", home_.path() + "/none/c.sqlite"}));
  EXPECT_EQ(2, status({"-o", "/dev/full"}));
  EXPECT_EQ(0, status({"-o", home_.path() + "/c.sqlite", "--table", "flows"}));
}

TEST(Sql, TablesOfResults) {
  EXPECT_LT(0, rows("SELECT count(*) AS n FROM audit WHERE pod IS NOT NULL AND dump IS NOT NULL AND line > 0")[0].at("n"));
  EXPECT_LT(0, rows("SELECT count(*) AS n FROM findings WHERE id <> ''")[0].at("n"));
}

// No table fails or lies about its size.
TEST(Sql, EveryTableIsRead) {
  for (const json& table : rows("SELECT DISTINCT table_name FROM table_columns")) {
    const std::string name = table.at("table_name");
    const Ran ran = sql({kSample, "SELECT * FROM " + name, "--format", "csv"});
    EXPECT_TRUE(ran.status == 0 || ran.status == 3) << name << ": " << ran.err;
  }
}

TEST(Sql, ColumnsAreFoundByIndexAsWithout) {
  EXPECT_EQ(rows("SELECT count(*) AS n FROM flows WHERE table_id = 10"),
            rows("SELECT count(*) AS n FROM flows WHERE +table_id = 10"));
  EXPECT_EQ(rows("SELECT count(*) AS n FROM pods WHERE node = NULL"), rows("SELECT 0 AS n"));
}

std::string documentation() { return read_file(std::string(EGTRACE_SOURCE_DIR) + "/docs/sql.md"); }

TEST(Documentation, HasEveryTableAndColumn) {
  const std::string page = documentation();
  const json all = json::parse(sql({"--schema", "--format", "json"}).out).at("rows");
  ASSERT_LT(100u, all.size());
  for (const json& row : all) {
    const std::string table = row.at("table"), column = row.at("column").is_null() ? "" : row.at("column").get<std::string>();
    const std::size_t line = page.find("\n| `" + table + "` |");
    ASSERT_NE(std::string::npos, line) << table;
    const std::string text = page.substr(line + 1, page.find('\n', line + 1) - line);
    if (column.empty() || column == "dump" || column == "line") continue;
    EXPECT_NE(std::string::npos, text.find("`" + column + "`")) << table << "." << column;
  }
}

std::vector<std::string> documented_queries() {
  std::vector<std::string> all;
  const std::string page = documentation();
  for (std::size_t at = page.find("```sql\n"); at != std::string::npos; at = page.find("```sql\n", at + 1))
    all.push_back(page.substr(at + 7, page.find("```", at + 7) - at - 7));
  return all;
}

TEST(Documentation, QueriesRun) {
  const std::vector<std::string> queries = documented_queries();
  ASSERT_EQ(10u, queries.size());
  std::size_t with_rows = 0;
  for (const std::string& query : queries) {
    const Ran ran = sql({kSample, query, "--format", "json"});
    EXPECT_TRUE(ran.status == 0 || ran.status == 3) << query << ran.err;
    with_rows += json::parse(ran.out).at("rows").empty() ? 0 : 1;
    EXPECT_NE(2, sql({kExcerpt, query}).status) << query;
  }
  EXPECT_LE(5u, with_rows);
}

}  // namespace
}  // namespace sql_test
