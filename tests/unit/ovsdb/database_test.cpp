// Database files against the tools of Open vSwitch: what ovsdb-tool made is read, and where ovsdb-server is installed the
// same rows must come out of both.
#include "ovsdb/database.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "egtrace/ovn/southbound.h"
#include "ovsdb/sha1.h"
#include "support/format_fixture.h"
#include "support/ovsdb_log.h"

namespace egt::parsers {
namespace {

using ovsdb::DatabaseFile;
using ovsdb::read_database;
using ovsdb::Record;

std::string log_of(const std::vector<std::string>& records, const std::string& magic = "JSON") {
  return testing::ovsdb_log(records, magic);
}

constexpr const char* kSchema =
    R"({"cksum":"1 2","name":"OVN_Southbound","version":"20.41.0","tables":{"T":{"columns":{)"
    R"("name":{"type":"string"},"n":{"type":{"key":"integer","min":0}},"live":{"type":"integer","ephemeral":true},)"
    R"("set":{"type":{"key":"string","min":0,"max":"unlimited"}},)"
    R"("ref":{"type":{"key":{"type":"uuid","refTable":"T"},"min":0}},)"
    R"("map":{"type":{"key":"string","value":"integer","min":0,"max":"unlimited"}}}}}})";
constexpr const char* kSnapshot =
    R"({"_date":1700000000000,"_comment":"compacting \"it\"","T":{)"
    R"("00000000-0000-0000-0000-000000000001":{"name":"a\"b","set":"x","map":["map",[["k",1],["l",2]]]},)"
    R"("00000000-0000-0000-0000-000000000002":{"ref":["uuid","00000000-0000-0000-0000-000000000001"],"n":7}}})";

// "name=… set=…" of every row in order; as a tree and as text alike.
std::vector<std::string> rows_of(const DatabaseFile& file, const std::string& name = "T") {
  std::vector<std::string> all;
  const auto* table = file.table(name);
  for (std::size_t i = 0; table && i < table->rows.size(); ++i) {
    std::size_t damaged = 0, damaged_text = 0;
    std::string text, same;
    for (const auto& column : table->record(table->rows[i], damaged).columns)
      if (column.name != "_uuid") text += column.name + "=" + to_text(column.value) + " ";
    for (const auto& [column, value] : table->columns(table->rows[i], damaged_text))
      same.append(column).append("=").append(value).append(" ");
    EXPECT_EQ(text, same);
    EXPECT_EQ(damaged, damaged_text);
    all.push_back(text);
  }
  return all;
}

TEST(Sha1, GivesTheDigestsOfTheStandard) {
  EXPECT_EQ(ovsdb::sha1(""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  EXPECT_EQ(ovsdb::sha1("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(ovsdb::sha1(std::string(1000000, 'a')), "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
}

TEST(DatabaseFile, GivesRowsWithTheirDefaultsAsListShowsThem) {
  const std::string text = log_of({kSchema, kSnapshot});
  const DatabaseFile file = read_database(text);
  EXPECT_TRUE(file.problems.empty());
  EXPECT_EQ(file.name, "OVN_Southbound");
  EXPECT_EQ(file.version, "20.41.0");
  EXPECT_EQ(file.transactions.at(0).comment, "compacting \"it\"");
  const std::vector<std::string> expected = {R"(map={k=1, l=2} n=[] name="a\"b" ref=[] set=[x] )",
                                             R"(map={} n=7 name="" ref=00000000-0000-0000-0000-000000000001 set=[] )"};
  EXPECT_EQ(rows_of(file), expected);
}

// Values as no schema has them, damaged ones and those that need quotes.
TEST(DatabaseFile, PrintsValuesAsTheirTreesDo) {
  constexpr const char* kTypes[] = {R"("string")",
                                    R"("integer")",
                                    R"("real")",
                                    R"("boolean")",
                                    R"("uuid")",
                                    R"({"key":"string","min":0})",
                                    R"({"key":"uuid","min":0,"max":"unlimited"})",
                                    R"({"key":"real","max":"unlimited"})",
                                    R"({"key":"string","value":"string","min":0,"max":"unlimited"})",
                                    R"({"key":"integer","value":"uuid"})"};
  constexpr const char* kValues[] = {R"("")",
                                     R"("plain")",
                                     R"("true")",
                                     R"("a b")",
                                     R"("a\"b\\c\n\u00e4\u0001\x")",
                                     R"("00000000-0000-0000-0000-000000000001")",
                                     "7",
                                     "-1.5e3",
                                     "true",
                                     "null",
                                     R"(["uuid","00000000-0000-0000-0000-000000000001"])",
                                     R"(["uuid",1])",
                                     R"(["set",[]])",
                                     R"(["set",["one"]])",
                                     R"(["set",["two","1"]])",
                                     R"(["set",[["uuid","x"],["uuid","y"]]])",
                                     R"(["set",[1,2,[]]])",
                                     R"(["map",[]])",
                                     R"(["map",[["k","v"],["k 2","\t"]]])",
                                     R"(["map",[[1,["uuid","z"]]]])",
                                     R"(["map",[["k"]]])",
                                     R"({"a":1})",
                                     R"(["set",["cut)"};
  std::string columns, rows;
  for (std::size_t t = 0; t < std::size(kTypes); ++t)
    columns += (t > 0 ? "," : "") + std::string("\"c") + std::to_string(t) + R"(":{"type":)" + kTypes[t] + "}";
  for (std::size_t v = 0; v < std::size(kValues); ++v) {
    std::string row;
    for (std::size_t t = 0; t < std::size(kTypes); ++t)
      row += (t > 0 ? "," : "") + std::string("\"c") + std::to_string(t) + "\":" + kValues[v];
    const std::string text = log_of({R"({"name":"D","tables":{"T":{"columns":{)" + columns + "}}}}",
                                     R"({"T":{"00000000-0000-0000-0000-000000000001":{)" + row + "}}}"});
    rows_of(read_database(text));
  }
}

// The fuzz corpus has files of real servers.
TEST(DatabaseFile, PrintsRowsOfServersAsTheirTreesDo) {
  for (const char* name : {"standalone.db", "clustered.db"}) {
    std::ifstream in(std::string(EGTRACE_SOURCE_DIR "/tests/fuzz/corpus/ovsdb/") + name, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    const std::string whole = text.str();
    const DatabaseFile file = read_database(whole);
    EXPECT_FALSE(file.tables.empty()) << name;
    for (const auto& table : file.tables) rows_of(file, table.schema.name);
  }
}

TEST(DatabaseFile, AppliesTransactionsInOrder) {
  const std::string text =
      log_of({kSchema, kSnapshot, R"({"T":{"00000000-0000-0000-0000-000000000001":{"set":["set",["y","x"]],"n":3}}})",
              R"({"T":{"00000000-0000-0000-0000-000000000001":{"set":["set",["x","z"]],"n":4,)"
              R"("map":["map",[["k",1],["l",5],["m",6]]]}},"_is_diff":true})",
              R"({"T":{"00000000-0000-0000-0000-000000000002":null,)"
              R"("00000000-0000-0000-0000-000000000003":{"name":"new"}},"_is_diff":true})"});
  const DatabaseFile file = read_database(text);
  EXPECT_TRUE(file.problems.empty());
  const std::vector<std::string> expected = {R"(map={l=5, m=6} n=4 name="a\"b" ref=[] set=[y, z] )",
                                             R"(map={} n=[] name=new ref=[] set=[] )"};
  EXPECT_EQ(rows_of(file), expected);
  EXPECT_EQ(file.table("T")->rows[0].line, 7u);
}

TEST(DatabaseFile, TakesOfAClusterWhatIsCommitted) {
  const std::string id =
      R"("server_id":"00000000-0000-0000-0000-00000000000a","cluster_id":"00000000-0000-0000-0000-00000000000b")";
  const auto entry = [](int term, int index, const std::string& name) {
    return R"({"term":)" + std::to_string(term) + R"(,"index":)" + std::to_string(index) +
           R"(,"eid":"00000000-0000-0000-0000-00000000000e","data":[null,{"T":{"00000000-0000-0000-0000-00000000000)" +
           std::to_string(index) + R"(":{"name":")" + name + R"("}}}]})";
  };
  const std::string header =
      "{" + id + R"(,"name":"OVN_Southbound","prev_index":2,"prev_term":1,"prev_data":[)" + kSchema + "," + kSnapshot + "]}";
  const std::string text = log_of({header, R"({"term":2,"vote":"00000000-0000-0000-0000-00000000000a"})", entry(2, 3, "three"),
                                   entry(2, 4, "lost"), entry(3, 4, "four"), R"({"commit_index":4})", entry(3, 5, "uncommitted")},
                                  "CLUSTER");
  const DatabaseFile file = read_database(text);
  EXPECT_TRUE(file.clustered);
  EXPECT_FALSE(file.partial);
  ASSERT_EQ(file.problems.size(), 1u);
  EXPECT_TRUE(file.problems[0].note);
  const auto rows = rows_of(file);
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[2], "map={} n=[] name=three ref=[] set=[] ");
  EXPECT_EQ(rows[3], "map={} n=[] name=four ref=[] set=[] ");
}

TEST(DatabaseFile, IsReadToItsDamage) {
  const std::string whole = log_of({kSchema, kSnapshot, R"({"T":{"00000000-0000-0000-0000-000000000001":null}})"});
  EXPECT_EQ(rows_of(read_database(whole)).size(), 1u);
  const DatabaseFile cut = read_database(std::string_view(whole).substr(0, whole.size() - 1));
  EXPECT_EQ(rows_of(cut).size(), 2u);
  ASSERT_EQ(cut.problems.size(), 1u);
  EXPECT_NE(cut.problems[0].message.find("as it was before"), std::string::npos);
  std::string flipped = whole;
  flipped[flipped.size() - 10] ^= 1;
  const DatabaseFile damaged = read_database(flipped);
  EXPECT_EQ(rows_of(damaged).size(), 2u);
  EXPECT_TRUE(damaged.partial);
}

TEST(DatabaseFile, SurvivesACutAtEveryByte) {
  const std::string whole = log_of({kSchema, kSnapshot, R"({"T":{"00000000-0000-0000-0000-000000000002":null}})"});
  for (std::size_t n = 0; n < whole.size(); ++n) {
    const DatabaseFile file = read_database(std::string_view(whole).substr(0, n));
    EXPECT_LE(rows_of(file).size(), 2u);
    if (n > 0) {
      EXPECT_TRUE(!file.problems.empty() || file.log.records.size() < 3) << n;
    }
  }
}

TEST(DatabaseFile, SurvivesHostileSizesAndNesting) {
  for (const char* length : {"18446744073709551615", "99999999999999999999999", "9223372036854775807", "0", "-1"})
    rows_of(read_database("OVSDB JSON " + std::string(length) + " da39a3ee5e6b4b0d3255bfef95601890afd80709\n{}"));
  rows_of(read_database(log_of({std::string(100000, '['), std::string(100000, '{')})));
  rows_of(read_database(log_of({kSchema, R"({"T":{"u":{"set":)" + std::string(5000, '[') + std::string(5000, ']') + "}}}"})));
  rows_of(read_database(log_of({kSchema, R"({"T":{"u":{"map":["map",[["k"]]],"n":["set",[1,2,3]],"gone":1},"v":3,"w":null}})"})));
}

std::string slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// Makes the same changes through a server of a standalone and of a clustered database, some before and some behind its
// compacting, and lists the rows.
constexpr const char* kScript = R"(set -e
trap 'for k in s c; do test -f $k.pid && kill $(cat $k.pid); done 2>/dev/null' EXIT
ovsdb-tool create s.db $schema
ovsdb-tool create-cluster c.db $schema unix:c.raft
for k in s c; do
  ovsdb-server --detach --no-chdir --pidfile=$PWD/$k.pid --log-file=$PWD/$k.log --unixctl=$PWD/$k.ctl \
    --remote=punix:$PWD/$k.sock $k.db
  v() { ovs-vsctl --timeout=20 --no-wait --db=unix:$PWD/$k.sock "$@"; }
  v init -- add-br br0 -- set bridge br0 external_ids:a=1 external_ids:b='"x\"y"' -- add-port br0 p1
  v add-port br0 p2 -- set port p2 tag=42 -- set interface p2 type=geneve options:remote_ip=1.2.3.4
  v set bridge br0 external_ids:b=2 external_ids:c=3 -- remove bridge br0 external_ids a -- del-port p1
  ovs-appctl -t $PWD/$k.ctl ovsdb-server/compact
  v set port p2 trunks=1,2,3 -- set bridge br0 external_ids:d='"back\\slash and é"'
  v set port p2 trunks=2,3,4 -- add-port br0 p3
  v --columns=_uuid,name,ports,external_ids,fail_mode,mcast_snooping_enable list bridge > $k.bridge
  v --columns=_uuid,name,interfaces,tag,trunks,bond_mode,qos list port > $k.port
done
)";

// What a real server writes, changes and compacts.
TEST(DatabaseFile, AgreesWithOvsdbServer) {
  constexpr const char* kSchemaFile = "/usr/share/openvswitch/vswitch.ovsschema";
  if (std::system("command -v ovsdb-tool ovsdb-server ovsdb-client ovs-vsctl >/dev/null 2>&1") != 0 ||
      !std::ifstream(kSchemaFile))
    GTEST_SKIP() << "Open vSwitch's database tools are not installed";
  char folder[] = "/tmp/egtrace-ovsdb-XXXXXX";
  ASSERT_NE(::mkdtemp(folder), nullptr);
  const std::string dir = folder;
  std::ofstream(dir + "/run.sh") << "cd " << dir << "\nschema=" << kSchemaFile << "\n" << kScript;
  const int status = std::system(("sh " + dir + "/run.sh >" + dir + "/out 2>&1").c_str());
  if (status != 0) {
    const std::string said = slurp(dir + "/out");
    std::system(("rm -rf " + dir).c_str());
    GTEST_SKIP() << "the servers could not be used: " << said;
  }
  Formats f(ovsdb_formats());
  for (const std::string kind : {"s", "c"}) {
    const std::string text = slurp(dir + "/" + kind + ".db");
    const DatabaseFile file = read_database(text);
    EXPECT_EQ(file.clustered, kind == "c");
    for (const auto& p : file.problems) ADD_FAILURE() << kind << ": " << p.line << ": " << p.message;
    const Dump dump = f.dump(text);
    EXPECT_EQ(f.kind(dump), "ovsdb database");
    EXPECT_EQ(f.reprint(dump).out, text);
    for (const auto& [table, listing] : {std::pair{"Bridge", ".bridge"}, std::pair{"Port", ".port"}}) {
      Report report;
      const auto listed = ovsdb::read_records(f.dump(slurp(dir + "/" + kind + listing)), report);
      const auto* stored = file.table(table);
      ASSERT_NE(stored, nullptr);
      ASSERT_EQ(stored->rows.size(), listed.size());
      std::size_t damaged = 0;
      for (const Record& want : listed) {
        const auto row =
            std::find_if(stored->rows.begin(), stored->rows.end(), [&](const auto& r) { return r.uuid == want.uuid(); });
        ASSERT_NE(row, stored->rows.end());
        const Record got = stored->record(*row, damaged);
        for (const auto& column : want.columns) {
          ASSERT_NE(got.find(column.name), nullptr) << column.name;
          EXPECT_EQ(to_text(*got.find(column.name)), to_text(column.value)) << kind << " " << column.name;
        }
      }
      EXPECT_EQ(damaged, 0u);
    }
  }
  std::system(("rm -rf " + dir).c_str());
}

constexpr const char* kSouthbound =
    R"({"name":"OVN_Southbound","version":"20.41.0","tables":{)"
    R"("Datapath_Binding":{"columns":{"tunnel_key":{"type":"integer"},)"
    R"("external_ids":{"type":{"key":"string","value":"string","min":0,"max":"unlimited"}}}},)"
    R"("Logical_DP_Group":{"columns":{"datapaths":{"type":{"key":"uuid","min":0,"max":"unlimited"}}}},)"
    R"("Logical_Flow":{"columns":{"match":{"type":"string"},"actions":{"type":"string"},"pipeline":{"type":"string"},)"
    R"("priority":{"type":"integer"},"table_id":{"type":"integer"},"logical_datapath":{"type":{"key":"uuid","min":0}},)"
    R"("logical_dp_group":{"type":{"key":"uuid","min":0}},)"
    R"("external_ids":{"type":{"key":"string","value":"string","min":0,"max":"unlimited"}}}}}})";
constexpr const char* kFlows =
    R"({"Datapath_Binding":{"00000000-0000-0000-0000-0000000000d1":{"tunnel_key":5,"external_ids":["map",[["name","sw"]]]},)"
    R"("00000000-0000-0000-0000-0000000000d2":{"tunnel_key":6,"external_ids":["map",[["logical-router","00000000-0000-0000-0000-0000000000f2"],["name","lr"]]]}},)"
    R"("Logical_DP_Group":{"00000000-0000-0000-0000-0000000000e1":{"datapaths":["set",[["uuid","00000000-0000-0000-0000-0000000000d1"],["uuid","00000000-0000-0000-0000-0000000000d2"]]]}},)"
    R"("Logical_Flow":{"7d8c250c-0000-0000-0000-000000000001":{"match":"ip4 && inport == \"p\"","actions":"next;","pipeline":"ingress","priority":100,"table_id":25,)"
    R"("logical_datapath":["uuid","00000000-0000-0000-0000-0000000000d2"],"external_ids":["map",[["source","northd.c:1"],["stage-hint","ff2a5a3e"],["stage-name","lr_in_policy"]]]},)"
    R"("7d8c250d-0000-0000-0000-000000000002":{"match":"1","actions":"drop;","pipeline":"egress","priority":0,"table_id":3,)"
    R"("logical_dp_group":["uuid","00000000-0000-0000-0000-0000000000e1"]}}})";

TEST(DatabaseFile, LoadsLogicalFlowsWithTheirDatapaths) {
  Formats f(ovsdb_formats());
  cluster::Cluster cluster;
  const std::string text = log_of({kSouthbound, kFlows});
  Dump dump = f.dump(text);
  dump.source = cluster.sources->add("sb.db", dump.text, nullptr);
  const Report report = f.load(dump, cluster);
  EXPECT_TRUE(report.diagnostics.empty());
  const ovn::Ovn& ovn = cluster.node("n")->ovn;
  ASSERT_EQ(ovn.logical_flows.size(), 2u);
  const ovn::LogicalFlow& policy = ovn.logical_flows[0];
  EXPECT_EQ(policy.datapath, "lr");
  EXPECT_EQ(policy.match, "ip4 && inport == \"p\"");
  EXPECT_EQ(policy.stage, "lr_in_policy");
  ASSERT_TRUE(policy.origin);
  EXPECT_EQ(policy.origin->stage_hint, "ff2a5a3e");
  EXPECT_EQ(policy.uuid_prefix, 0x7d8c250cu);
  EXPECT_EQ(policy.from.line, 4u);
  EXPECT_TRUE(cluster.sources->line_text(policy.from).starts_with("\"7d8c250c-0000-0000-0000-000000000001\":{\"match\""));
  EXPECT_TRUE(cluster.sources->line_text(policy.from).ends_with("]]]}"));
  EXPECT_EQ(ovn::datapaths_of(ovn, policy), std::vector<std::string_view>{"lr"});
  EXPECT_EQ(ovn::datapaths_of(ovn, ovn.logical_flows[1]), (std::vector<std::string_view>{"sw", "lr"}));
  ASSERT_TRUE(ovn.southbound);
  EXPECT_EQ(ovn.southbound->logical_flows.get().size(), 2u);
  EXPECT_EQ(ovn.southbound->datapaths.at(1).tunnel_key, 6u);
  EXPECT_TRUE(ovn.southbound->datapaths.at(1).is_router);
  EXPECT_TRUE(ovn.southbound->complete.contains("Logical_Flow"));
  EXPECT_TRUE(ovn.complete_tables.contains("SB Datapath_Binding"));
}

TEST(DatabaseFile, SurvivesTorment) { Formats(ovsdb_formats()).torment(log_of({kSouthbound, kFlows}), ""); }

}  // namespace
}  // namespace egt::parsers
