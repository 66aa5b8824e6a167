#include <gtest/gtest.h>

#include "support/format_fixture.h"

namespace egt::parsers {
namespace {

constexpr const char* kPlain =
    "icmp     1 23 src=192.0.2.23 dst=192.0.2.12 type=8 code=0 id=18092 src=192.0.2.12 dst=192.0.2.23 type=0 code=0 id=18092 "
    "mark=0 use=1\n"
    "tcp      6 431999 ESTABLISHED src=10.132.0.13 dst=99.9.9.9 sport=40000 dport=80 src=99.9.9.9 dst=10.10.10.100 sport=80 "
    "dport=1024 [ASSURED] mark=10 zone=5 use=1\n"
    "unknown  2 589 src=10.133.0.1 dst=224.0.0.1 [UNREPLIED] src=224.0.0.1 dst=10.133.0.1 mark=0 use=1\n"
    "udp      17 29 src=fd00::1 dst=fd00::2 sport=1 dport=53 [UNREPLIED] src=fd00::2 dst=fd00::1 sport=53 dport=1 mark=9 "
    "secctx=system_u:object_r:unlabeled_t:s0 use=2\n"
    "conntrack v1.4.7 (conntrack-tools): 4 flow entries have been shown.\n";

constexpr const char* kExtended =
    "ipv4     2 gre      47 119 src=192.0.2.1 dst=192.0.2.2 srckey=0x1 dstkey=0x2 packets=0 bytes=0 [UNREPLIED] src=192.0.2.2 "
    "dst=192.0.2.1 srckey=0x2 dstkey=0x1 packets=0 bytes=0 mark=0 delta-time=0 [start=Sat Nov  1 11:18:43 2025] use=1 "
    "id=2088152331\n"
    "ipv6     10 icmpv6   58 29 src=fd00::1 dst=fd00::2 type=128 code=0 id=7 packets=1 bytes=64 src=fd00::2 dst=fd00::1 "
    "type=129 code=0 id=7 packets=1 bytes=64 mark=0 use=1 id=9\n"
    "ipv4     2 sctp     132 119 ESTABLISHED src=192.0.2.1 dst=192.0.2.2 sport=1 dport=2 src=192.0.2.2 dst=192.0.2.1 sport=2 "
    "dport=1 [ASSURED] mark=0 use=1\n"
    "ipv4     2 tcp      6 src=192.0.2.1 dst=192.0.2.2 sport=1 dport=2 src=192.0.2.2 dst=192.0.2.1 sport=2 dport=1 [OFFLOAD] "
    "mark=0 use=1\n";

constexpr const char* kProc =
    "ipv4     2 gre      47 119 timeout=0, stream_timeout=0 src=192.0.2.1 dst=192.0.2.2 srckey=0x1 dstkey=0x2 [UNREPLIED] "
    "src=192.0.2.2 dst=192.0.2.1 srckey=0x2 dstkey=0x1 mark=0 zone=0 use=2\n"
    "ipv6     10 udp      17 119 src=fd00:0000:0000:0000:0000:0000:0000:0001 dst=fd00:0000:0000:0000:0000:0000:0000:0002 "
    "sport=1 dport=2 [UNREPLIED] src=fd00:0000:0000:0000:0000:0000:0000:0002 dst=fd00:0000:0000:0000:0000:0000:0000:0001 "
    "sport=2 dport=1 mark=9 zone=0 use=2\n";

constexpr const char* kEvents =
    "[1700000000.123456]\t    [NEW] tcp      6 120 SYN_SENT src=192.0.2.1 dst=192.0.2.2 sport=1 dport=2 [UNREPLIED] "
    "src=192.0.2.2 dst=192.0.2.1 sport=2 dport=1\n"
    "[DESTROY] udp      17 src=192.0.2.1 dst=192.0.2.2 sport=1 dport=2 src=192.0.2.2 dst=192.0.2.1 sport=2 dport=1 [ASSURED]\n";

class Conntrack : public testing::Test {
 protected:
  const host::Host& host() { return cluster.ensure_node("n").host; }
  const std::vector<host::ConntrackEntry>& entries() { return host().conntrack.value; }

  Formats formats{system_formats()};
  cluster::Cluster cluster;
};

TEST_F(Conntrack, PrintsEveryFormBack) {
  for (const char* text : {kPlain, kExtended, kProc, kEvents}) {
    const Dump dump = formats.dump(text);
    EXPECT_EQ(formats.kind(dump), "conntrack -L");
    const Printed printed = formats.reprint(dump);
    EXPECT_EQ(printed.out, text);
    EXPECT_EQ(printed.report.understood, printed.report.lines);
    EXPECT_TRUE(printed.report.diagnostics.empty()) << printed.report.diagnostics.front().message;
  }
}

TEST_F(Conntrack, LoadsTuplesAndAttributes) {
  EXPECT_TRUE(formats.load(formats.dump(kPlain), cluster).diagnostics.empty());
  ASSERT_EQ(entries().size(), 4u);
  EXPECT_TRUE(host().conntrack.present);
  EXPECT_FALSE(host().conntrack.partial);

  const host::ConntrackEntry& ping = entries()[0];
  EXPECT_EQ(ping.original.sport, 18092);
  EXPECT_EQ(ping.original.dport, 18092);
  EXPECT_EQ(ping.original.icmp_type, 8);
  EXPECT_EQ(reversed(ping.original), ping.reply);
  EXPECT_FALSE(ping.unreplied);

  const host::ConntrackEntry& snat = entries()[1];
  EXPECT_EQ(snat.state, "ESTABLISHED");
  EXPECT_EQ(snat.reply.dst, IpAddr::parse("10.10.10.100"));
  EXPECT_EQ(snat.reply.dport, 1024);
  EXPECT_EQ(snat.zone, 5);
  EXPECT_EQ(snat.mark, 10u);
  EXPECT_EQ(snat.timeout, 431999u);
  EXPECT_TRUE(snat.assured);
  EXPECT_FALSE(snat.label_known);
  EXPECT_EQ(snat.from.line, 2u);

  EXPECT_TRUE(entries()[2].unreplied);
  EXPECT_EQ(entries()[3].original.src, IpAddr::parse("fd00::1"));
}

TEST_F(Conntrack, ReadsTheWrittenOutAddressesOfProc) {
  formats.load(formats.dump(kProc), cluster);
  ASSERT_EQ(entries().size(), 2u);
  EXPECT_EQ(entries()[0].original.sport, 1);  // the GRE keys
  EXPECT_EQ(entries()[1].original.dst, IpAddr::parse("fd00::2"));
}

TEST_F(Conntrack, EmptyTableIsATable) {
  formats.load(formats.dump("conntrack v1.4.7 (conntrack-tools): 0 flow entries have been shown.\n"), cluster);
  EXPECT_TRUE(host().conntrack.present);
  EXPECT_FALSE(host().conntrack.partial);
}

TEST_F(Conntrack, CountThatDoesNotFitMakesItAPart) {
  const std::string text(kPlain);
  const Report report = formats.load(formats.dump(text.substr(text.find('\n') + 1)), cluster);
  EXPECT_TRUE(host().conntrack.partial);
  ASSERT_EQ(report.diagnostics.size(), 1u);
  EXPECT_EQ(report.diagnostics[0].message, "4 connections were listed, but 3 stand here");
}

TEST_F(Conntrack, LineNotUnderstoodIsKeptToldAndMakesItAPart) {
  const std::string text = std::string(kPlain) + "tcp      6 9 CLOSE src=192.0.2.1 dst=192.0.2.300 sport=1 dport=2 src=1.1.1.1\n";
  const Printed printed = formats.reprint(formats.dump(text));
  EXPECT_EQ(printed.out, text);
  ASSERT_EQ(printed.report.not_understood.size(), 1u);
  EXPECT_EQ(printed.report.diagnostics[0].column, 38u);
  formats.load(formats.dump(text), cluster);
  EXPECT_EQ(entries().size(), 4u);
  EXPECT_TRUE(host().conntrack.partial);
}

TEST_F(Conntrack, CutLastLineIsNotTaken) {
  const std::string whole(kExtended);
  formats.load(formats.dump(whole.substr(0, whole.rfind("rt=1 [OFF") + 4)), cluster);  // "… dport=1"
  EXPECT_EQ(entries().size(), 3u);
  EXPECT_TRUE(host().conntrack.partial);
}

TEST_F(Conntrack, FilteredListIsAPart) {
  formats.load(formats.dump(kPlain, "conntrack -L -p tcp -o extended"), cluster);
  EXPECT_TRUE(host().conntrack.partial);
  formats.load(formats.dump(kPlain, "conntrack_-L_-o_extended"), cluster);
  EXPECT_FALSE(host().conntrack.partial);
  EXPECT_EQ(entries().size(), 4u);  // each once
}

TEST_F(Conntrack, EventsAndOtherNamespacesAreNoTable) {
  EXPECT_EQ(formats.load(formats.dump(kEvents, "conntrack -E"), cluster).diagnostics.size(), 1u);
  formats.load(formats.dump(kPlain, "ip netns exec blue conntrack -L"), cluster);
  formats.load(formats.dump(kPlain, "conntrack -L dying"), cluster);
  EXPECT_FALSE(host().conntrack.present);
}

TEST_F(Conntrack, ZoneOfOneDirectionIsLeftOutAndTold) {
  const Report report = formats.load(
      formats.dump("tcp      6 119 SYN_SENT src=192.0.2.1 dst=192.0.2.2 sport=1 dport=2 zone-orig=7 [UNREPLIED] src=192.0.2.2 "
                   "dst=192.0.2.1 sport=2 dport=1 mark=0 use=1\n"),
      cluster);
  EXPECT_TRUE(entries().empty());
  EXPECT_TRUE(host().conntrack.partial);
  EXPECT_EQ(report.diagnostics.size(), 1u);
}

TEST_F(Conntrack, JsonHasBothTuples) {
  const std::string json = formats.json(formats.dump(kPlain));
  EXPECT_NE(json.find("\"dst\": \"10.10.10.100\""), std::string::npos);
  EXPECT_NE(json.find("\"shown\": 4"), std::string::npos);
}

TEST_F(Conntrack, SurvivesAnything) {
  formats.torment(std::string(kPlain) + kExtended + kProc + kEvents, "conntrack -L");
  EXPECT_EQ(formats.kind(formats.dump("")), "(none)");
  EXPECT_EQ(formats.kind(formats.dump("tcp 6 12\nhello = world\n")), "(none)");
}

}  // namespace
}  // namespace egt::parsers
