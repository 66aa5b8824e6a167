// Logical traces from text: what northbound rows show instead of a southbound database, and what nothing shows.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "support/run.h"

namespace {

namespace fs = std::filesystem;
using egt::testing::Ran;
using egt::testing::TemporaryDirectory;

constexpr const char* kNode = "master-03-demo";
const std::string kSample = EGTRACE_SOURCE_DIR "/samples/egressip-secondary";

Ran ltrace(const std::string& snapshot, std::vector<std::string> arguments) {
  std::vector<std::string> command{EGTRACE_BINARY, "ltrace", snapshot};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return egt::testing::run(command);
}

std::string from_pod(const std::string& source) {
  return "inport==\"demo-egress_requester-3a\" && eth.src==0a:58:0a:85:00:09 && eth.dst==0a:58:0a:85:00:01 && "
         "ip4.src==" +
         source + " && ip4.dst==192.168.55.13 && tcp && tcp.dst==80 && ip.ttl==64";
}

// The sample's node without the lists of the southbound database that show datapaths and ports.
void northbound_only(const TemporaryDirectory& to) {
  fs::create_directory(to.path() + "/" + kNode);
  for (const auto& file : fs::directory_iterator(kSample + "/" + kNode)) {
    const std::string name = file.path().filename();
    if (!name.ends_with("list_Port_Binding") && !name.ends_with("list_Datapath_Binding"))
      fs::copy_file(file.path(), to.path() + "/" + kNode + "/" + name);
  }
}

TEST(LtraceFromText, GoesTheWayOfTheDatabase) {
  TemporaryDirectory d;
  northbound_only(d);
  for (const char* source : {"10.133.0.9", "10.133.0.77"}) {  // its own address, and one that port security stops
    const Ran all = ltrace(kSample, {"--node", kNode, "--ct", "new", "--ct", "new", from_pod(source)});
    const Ran some = ltrace(d.path(), {"--node", kNode, "--ct", "new", "--ct", "new", from_pod(source)});
    EXPECT_EQ(0, some.status) << some.err;
    EXPECT_EQ(all.out, some.out);
  }
}

TEST(LtraceNames, UnknownOnesAreAnsweredWithTheNearest) {
  const Ran port = ltrace(kSample, {"--node", kNode, "inport==\"demo-egress_requester-3x\""});
  EXPECT_EQ(2, port.status);
  EXPECT_NE(std::string::npos, port.err.find("did you mean `demo-egress_requester-3a`")) << port.err;
  const Ran datapath = ltrace(kSample, {"--node", kNode, "master-03-dem", from_pod("10.133.0.9")});
  EXPECT_EQ(2, datapath.status);
  EXPECT_NE(std::string::npos, datapath.err.find("`master-03-demo`?")) << datapath.err;
}

// As flow_format() of Open vSwitch prints packets that are rare; OvnTraceOracle compares more of them with ovn-trace.
TEST(LtraceHeader, OfRarePackets) {
  const std::string inport = "inport==\"demo-egress_requester-3a\" && ";
  const auto end_of_header = [&](const std::string& packet) {
    const Ran ran = ltrace(kSample, {"--node", kNode, "--minimal", inport + packet});
    const std::string line = ran.out.substr(0, ran.out.find('\n'));
    return line.substr(std::min(line.find("nw_frag="), line.find("mpls")));
  };
  EXPECT_EQ("nw_frag=no,tp_src=0,tp_dst=0", end_of_header("ip4 && ip.proto == 2"));
  EXPECT_EQ("nw_frag=no,tp_src=0,tp_dst=0", end_of_header("ip6 && ip.proto == 1"));
  EXPECT_EQ("nw_frag=later,icmp_type=0,icmp_code=0", end_of_header("icmp6 && ip.frag == 3"));
  EXPECT_EQ("nw_frag=later,icmp_code=1", end_of_header("icmp6.code == 1 && ip.frag == 3"));
  EXPECT_EQ("nw_frag=later", end_of_header("icmp4 && ip.frag == 3"));
  EXPECT_EQ("nw_frag=no,tp_src=0,tp_dst=0,tcp_flags=syn|[200]", end_of_header("ip4 && tcp.flags == 0x202"));
  EXPECT_TRUE(end_of_header("eth.type == 0x8847").starts_with("mpls,"));
  EXPECT_TRUE(
      end_of_header("eth.type == 0x8847").ends_with(",mpls_label=0,mpls_tc=0,mpls_ttl=0,mpls_bos=0,mpls_lse1=0,mpls_lse2=0"));
}

// ovn-trace crashes.
TEST(LtraceErrors, FieldThatNoPacketHas) {
  const Ran ran = ltrace(kSample, {"--node", kNode, "inport==\"demo-egress_requester-3a\" && icmp4.frag_mtu == 1400"});
  EXPECT_EQ(2, ran.status);
  EXPECT_EQ("error parsing flow: icmp4.frag_mtu is written by actions only; no packet has it.\n", ran.out);
}

// Each line has its answer; the node is that of a line that somebody understands.
TEST(LtraceBatch, ABadLineIsAnsweredWithItsError) {
  const std::string good = from_pod("10.133.0.9");
  const Ran ran =
      egt::testing::run({EGTRACE_BINARY, "ltrace", kSample, "--batch", "-", "--verdict-only", "--ct", "new", "--ct", "new"},
                        "nonsense=1\n" + good + "\n# a remark\ninport==\"a\"\n" + good + "\n");
  EXPECT_EQ(2, ran.status);
  EXPECT_NE(std::string::npos, ran.err.find("standard input:1: not answered, nor is line 4;")) << ran.err;
  std::vector<std::string> lines;
  for (std::size_t at = 0, end = 0; (end = ran.out.find('\n', at)) != std::string::npos; at = end + 1)
    lines.push_back(ran.out.substr(at, end - at));
  ASSERT_EQ(4U, lines.size()) << ran.out;
  EXPECT_TRUE(lines[0].starts_with("error parsing flow: ")) << lines[0];
  EXPECT_EQ("unknown port \"a\"", lines[2]);
  EXPECT_EQ(lines[1], lines[3]);
}

// A list of one switch, or one that is cut, says nothing of the stages that it does not reach.
TEST(LtraceFromText, ListOfFlowsThatEndsBeforeTheStageDecidesNothing) {
  const std::string flows =
      "Datapath: \"sw\" (bda3d276-9584-467d-bf3b-90b04f9388ef)  Pipeline: ingress\n"
      "  uuid=0x00000001, table=0 (ls_in_l2_lkup      ), priority=50   , match=(eth.dst == 0a:00:00:00:00:02), "
      "action=(outport = \"b\"; output;)\n"
      "  uuid=0x00000002, table=2 (ls_in_l2_unknown   ), priority=50   , match=(ip4), action=(drop;)\n";
  const std::string ports =
      "switch 5f1b2c3d-0000-4000-8000-000000000001 (sw)\n    port a\n        addresses: [\"0a:00:00:00:00:01\"]\n"
      "    port b\n        addresses: [\"0a:00:00:00:00:02\"]\n";
  TemporaryDirectory d;
  d.file("n/ovn-sbctl_--uuid_lflow-list", flows);
  d.file("n/ovn-nbctl_show", ports);
  const auto ask = [&](const std::string& destination) {
    return ltrace(d.path(), {"inport==\"a\" && eth.src==0a:00:00:00:00:01 && eth.dst==0a:00:00:00:00:0" + destination});
  };
  const Ran egress = ask("2");  // no egress stage is listed
  EXPECT_EQ(3, egress.status);
  EXPECT_NE(std::string::npos, egress.err.find("the list of logical flows ends before the stage of \"sw\"")) << egress.err;
  EXPECT_NE(std::string::npos, egress.err.find("lflow-list'")) << egress.err;
  EXPECT_EQ(0, ask("3").status);  // stages behind are listed: this one drops
}

TEST(LtraceFromText, SaysWhatNothingTells) {
  const std::string flows =
      "Datapath: \"sw\" (bda3d276-9584-467d-bf3b-90b04f9388ef)  Pipeline: ingress\n"
      "  uuid=0x00000001, table=0 (ls_in_l2_lkup      ), priority=60   , match=(eth.dst == 0a:00:00:00:00:02 && "
      "is_chassis_resident(\"other\")), action=(drop;)\n"
      "  uuid=0x00000002, table=0 (ls_in_l2_lkup      ), priority=50   , match=(eth.dst == 0a:00:00:00:00:02), "
      "action=(outport = \"b\"; output;)\n"
      "  uuid=0x00000003, table=0 (ls_in_l2_lkup      ), priority=50   , match=(eth.dst == 0a:00:00:00:00:03), "
      "action=(outport = \"_MC_flood\"; output;)\n";
  const std::string ports =
      "switch 5f1b2c3d-0000-4000-8000-000000000001 (sw)\n    port a\n        addresses: [\"0a:00:00:00:00:01\"]\n"
      "    port b\n        addresses: [\"0a:00:00:00:00:02\"]\n";
  TemporaryDirectory d;
  d.file("n/ovn-sbctl_--uuid_lflow-list", flows);
  d.file("n/ovn-nbctl_show", ports);
  const auto ask = [&](const std::string& destination) {
    return ltrace(d.path(), {"inport==\"a\" && eth.src==0a:00:00:00:00:01 && eth.dst==0a:00:00:00:00:0" + destination});
  };
  const Ran resident = ask("2");
  EXPECT_EQ(3, resident.status);
  EXPECT_NE(std::string::npos, resident.err.find("undecided: whether a port exists")) << resident.err;
  EXPECT_NE(std::string::npos, resident.err.find("is_chassis_resident(\"other\")")) << resident.err;
  const Ran group = ask("3");
  EXPECT_EQ(3, group.status);
  EXPECT_NE(std::string::npos, group.err.find("undecided: \"_MC_flood\": run `ovn-sbctl list Multicast_Group'")) << group.err;
  EXPECT_EQ(0, ask("4").status);  // dropped whatever the rest is
}

}  // namespace
