// Copies that TEE and dup send: their way through the host; each was seen of a kernel (6.18).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "egtrace/explain/phrases.h"
#include "test_host.h"

namespace egt::test {
namespace {

using engine::HostOutcome;
using Kind = HostOutcome::Kind;

TestHost mirroring_router(const std::string& iptables, const std::string& nft = {}) {
  TestHost h;
  h.link("in0", "02:00:00:00:00:01", "10.0.0.1/24").link("out0", "02:00:00:00:00:02", "10.1.0.1/24");
  h.routes("default via 10.1.0.9 dev out0\n77.0.0.0/8 via 10.0.0.6 dev in0\nunreachable 66.0.0.0/8");
  h.neighbour("10.1.0.9", "out0", "52:54:00:00:00:01").neighbour("10.0.0.6", "in0", "52:54:00:00:00:06");
  if (!iptables.empty()) h.iptables(iptables);
  if (!nft.empty()) h.nft(nft);
  h.local_table();
  return h;
}

const FlowKey kPacket = udp("10.0.0.5", "9.9.9.9", 4000, 80);

void expect_one_copy(TestHost& h, std::string_view device, std::string_view next_hop) {
  Lab lab(h);
  const HostOutcome out = lab.receive("in0", kPacket);
  ASSERT_EQ(out.copies.size(), 1u);
  EXPECT_EQ(out.copies[0].device, device);
  EXPECT_EQ(dst_mac(out.copies[0].packet), mac(next_hop));
}

TEST(Copy, LeavesTowardsTheGatewayAndThePacketGoesOn) {
  TestHost h = mirroring_router("*mangle\n:PREROUTING ACCEPT [0:0]\n-A PREROUTING -p udp -j TEE --gateway 77.7.7.7\nCOMMIT\n");
  Lab lab(h);
  const HostOutcome out = lab.receive("in0", kPacket);
  EXPECT_EQ(out.device, "out0");
  ASSERT_EQ(out.copies.size(), 1u);
  const HostOutcome& copy = out.copies.front();
  EXPECT_EQ(copy.kind, Kind::transmit);
  EXPECT_EQ(copy.device, "in0");
  EXPECT_EQ(dst_mac(copy.packet), mac("52:54:00:00:00:06"));
  EXPECT_EQ(tuple_of(copy.packet), tuple_of(kPacket));
  EXPECT_EQ(copy.packet.u32(FieldId::nw_ttl), kPacket.u32(FieldId::nw_ttl) - 1);  // against loops of copies
  EXPECT_EQ(lab.steps<engine::SendCopy>().size(), 1u);
  EXPECT_TRUE(lab.proven()) << lab.assumptions();
}

TEST(Copy, PassesOutputUntrackedAndIsNotCopiedAgain) {
  const std::string rules =
      "*mangle\n:FORWARD ACCEPT [0:0]\n:POSTROUTING ACCEPT [0:0]\n-A FORWARD -j TEE --gateway 10.0.0.6\n-A POSTROUTING "
      "-j TEE --gateway 10.0.0.6\nCOMMIT\n"
      "*nat\n:POSTROUTING ACCEPT [0:0]\n-A POSTROUTING -j MASQUERADE\nCOMMIT\n"
      "*filter\n:OUTPUT ACCEPT [0:0]\n{}COMMIT\n";
  TestHost open = mirroring_router(fmt::format(fmt::runtime(rules), ""));
  Lab lab(open);
  const HostOutcome out = lab.receive("in0", kPacket);
  EXPECT_EQ(src_ip(out.packet), ip("10.1.0.1"));
  ASSERT_EQ(out.copies.size(), 2u);  // of the packet; the first one passes POSTROUTING and is left alone
  EXPECT_EQ(src_ip(out.copies[0].packet), ip("10.0.0.5"));
  TestHost closed = mirroring_router(fmt::format(fmt::runtime(rules), "-A OUTPUT -m conntrack --ctstate UNTRACKED -j DROP\n"));
  Lab stopped(closed);
  const HostOutcome alone = stopped.receive("in0", kPacket);
  EXPECT_EQ(alone.kind, Kind::transmit);
  ASSERT_EQ(alone.copies.size(), 2u);
  EXPECT_EQ(alone.copies[0].kind, Kind::dropped);
  ASSERT_EQ(stopped.steps<engine::SendCopy>().size(), 2u);
  EXPECT_EQ(explain::phrase(stopped.steps<engine::SendCopy>()[0]->where), "iptables filter OUTPUT");
}

// ip_route_me_harder(): by the packet's own destination then, whatever gateway and device TEE named.
TEST(Copy, IsRoutedAnewWhereOutputMarksIt) {
  TestHost h = mirroring_router(
      "*mangle\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n-A FORWARD -j TEE --gateway 10.0.0.6 --oif in0\n-A OUTPUT "
      "-j MARK --set-xmark 0x2/0xffffffff\nCOMMIT\n");
  expect_one_copy(h, "out0", "52:54:00:00:00:01");
}

// The route is the same one, which has no gateway of its own.
TEST(Copy, LosesItsGatewayWhereOutputMarksIt) {
  const std::string rules =
      "*mangle\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n-A FORWARD -j TEE --gateway 10.1.0.8\n{}COMMIT\n";
  const auto taken_by = [&](const std::string& in_output) {
    TestHost h = mirroring_router(fmt::format(fmt::runtime(rules), in_output));
    h.routes("10.1.0.0/24 dev out0")
        .neighbour("10.1.0.8", "out0", "52:54:00:00:00:08")
        .neighbour("10.1.0.77", "out0", "52:54:00:00:00:77");
    Lab lab(h);
    const HostOutcome out = lab.receive("in0", udp("10.0.0.5", "10.1.0.77", 4000, 80));
    return out.copies.size() == 1 ? dst_mac(out.copies[0].packet).to_string() : "no copy";
  };
  EXPECT_EQ(taken_by(""), "52:54:00:00:00:08");
  EXPECT_EQ(taken_by("-A OUTPUT -j MARK --set-xmark 0x2/0xffffffff\n"), "52:54:00:00:00:77");
}

TEST(Copy, WhoseTargetIsNotDecidedStaysOpen) {
  TestHost h = mirroring_router("",
                                "table ip t {\n\tchain c {\n\t\ttype filter hook forward priority filter; policy accept;\n"
                                "\t\tdup to meta cpu map { 0 : 10.0.0.6, 1 : 10.0.0.8 }\n\t}\n}\n");
  Lab lab(h);
  const HostOutcome out = lab.receive("in0", kPacket);
  EXPECT_EQ(out.kind, Kind::transmit);
  ASSERT_EQ(out.copies.size(), 1u);
  EXPECT_EQ(out.copies[0].kind, Kind::inconclusive);
}

TEST(Copy, OfNftByMapOrAsAFrame) {
  TestHost h = mirroring_router(
      "",
      "table ip t {\n\tchain c {\n\t\ttype filter hook forward priority filter; policy accept;\n"
      "\t\tdup to ip saddr map { 10.0.0.5 : 10.0.0.6, 10.0.0.7 : 10.0.0.8 }\n\t}\n}\n"
      "table netdev n {\n\tchain c {\n\t\ttype filter hook ingress device \"in0\" priority filter; policy accept;\n"
      "\t\tudp dport 80 dup to \"out0\"\n\t\tudp dport 81 fwd to \"out0\"\n\t}\n}\n");
  Lab lab(h);
  const HostOutcome out = lab.receive("in0", kPacket);
  ASSERT_EQ(out.copies.size(), 2u);
  EXPECT_EQ(out.copies[0].device, "out0");
  EXPECT_EQ(dst_mac(out.copies[0].packet), mac("02:00:00:00:00:01"));  // as it came
  EXPECT_EQ(out.copies[1].device, "in0");
  const HostOutcome sent = lab.receive("in0", udp("10.0.0.5", "9.9.9.9", 4000, 81));
  EXPECT_EQ(sent.kind, Kind::transmit);
  EXPECT_EQ(sent.packet.u32(FieldId::nw_ttl), 64u);
  EXPECT_TRUE(sent.copies.empty());
}

TEST(Copy, OfWhichOnlyTheDeviceIsKnownGoesToItsOwnDestination) {
  TestHost h = mirroring_router("*mangle\n:FORWARD ACCEPT [0:0]\n-A FORWARD -j TEE --gateway 66.6.6.6 --oif in0\nCOMMIT\n");
  h.neighbour("9.9.9.9", "in0", "52:54:00:00:00:99");
  expect_one_copy(h, "in0", "52:54:00:00:00:99");
}

TEST(Copy, WithoutAWayIsLost) {
  TestHost h = mirroring_router(
      "*mangle\n:FORWARD ACCEPT [0:0]\n-A FORWARD -j TEE --gateway 10.0.0.1\n-A FORWARD -j TEE --gateway 10.0.0.8\n-A "
      "FORWARD -j TEE --gateway 66.6.6.6\nCOMMIT\n");
  Lab lab(h);
  const HostOutcome out = lab.receive("in0", kPacket);
  EXPECT_EQ(out.kind, Kind::transmit);
  ASSERT_EQ(out.copies.size(), 3u);
  EXPECT_EQ(out.copies[0].kind, Kind::delivered);     // the gateway is this host
  EXPECT_EQ(out.copies[1].kind, Kind::inconclusive);  // nobody knows a neighbour there
  EXPECT_EQ(out.copies[2].kind, Kind::dropped);
  EXPECT_TRUE(lab.proven()) << lab.assumptions();
}

// fwd hands the frame to the device, which takes none while it is down.
TEST(Copy, AFrameForADeviceThatIsDownIsLost) {
  TestHost h = mirroring_router(
      "",
      "table netdev n {\n\tchain c {\n\t\ttype filter hook ingress device \"in0\" priority filter; policy accept;\n"
      "\t\tfwd to \"out0\"\n\t}\n}\n");
  EXPECT_EQ(Lab(h).receive("in0", kPacket).kind, Kind::transmit);
  h.at("out0").flags = {"BROADCAST"};
  const HostOutcome lost = Lab(h).receive("in0", kPacket);
  EXPECT_EQ(lost.kind, Kind::dropped);
  ASSERT_TRUE(lost.stop);
  EXPECT_EQ(lost.stop->why.reason, engine::Reason::device_down);
}

// icmp_send() asks for the kind of the route, and that of a copy leads to its gateway.
TEST(Copy, OfABroadcastIsAnswered) {
  TestHost h = mirroring_router(
      "*mangle\n:PREROUTING ACCEPT [0:0]\n-A PREROUTING -j TEE --gateway 10.1.0.9\nCOMMIT\n"
      "*filter\n:INPUT DROP [0:0]\n:OUTPUT ACCEPT [0:0]\n-A OUTPUT -p udp -j REJECT\nCOMMIT\n");
  Lab lab(h);
  const HostOutcome out = lab.receive("in0", udp("10.0.0.5", "0.0.0.0", 4000, 80));
  EXPECT_EQ(out.kind, Kind::dropped);
  ASSERT_EQ(out.copies.size(), 1u);
  EXPECT_EQ(out.copies[0].kind, Kind::rejected);
}

// Each would come back by lo to all the rules.
TEST(Copy, CopiesOfCopiesAreBounded) {
  std::string rules = "*mangle\n:PREROUTING ACCEPT [0:0]\n";
  for (int i = 0; i < 200; ++i) rules += "-A PREROUTING -j TEE --gateway 10.0.0.1\n";
  TestHost h = mirroring_router(rules + "COMMIT\n");
  Lab lab(h);
  const HostOutcome out = lab.receive("in0", kPacket);
  EXPECT_EQ(out.kind, Kind::transmit);
  EXPECT_LT(out.copies.size(), 100u);
  EXPECT_EQ(out.copies.back().kind, Kind::inconclusive);
}

}  // namespace
}  // namespace egt::test
