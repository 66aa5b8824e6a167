#include <gtest/gtest.h>

#include "support/format_fixture.h"

namespace egt::parsers {
namespace {

constexpr const char* kPlainDpctl =
    "icmp,orig=(src=10.134.0.10,dst=10.132.0.13,id=17732,type=8,code=0),reply=(src=10.132.0.13,dst=10.134.0.10,id=17732,type=0,"
    "code=0),zone=19\n"
    "tcp,orig=(src=192.0.2.24,dst=192.0.2.80,sport=4000,dport=80),reply=(src=10.1.0.9,dst=192.0.2.24,sport=8080,dport=4000),"
    "zone=64000,mark=2,labels=0x10000000000000001,protoinfo=(state=SYN_SENT)\n"
    "udp,orig=(src=10.1.0.3,dst=192.0.2.9,sport=5,dport=53),reply=(src=192.0.2.9,dst=10.1.0.3,sport=53,dport=5)\n"
    "47,orig=(src=fd00::1,dst=fd00::2,sport=0,dport=0),reply=(src=fd00::2,dst=fd00::1,sport=0,dport=0)\n";

constexpr const char* kVerbose =
    "tcp,orig=(src=192.0.2.1,dst=192.0.2.2,sport=1,dport=2,packets=4,bytes=300),reply=(src=192.0.2.2,dst=192.0.2.1,sport=2,"
    "dport=1,packets=3,bytes=200),start=2024-01-02T03:04:05.678,id=77,zone=9,status=SEEN_REPLY|CONFIRMED,timeout=86390,"
    "protoinfo=(state_orig=SYN_RECV,state_reply=SYN_SENT,wscale_orig=7,wscale_reply=7,flags_orig=WINDOW_SCALE|SACK_PERM,"
    "flags_reply=0),helper=ftp,parent=(src=192.0.2.1,dst=192.0.2.2,sport=1,dport=21)\n";

class DpctlConntrack : public testing::Test {
 protected:
  const host::Part<std::vector<host::ConntrackEntry>>& part() { return cluster.ensure_node("n").host.ovs_conntrack; }

  Formats formats{system_formats()};
  cluster::Cluster cluster;
};

TEST_F(DpctlConntrack, PrintsEveryFormBack) {
  for (const char* text : {kPlainDpctl, kVerbose}) {
    const Dump dump = formats.dump(text);
    EXPECT_EQ(formats.kind(dump), "ovs-appctl dpctl/dump-conntrack");
    const Printed printed = formats.reprint(dump);
    EXPECT_EQ(printed.out, text);
    EXPECT_EQ(printed.report.understood, printed.report.lines);
    EXPECT_TRUE(printed.report.diagnostics.empty()) << printed.report.diagnostics.front().message;
  }
}

TEST_F(DpctlConntrack, LoadsWhatThePlainFormTells) {
  EXPECT_TRUE(formats.load(formats.dump(kPlainDpctl), cluster).diagnostics.empty());
  ASSERT_EQ(part().value.size(), 4u);
  EXPECT_FALSE(part().partial);

  EXPECT_EQ(part().value[0].zone, 19);
  EXPECT_EQ(part().value[0].original.sport, 17732);
  EXPECT_FALSE(part().value[0].reply_known);

  const host::ConntrackEntry& dnat = part().value[1];
  EXPECT_EQ(dnat.reply.src, IpAddr::parse("10.1.0.9"));
  EXPECT_EQ(dnat.mark, 2u);
  EXPECT_TRUE(dnat.label == make_u128(1, 1));
  EXPECT_TRUE(dnat.unreplied);
  EXPECT_TRUE(dnat.reply_known);
  EXPECT_TRUE(dnat.label_known);

  EXPECT_EQ(part().value[2].zone, 0);
  EXPECT_EQ(part().value[3].original.proto, 47);
}

TEST_F(DpctlConntrack, LoadsWhatTheVerboseFormTells) {
  formats.load(formats.dump(kVerbose), cluster);
  ASSERT_EQ(part().value.size(), 1u);
  const host::ConntrackEntry& entry = part().value[0];
  EXPECT_EQ(entry.state, "ESTABLISHED");  // as the plain form calls SYN_RECV
  EXPECT_FALSE(entry.unreplied);
  EXPECT_FALSE(entry.assured);
  EXPECT_EQ(entry.timeout, 86390u);
  EXPECT_EQ(entry.zone, 9);
}

TEST_F(DpctlConntrack, OneZoneIsAPart) {
  const Dump one = formats.dump(kPlainDpctl, "ovs-appctl dpctl/dump-conntrack zone=9");
  formats.load(one, cluster);
  EXPECT_TRUE(part().partial);
}

TEST_F(DpctlConntrack, TopicsOfTwoDatapathsDiffer) {
  Recognition one, other;
  formats.recognise(formats.dump(kPlainDpctl, "ovs-appctl_dpctl.dump-conntrack_-m_system_ovs-system"), &one);
  formats.recognise(formats.dump(kPlainDpctl, "ovs-appctl_dpctl.dump-conntrack_-m_netdev_ovs-netdev"), &other);
  EXPECT_NE(one.topic, other.topic);
}

TEST_F(DpctlConntrack, UnknownLinesAndAttributesAreTold) {
  const std::string text = std::string(kPlainDpctl) +
                           "udp,orig=(src=10.1.0.3,dst=192.0.2.9,sport=5,dport=53),reply=(src=192.0.2.9,dst=10.1.0.3,sport=53,"
                           "dport=5),zone=70000\n"
                           "udp,orig=(src=10.1.0.4,dst=192.0.2.9,sport=5,dport=53),reply=(src=192.0.2.9,dst=10.1.0.4,sport=53,"
                           "dport=5),colour=red\n";
  EXPECT_EQ(formats.reprint(formats.dump(text)).out, text);
  const Report report = formats.load(formats.dump(text), cluster);
  EXPECT_EQ(report.not_understood.size(), 1u);
  EXPECT_EQ(report.diagnostics.size(), 2u);
  EXPECT_EQ(part().value.size(), 5u);
  EXPECT_TRUE(part().partial);
}

TEST_F(DpctlConntrack, SurvivesAnything) {
  formats.torment(std::string(kPlainDpctl) + kVerbose, "ovs-appctl dpctl/dump-conntrack");
  const std::string deep = "tcp,orig=" + std::string(5000, '(');
  EXPECT_EQ(formats.reprint(formats.dump(deep, "ovs-appctl dpctl/dump-conntrack")).out, deep);
}

}  // namespace
}  // namespace egt::parsers
