#include "egtrace/explain/phrases.h"
#include "unit/ovs/switch_fixture.h"

namespace egt::engine {
namespace {

using F = FieldId;
using Ports = std::vector<std::string>;

// Opcode and padding, then the wire form of: push reg14, push reg15, pop reg14, pop reg15, resubmit(,5).
std::string userdata(const char* opcode, const char* actions) {
  return std::string("00.00.00.") + opcode + ".00.00.00.00" + actions;
}
constexpr const char* kSwapPorts =
    ".ff.ff.00.18.00.00.23.20.00.1b.00.00.00.01.1c.04.00.20.00.00.00.00.00.00"
    ".ff.ff.00.18.00.00.23.20.00.1b.00.00.00.01.1e.04.00.20.00.00.00.00.00.00"
    ".ff.ff.00.18.00.00.23.20.00.1c.00.00.00.01.1c.04.00.20.00.00.00.00.00.00"
    ".ff.ff.00.18.00.00.23.20.00.1c.00.00.00.01.1e.04.00.20.00.00.00.00.00.00";
constexpr const char* kResubmit5 = ".ff.ff.00.10.00.00.23.20.00.0e.ff.f8.05.00.00.00";

TEST_F(SwitchTest, ARefusalIsAnsweredThroughThePipeline) {
  const std::string reject =
      "table=0,tcp actions=load:0x3->OXM_OF_METADATA[],load:0x1->NXM_NX_REG14[],"
      "load:0x2->NXM_NX_REG15[],controller(userdata=" +
      userdata("16", (std::string(kSwapPorts) + kResubmit5).c_str()) + ")";
  bridge("br0", {reject, "table=5,tcp,metadata=0x3,reg15=0x1 actions=output:1"});
  const OvsResult r = run("br0", 1, tcp());
  EXPECT_EQ(r.reject_with, "tcp-reset");
  ASSERT_EQ(r.emissions.size(), 1u);
  const OvsEmission& e = r.emissions[0];
  EXPECT_EQ(e.kind, OvsEmission::Kind::rejected);
  EXPECT_EQ(e.port->name, "br0-p1");
  EXPECT_EQ(src_ip(e.packet), IpAddr::v4(0x0a000002));
  EXPECT_EQ(dst_ip(e.packet), IpAddr::v4(0x0a000001));
  EXPECT_EQ(e.packet.u32(F::tp_src), 80u);
  EXPECT_EQ(e.packet.u32(F::tp_dst), 1000u);
  EXPECT_EQ(e.packet.u32(F::tcp_flags), 0x14u);
  EXPECT_EQ(e.packet.u64(F::eth_dst), 0x020000000001u);
  EXPECT_EQ(e.packet.u32(F::nw_ttl), 63u);
  EXPECT_EQ(steps<Refused>().size(), 1u);
  ASSERT_TRUE(r.stop);
}

// pinctrl is a thread of ovn-controller: without it nobody answers.
TEST_F(SwitchTest, ARefusalNeedsAnOvnControllerThatRuns) {
  bridge("br0", {"table=0,tcp actions=controller(userdata=" + userdata("16", kResubmit5) + ")",
                 "table=5,tcp actions=load:0xffff->NXM_OF_IN_PORT[],output:1"});
  for (const bool reached : {true, false}) {
    record = {};
    node.ovn.controller = ovn::ControllerConnection{reached, reached, {}};
    EXPECT_EQ("tcp-reset", run("br0", 1, tcp()).reject_with);
    ASSERT_EQ(reached ? 0U : 1U, record.assumptions.size());
    if (!reached) {
      EXPECT_EQ(Supposition::ovn_controller_runs, record.assumptions[0].what);
    }
  }
}

TEST_F(SwitchTest, UdpIsRefusedByAnIcmpErrorThatQuotesIt) {
  bridge("br0", {"table=0,udp actions=controller(userdata=" + userdata("16", kResubmit5) + ")",
                 "table=5,icmp actions=load:0xffff->NXM_OF_IN_PORT[],output:1"});
  FlowKey k = tcp();
  k.set(F::nw_proto, ip_proto::udp);
  const OvsResult r = run("br0", 1, k);
  EXPECT_EQ(r.reject_with, "icmp-port-unreachable");
  ASSERT_EQ(r.emissions.size(), 1u);
  EXPECT_EQ(r.emissions[0].quoted, tuple_of(k));
}

TEST_F(SwitchTest, AResetIsNotRefused) {
  bridge("br0", {"table=0,tcp actions=controller(userdata=" + userdata("16", kResubmit5) + ")"});
  FlowKey k = tcp();
  k.set(F::tcp_flags, 0x04);
  const OvsResult r = run("br0", 1, k);
  EXPECT_TRUE(r.reject_with.empty());
  ASSERT_TRUE(r.stop);
}

TEST_F(SwitchTest, AnUnknownNestedActionTakesTheProofAway) {
  bridge("br0", {"table=0,tcp actions=controller(userdata=" + userdata("16", ".ff.ff.00.08.00.00.99.99") + ")"});
  EXPECT_TRUE(run("br0", 1, tcp()).undecided);
}

TEST_F(SwitchTest, GarbledUserdataIsSurvived) {
  for (const char* data : {"00", "00.00.00.16", "00.00.00.16.00.00.00.00.ff", "00.00.00.16.00.00.00.00.ff.ff.00.00",
                           "00.00.00.16.00.00.00.00.ff.ff.ff.f8.00.00.23.20"}) {
    node.bridges.clear();
    bridge("br0", {std::string("table=0 actions=controller(userdata=") + data + ")"});
    EXPECT_TRUE(run("br0", 1, tcp()).stop) << data;
  }
}

TEST_F(SwitchTest, AskingForAnAddressPausesThePacket) {
  // arp { arp.tpa = reg0; … }: move reg0 to arp_tpa (OpenFlow 1.5 copy_field), then resubmit.
  const std::string nested = ".00.1c.00.18.00.20.00.00.00.00.00.00.00.01.00.04.80.00.2e.04.00.00.00.00";
  bridge("br0", {"table=0,ip actions=load:0xc0a80101->NXM_NX_REG0[],controller(userdata=" +
                 userdata("00", (nested + kResubmit5).c_str()) + ",pause),output:2"});
  const OvsResult r = run("br0", 1, tcp());
  EXPECT_TRUE(r.undecided);
  EXPECT_TRUE(r.emissions.empty());
  ASSERT_EQ(record.gaps.size(), 1u);
  EXPECT_EQ(explain::gap_of(record.gaps[0]).what, "MAC binding for 192.168.1.1 unknown");
}

TEST_F(SwitchTest, TakingNoteDoesNotStopThePacket) {
  bridge("br0", {"table=0,ip actions=controller(userdata=" + userdata("07", "") + "),output:2"});
  const OvsResult r = run("br0", 1, tcp());
  EXPECT_EQ(ports(r), Ports{"br0-p2"});
  EXPECT_FALSE(r.undecided);
}

}  // namespace
}  // namespace egt::engine
