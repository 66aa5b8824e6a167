// What changed when, and what was there at a moment: logs of the database in memory, and of real servers where they are
// installed.
#include "ovsdb/history.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "ovsdb/database.h"
#include "ovsdb/record.h"
#include "support/format_fixture.h"
#include "support/ovsdb_log.h"
#include "support/run.h"

namespace egt::parsers {
namespace {

using cluster::RowChange;
using testing::northbound_log;

constexpr const char* kFirst =
    R"({"_date":1700000001000,"_comment":"compacting database online","_is_diff":true,)"
    R"("Address_Set":{"00000000-0000-0000-0000-000000000001":{"name":"as1","addresses":["set",["10.0.0.1","10.0.0.2"]]}}})";
constexpr const char* kAdded =
    R"({"Logical_Switch":{"00000000-0000-0000-0000-000000000002":{"name":"sw0"}},"_date":1700000002000,"_comment":"ovn-nbctl: ls-add sw0"})";
constexpr const char* kModified =
    R"({"Address_Set":{"00000000-0000-0000-0000-000000000001":{"addresses":["set",["10.0.0.1","10.0.0.3"]]}},)"
    R"("Logical_Switch":{"00000000-0000-0000-0000-000000000002":{"other_config":["map",[["a","1"]]]}},"_is_diff":true,"_date":1700000003000})";
constexpr const char* kReplaced =
    R"({"Logical_Switch":{"00000000-0000-0000-0000-000000000002":{"other_config":["map",[["a","2"],["b","3"]]],"name":"sw1"}},"_date":1700000004000})";
constexpr const char* kDeleted = R"({"Logical_Switch":{"00000000-0000-0000-0000-000000000002":null},"_date":1700000005000})";

using ovsdb::add_history;
using ovsdb::newest_transaction;

// `text` must live as long as the result.
cluster::History history_of(const std::string& text) {
  cluster::History history;
  Dump dump;
  dump.text = text;
  add_history(dump, history);
  EXPECT_EQ(history.transactions.empty() ? 0 : history.transactions.back().time, newest_transaction(dump));
  return history;
}

TEST(DatabaseHistory, TellsWhatEachTransactionDid) {
  const std::string text = northbound_log({kFirst, kAdded, kModified, kReplaced, kDeleted});
  const cluster::History history = history_of(text);
  ASSERT_EQ(5U, history.transactions.size());
  const auto& [first, added, modified, replaced, deleted] =
      std::tie(history.transactions[0], history.transactions[1], history.transactions[2], history.transactions[3],
               history.transactions[4]);
  EXPECT_TRUE(first.is_snapshot);
  EXPECT_EQ(1U, first.rows);
  EXPECT_TRUE(first.changes.empty());
  EXPECT_EQ("ovn-nbctl: ls-add sw0", added.comment);
  EXPECT_EQ(1700000002000, added.time);
  EXPECT_EQ(6U, added.from.line);
  ASSERT_EQ(1U, added.changes.size());
  EXPECT_EQ(RowChange::Kind::inserted, added.changes[0].kind);
  EXPECT_EQ("sw0", added.changes[0].name);
  EXPECT_EQ(R"("00000000-0000-0000-0000-000000000002":{"name":"sw0"})", added.changes[0].text);
  ASSERT_EQ(2U, modified.changes.size());
  const cluster::ColumnChange& addresses = modified.changes[0].columns.at(0);
  EXPECT_EQ("as1", modified.changes[0].name);
  EXPECT_EQ(std::vector<std::string>{"\"10.0.0.1\""}, addresses.removed);
  EXPECT_EQ(std::vector<std::string>{"\"10.0.0.3\""}, addresses.added);
  EXPECT_EQ(R"(["10.0.0.1", "10.0.0.2"])", addresses.before);
  EXPECT_EQ(R"(["10.0.0.2", "10.0.0.3"])", addresses.after);
  ASSERT_EQ(2U, replaced.changes.at(0).columns.size());
  EXPECT_EQ(std::vector<std::string>{"a=\"1\""}, replaced.changes[0].columns[0].removed);
  EXPECT_EQ((std::vector<std::string>{"a=\"2\"", "b=\"3\""}), replaced.changes[0].columns[0].added);
  EXPECT_EQ("sw0", replaced.changes[0].columns[1].before);
  EXPECT_EQ("sw1", replaced.changes[0].columns[1].after);
  EXPECT_EQ("sw1", replaced.changes[0].name);
  EXPECT_EQ(RowChange::Kind::deleted, deleted.changes.at(0).kind);
  EXPECT_EQ("sw1", deleted.changes[0].name);
  EXPECT_EQ("\"00000000-0000-0000-0000-000000000002\":null", deleted.changes[0].text);
}

TEST(DatabaseHistory, BeginsWithASnapshotOnlyWhereOneWasMade) {
  EXPECT_FALSE(history_of(northbound_log({kAdded})).transactions.at(0).is_snapshot);
  EXPECT_TRUE(history_of(northbound_log({kFirst})).transactions.at(0).is_snapshot);
  EXPECT_FALSE(history_of(northbound_log({kAdded, kFirst})).transactions.at(1).is_snapshot);
  EXPECT_TRUE(history_of("").transactions.empty());
}

// As `ovsdb-tool show-log` takes them: old servers wrote seconds.
TEST(DatabaseHistory, DatesAreThoseOfTheirTime) {
  const auto time_of = [](const std::string& date) {
    return history_of(northbound_log({R"({"_date":)" + date + "}"})).transactions.at(0).time;
  };
  EXPECT_EQ(1300000000000, time_of("1300000000"));
  EXPECT_EQ(1700000000001, time_of("1700000000001"));
  for (const char* none : {"0", "-5", "1e3", "18446744073709551615", "99999999999999999", "\"x\"", "null"})
    EXPECT_EQ(0, time_of(none)) << none;
}

TEST(DatabaseHistory, LargeSetsAreNotToldWhole) {
  std::string many = R"(["set",["x0")";
  for (int i = 1; i < 100; ++i) many += ",\"x" + std::to_string(i) + "\"";
  const std::string text = northbound_log({kFirst, R"({"Address_Set":{"00000000-0000-0000-0000-000000000001":{"addresses":)" +
                                                       many + "]]}},\"_date\":1700000001001}"});
  const cluster::History history = history_of(text);
  const cluster::ColumnChange& change = history.transactions.at(1).changes.at(0).columns.at(0);
  EXPECT_TRUE(change.before.empty() && change.after.empty());
  EXPECT_EQ(100U, change.added.size());
  EXPECT_EQ(2U, change.removed.size());
}

std::size_t rows_at(const std::string& text, std::int64_t as_of, const char* table, ovsdb::DatabaseFile* out = nullptr) {
  ovsdb::DatabaseFile file = ovsdb::read_database(text, {as_of, nullptr});
  const std::size_t rows = file.table(table) != nullptr ? file.table(table)->rows.size() : 0;
  if (out != nullptr) *out = std::move(file);
  return rows;
}

TEST(DatabaseAsOf, LeavesOutWhatIsLater) {
  const std::string text = northbound_log({kFirst, kAdded, kModified, kReplaced, kDeleted});
  ovsdb::DatabaseFile file;
  EXPECT_EQ(0U, rows_at(text, 1700000001999, "Logical_Switch"));
  EXPECT_EQ(1U, rows_at(text, 1700000002000, "Logical_Switch", &file));
  EXPECT_EQ(3U, file.later);
  EXPECT_EQ(7U, file.first_later_line);
  EXPECT_EQ(1700000001000, file.first_date);
  EXPECT_EQ(1700000005000, file.last_date);
  EXPECT_FALSE(file.begins_later);
  EXPECT_EQ(0U, rows_at(text, 1700000009999, "Logical_Switch", &file));
  EXPECT_EQ(0U, file.later);
  EXPECT_EQ(1U, rows_at(text, 1700000000005, "Address_Set", &file));
  EXPECT_TRUE(file.begins_later);
  EXPECT_EQ(4U, file.later);
  EXPECT_EQ(0U, rows_at(northbound_log({kAdded, kDeleted}), 1700000000005, "Logical_Switch", &file));  // there was nothing yet
  EXPECT_FALSE(file.begins_later);
}

TEST(DatabaseAsOf, AClockThatGoesBackEndsNothing) {
  const std::string text = northbound_log({kModified, kAdded, kDeleted});
  EXPECT_EQ(3U, history_of(text).transactions.size());
  ovsdb::DatabaseFile file;
  rows_at(text, 1700000002500, "Logical_Switch", &file);  // the first is later: what is behind it cannot stand without it
  EXPECT_EQ(3U, file.later);
}

// Changes through real servers, and after each what the server lists and the time.
constexpr const char* kSteps = R"(set -e
trap 'for k in s c; do test -f $k.pid && kill $(cat $k.pid); done 2>/dev/null' EXIT
ovsdb-tool create s.db $schema
ovsdb-tool create-cluster c.db $schema unix:c.raft
for k in s c; do
  ovsdb-server --detach --no-chdir --pidfile=$PWD/$k.pid --log-file=$PWD/$k.log --unixctl=$PWD/$k.ctl \
    --remote=punix:$PWD/$k.sock $k.db
  n() { ovn-nbctl --timeout=20 --db=unix:$PWD/$k.sock "$@"; }
  n ls-add gone -- ls-add sw0 -- lsp-add sw0 p1
  ovs-appctl -t $PWD/$k.ctl ovsdb-server/compact
  i=0
  step() {
    n "$@"
    i=$((i + 1))
    sleep 0.02; date +%s%3N > $k.$i.time; sleep 0.02
    n --columns=_uuid,name,ports,other_config list logical_switch > $k.$i.switches
    n --columns=_uuid,name,addresses,tag list logical_switch_port > $k.$i.ports
  }
  step lsp-set-addresses p1 "0a:00:00:00:00:01 10.0.0.1"
  step ls-del gone -- lsp-add sw0 p2 -- set logical_switch sw0 other_config:a=1 other_config:b='"x y"'
  step set logical_switch sw0 other_config:a=2 -- lsp-set-addresses p1 "0a:00:00:00:00:02" unknown
  step lsp-del p1 -- set logical_switch_port p2 tag_request=4 name=p3
done
)";

class Servers : public ::testing::Test {
 protected:
  void SetUp() override {
    constexpr const char* kSchemaFile = "/usr/share/ovn/ovn-nb.ovsschema";
    if (std::system("command -v ovsdb-tool ovsdb-server ovn-nbctl >/dev/null 2>&1") != 0 || !std::ifstream(kSchemaFile))
      GTEST_SKIP() << "the database tools of OVN are not installed";
    const testing::Ran ran = testing::run({"sh", "-c", std::string("schema=") + kSchemaFile + "\n" + kSteps}, "", d_.path());
    if (ran.status != 0) GTEST_SKIP() << "the servers could not be used: " << ran.err;
  }
  std::string at(const std::string& name) const { return testing::read_file(d_.path() + "/" + name); }
  void expect_as_listed(const ovsdb::DatabaseFile& file, const char* table, const std::string& listing) const {
    Report report;
    const std::string text = at(listing);
    Dump dump;
    dump.text = text;
    const auto listed = ovsdb::read_records(dump, report);
    const auto* stored = file.table(table);
    ASSERT_NE(nullptr, stored);
    EXPECT_EQ(listed.size(), stored->rows.size()) << listing;
    std::size_t damaged = 0;
    for (const ovsdb::Record& want : listed) {
      const auto row =
          std::find_if(stored->rows.begin(), stored->rows.end(), [&](const auto& r) { return r.uuid == want.uuid(); });
      ASSERT_NE(stored->rows.end(), row) << listing;
      const ovsdb::Record got = stored->record(*row, damaged);
      for (const auto& column : want.columns)
        EXPECT_EQ(to_text(column.value), to_text(*got.find(column.name))) << listing << " " << column.name;
    }
  }

  testing::TemporaryDirectory d_;
};

TEST_F(Servers, ListedThenWhatIsReadAsOfThen) {
  for (const std::string kind : {"s", "c"}) {
    const std::string text = at(kind + ".db");
    for (int i = 1; i <= 4; ++i) {
      const std::string step = kind + "." + std::to_string(i);
      const ovsdb::DatabaseFile file = ovsdb::read_database(text, {std::stoll(at(step + ".time")), nullptr});
      EXPECT_EQ(static_cast<std::size_t>(4 - i), file.later) << step;
      expect_as_listed(file, "Logical_Switch", step + ".switches");
      expect_as_listed(file, "Logical_Switch_Port", step + ".ports");
    }
    const cluster::History history = history_of(text);
    ASSERT_EQ(5U, history.transactions.size()) << kind;
    EXPECT_TRUE(history.transactions[0].is_snapshot);
    EXPECT_EQ(4U, history.transactions[0].rows);  // two switches, a port, NB_Global
    EXPECT_EQ(kind == "c", !history.transactions[1].id.empty());
    for (std::size_t i = 1; i < 5; ++i) EXPECT_FALSE(history.transactions[i].changes.empty());
    EXPECT_NE(std::string::npos, history.transactions[4].comment.find("lsp-del p1"));
  }
}

}  // namespace
}  // namespace egt::parsers
