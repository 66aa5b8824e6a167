// What the program says of the past: inspect --history, and --at of the verbs that take it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/json_schema.h"
#include "support/ovsdb_log.h"
#include "support/run.h"

namespace {

using egt::testing::northbound_log;
using egt::testing::Ran;
using nlohmann::json;

// 2026-03-01T12:00:00Z, then one second and one hour later.
const std::string kLog =
    northbound_log({R"({"_date":1772366400000,"_comment":"compacting database online",)"
                    R"("Address_Set":{"00000000-0000-0000-0000-000000000001":{"name":"as1","addresses":"10.0.0.1"}}})",
                    R"({"_date":1772366401000,"_comment":"ovn-nbctl: set address_set as1 addresses=10.0.0.2",)"
                    R"("Address_Set":{"00000000-0000-0000-0000-000000000001":{"addresses":"10.0.0.2"}}})",
                    R"({"_date":1772370000000,"Logical_Switch":{"00000000-0000-0000-0000-000000000002":{"name":"sw0"}}})"});

class Past : public ::testing::Test {
 protected:
  Past() {
    egt::testing::write_file(d_.path() + "/snap/worker-1/ovnnb_db.db", kLog);
    egt::testing::write_file(d_.path() + "/snap/worker-1/ovn-nbctl_list_address_set",
                             "_uuid               : 00000000-0000-0000-0000-000000000001\naddresses           : [\"10.0.0.9\"]\n"
                             "external_ids        : {}\nname                : as1\n");
    egt::testing::write_file(d_.path() + "/snap/worker-2/hostname", "worker-2\n");
  }
  Ran run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), EGTRACE_BINARY);
    return egt::testing::run(arguments, "", d_.path());
  }
  static bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

  egt::testing::TemporaryDirectory d_;
};

TEST_F(Past, InspectTellsWhatChangedWhen) {
  EXPECT_EQ(
      "2026-03-01T12:00:00Z  worker-1  OVN_Northbound\n"
      "  worker-1/ovnnb_db.db:4\n"
      "  1 row as of the compaction\n"
      "2026-03-01T12:00:01Z  worker-1  OVN_Northbound\n"
      "  worker-1/ovnnb_db.db:6\n"
      "  ovn-nbctl: set address_set as1 addresses=10.0.0.2\n"
      "    modified Address_Set as1: addresses [\"10.0.0.1\"] → [\"10.0.0.2\"]\n"
      "2026-03-01T13:00:00Z  worker-1  OVN_Northbound\n"
      "  worker-1/ovnnb_db.db:8\n"
      "    inserted Logical_Switch sw0: name=sw0\n",
      run({"inspect", "snap", "--history"}).out);
  for (const char* since : {"30m", "2026-03-01T12:30:00Z", "@1772368200"}) {
    const std::string out = run({"inspect", "snap", "--history", "--since", since}).out;
    EXPECT_TRUE(out.starts_with("2026-03-01T13:00:00Z") && has(out, "2 earlier than 2026-03-01T12:30:00Z not shown")) << out;
  }
  EXPECT_TRUE(has(run({"inspect", "snap", "--history", "--node", "worker-2"}).out, "has no database file"));
}

// Servers of one cluster have the same entries in their logs, each behind a compaction of its own.
TEST_F(Past, EntriesOfAClusterAreToldOnce) {
  const std::string schema =
      R"({"name":"OVN_Northbound","version":"7.0.0","tables":{"NB_Global":{"columns":{"name":{"type":"string"}}}}})";
  const std::string entry =
      R"({"term":1,"index":3,"eid":"00000000-0000-0000-0000-00000000000e","data":[null,{"_date":1772366405000,)"
      R"("NB_Global":{"00000000-0000-0000-0000-000000000001":{"name":"x"}}}]})";
  for (const std::string node : {"worker-3", "worker-4"}) {
    const std::string header = R"({"server_id":")" + node +
                               R"(","name":"OVN_Northbound","prev_index":2,"prev_term":1,"prev_data":[)" + schema +
                               R"(,{"_date":1772366404000,"_comment":"compacting database online"}]})";
    egt::testing::write_file(d_.path() + "/cluster/" + node + "/ovnnb_db.db",
                             egt::testing::ovsdb_log({header, entry}, "CLUSTER"));
  }
  EXPECT_EQ(
      "2026-03-01T12:00:04Z  worker-3  OVN_Northbound\n  worker-3/ovnnb_db.db:2\n  0 rows as of the compaction\n"
      "2026-03-01T12:00:04Z  worker-4  OVN_Northbound\n  worker-4/ovnnb_db.db:2\n  0 rows as of the compaction\n"
      "2026-03-01T12:00:05Z  worker-3  OVN_Northbound\n  worker-3/ovnnb_db.db:4\n    inserted NB_Global x: name=x\n",
      run({"inspect", "cluster", "--history"}).out);
}

TEST_F(Past, InspectRefusesWhatItCannotMean) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"inspect", "snap", "--history", "--since", "soon"},
                                             {"inspect", "snap", "--since", "5m"},
                                             {"inspect", "snap", "--history", "--node", "worker-3"},
                                             {"lookup", "snap/worker-2", "worker-2", "--at", "5m"}}) {
    const Ran ran = run(arguments);
    EXPECT_EQ(2, ran.status);
    EXPECT_TRUE(ran.out.empty());
    EXPECT_EQ(ran.err.size() - 1, ran.err.find('\n')) << ran.err;
  }
}

TEST_F(Past, HistoryHoldsToTheSchema) {
  const json document = json::parse(run({"inspect", "snap", "--history", "--since", "2h", "--format", "json"}).out);
  for (const std::string& error : egt::testing::contract_errors(document)) ADD_FAILURE() << error;
  const json& transactions = document.at("history").at("transactions");
  ASSERT_EQ(3U, transactions.size());
  EXPECT_EQ(1, transactions[0].at("rows"));
  const json& change = transactions[1].at("changes").at(0);
  EXPECT_EQ("as1", change.at("name"));
  EXPECT_EQ(json::array({"\"10.0.0.2\""}), change.at("columns").at(0).at("added"));
  EXPECT_EQ(6, change.at("evidence").at(0).at("line"));
  EXPECT_EQ(R"("00000000-0000-0000-0000-000000000001":{"addresses":"10.0.0.2"})", change.at("evidence").at(0).at("text"));
}

TEST_F(Past, LookupShowsRowsAsTheyWere) {
  const auto at = [&](const std::string& moment) { return run({"lookup", "snap", "as1", "--at", moment}); };
  EXPECT_TRUE(has(at("2026-03-01T12:00:00Z").out, "10.0.0.1"));
  EXPECT_TRUE(has(at("1h").out, "10.0.0.1"));
  EXPECT_TRUE(has(at("30m").out, "10.0.0.2"));
  EXPECT_TRUE(has(at("30m").err, "1 later transaction of OVN_Northbound of worker-1"));
  EXPECT_TRUE(has(at("2026-02-01").out, "10.0.0.1"));
  EXPECT_TRUE(has(at("2026-02-01").err, "its log begins with a snapshot made then"));
  EXPECT_TRUE(has(at("2027-01-01").err, "nothing changed in OVN_Northbound of worker-1 between 2026-03-01T13:00:00Z and 2027"));
  for (const char* moment : {"1h", "30m", "2027-01-01"}) EXPECT_FALSE(has(at(moment).out, "10.0.0.9")) << moment;  // of today
  EXPECT_TRUE(has(run({"lookup", "snap", "as1"}).out, "10.0.0.9"));
}

// Without --at this path is proven: tests/golden/explain-egressip-secondary.
TEST_F(Past, ExplainProvesNothingAcrossTimes) {
  const auto explain = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"explain", EGTRACE_SOURCE_DIR "/samples/egressip-secondary",
                                          "--from",  "demo-egress/requester-3a",
                                          "--to",    "192.168.55.13:80",
                                          "--reply", "--format",
                                          "json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return json::parse(run(arguments).out);
  };
  const json then = explain({"--dump", "master-01-demo:snap/worker-1/ovnnb_db.db", "--at", "2026-03-01T12:00:02Z"});
  EXPECT_EQ("delivered", then.at("verdict"));
  EXPECT_FALSE(has(then.dump(), R"("proven")"));
  EXPECT_TRUE(has(then.at("assumptions").dump(), "was at 2026-03-01T12:00:02Z as it was dumped"));
}

// Verbs whose documents have no place for it say on standard error what they suppose.
TEST_F(Past, VerdictsSayWhatTheySuppose) {
  const std::string sample = EGTRACE_SOURCE_DIR "/samples/egressip-secondary";
  egt::testing::write_file(d_.path() + "/expect.yaml",
                           "version: 1\nexpect:\n  - {name: x, from: demo-egress/requester-3a, to: 192.168.55.13:80}\n");
  for (const std::vector<std::string>& verb : std::vector<std::vector<std::string>>{
           {"assert", sample, "--from", "demo-egress/requester-3a", "--to", "192.168.55.13:80"},
           {"check", sample, d_.path() + "/expect.yaml"},
           {"audit", sample, "--namespace", "demo-egress", "--to", "192.168.55.13:80", "--format", "csv"},
           {"triage", sample, "--only", "egress-leak"}}) {
    const Ran today = run(verb);
    std::vector<std::string> then = verb;
    then.insert(then.end(), {"--dump", "master-01-demo:snap/worker-1/ovnnb_db.db", "--at", "2026-03-01T12:00:02Z"});
    const Ran ran = run(then);
    EXPECT_EQ(today.status, ran.status) << verb[0] << ran.err;
    EXPECT_TRUE(has(ran.err, "was at 2026-03-01T12:00:02Z as it was dumped")) << verb[0] << ran.err;
    EXPECT_FALSE(has(ran.out, ",proven,")) << verb[0];
    EXPECT_FALSE(has(today.err, "supposed"));
    EXPECT_EQ(verb[0] == "audit", has(today.out, ",proven,"));
  }
}

}  // namespace
