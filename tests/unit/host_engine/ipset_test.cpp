// Sets of ipset(8) that rules of iptables ask; what each question is answered with was seen of a kernel (6.18).
#include <gtest/gtest.h>

#include "egtrace/explain/phrases.h"
#include "test_host.h"

namespace egt::test {
namespace {

using Kind = engine::HostOutcome::Kind;

constexpr const char* kSets =
    "create hosts hash:ip family inet hashsize 1024 maxelem 65536 bucketsize 12 initval 0x0a253eab\n"
    "add hosts 10.0.0.5\n"
    "create nets hash:net family inet hashsize 1024 maxelem 65536 bucketsize 12 initval 0x0a253eab\n"
    "add nets 10.0.0.0/16\nadd nets 10.0.0.8/29 nomatch\n"
    "create ports hash:ip,port family inet hashsize 1024 maxelem 65536 bucketsize 12 initval 0x0a253eab\n"
    "add ports 9.9.9.9,tcp:80\nadd ports 9.9.9.9,icmp:echo-request\n"
    "create by hash:net,iface family inet hashsize 1024 maxelem 65536 bucketsize 12 initval 0x0a253eab\n"
    "add by 10.0.0.0/24,in wildcard\nadd by 9.9.9.0/24,out1\n"
    "create web bitmap:port range 0-1023\nadd web 80\n"
    "create six hash:net family inet6 hashsize 1024 maxelem 65536 bucketsize 12 initval 0x0a253eab\n"
    "create wide hash:ip family inet hashsize 1024 maxelem 65536 netmask 24 bucketsize 12 initval 0x0a253eab\n"
    "add wide 10.0.0.0\n"
    "create pairs hash:net,net family inet hashsize 1024 maxelem 65536 bucketsize 12 initval 0x0a253eab\n"
    "add pairs 10.0.0.0/16,9.0.0.0/8\nadd pairs 10.0.0.0/24,9.9.0.0/16 nomatch\n"
    "create marks hash:ip,mark family inet markmask 0x0000000f hashsize 1024 maxelem 65536 bucketsize 12 initval "
    "0x0a253eab\n"
    "add marks 10.0.0.5,0x00000003\n"
    "create all list:set size 8\nadd all six\nadd all ports\nadd all hosts\nadd all nets\n";

TestHost asking(const std::string& match) {
  TestHost h;
  h.link("in0", "02:00:00:00:00:01", "10.0.0.1/24").link("out0", "02:00:00:00:00:02", "10.1.0.1/24");
  h.routes("default via 10.1.0.9 dev out0").neighbour("10.1.0.9", "out0", "52:54:00:00:00:01");
  return h.iptables("*filter\n:FORWARD ACCEPT [0:0]\n-A FORWARD -m set " + match + " -j DROP\nCOMMIT\n").local_table();
}

class Ipset : public testing::Test {
 protected:
  // Whether a packet of the source meets the rule; "open" where that is not known.
  static std::string meets(const std::string& match, const std::string& source, std::string sets = kSets) {
    return meets(match, tcp(source, "9.9.9.9", 4000, 80), std::move(sets));
  }
  static std::string meets(const std::string& match, FlowKey packet, std::string sets = kSets) {
    TestHost h = asking(match);
    if (!sets.empty()) h.ipset(sets);
    Lab lab(h);
    const Kind kind = lab.receive("in0", packet).kind;
    if (!lab.chooser.points.empty()) return "open";
    return kind == Kind::dropped ? "yes" : "no";
  }
};

TEST_F(Ipset, AddressesAndNets) {
  EXPECT_EQ(meets("--match-set hosts src", "10.0.0.5"), "yes");
  EXPECT_EQ(meets("--match-set hosts src", "10.0.0.6"), "no");
  EXPECT_EQ(meets("! --match-set hosts src", "10.0.0.6"), "yes");
  EXPECT_EQ(meets("--match-set hosts dst", "10.0.0.5"), "no");
  EXPECT_EQ(meets("--match-set wide src", "10.0.0.77"), "yes");
  EXPECT_EQ(meets("--match-set nets src", "10.0.0.5"), "yes");
}

TEST_F(Ipset, ExceptionsOfNets) {
  EXPECT_EQ(meets("--match-set nets src", "10.0.0.9"), "no");
  EXPECT_EQ(meets("--match-set nets src --return-nomatch", "10.0.0.9"), "yes");
  EXPECT_EQ(meets("--match-set nets src --return-nomatch", "10.0.0.5"), "no");
}

TEST_F(Ipset, SeveralParts) {
  EXPECT_EQ(meets("--match-set ports dst,dst", "10.0.0.5"), "yes");
  EXPECT_EQ(meets("--match-set ports dst,dst", udp("10.0.0.5", "9.9.9.9", 4000, 80)), "no");
  EXPECT_EQ(meets("--match-set ports dst,dst", ping("10.0.0.5", "9.9.9.9", 7)), "yes");
  EXPECT_EQ(meets("--match-set ports dst", "10.0.0.5"), "no");  // fewer than the set has: it holds nothing
  EXPECT_EQ(meets("--match-set hosts src,dst", "10.0.0.5"), "yes");
  EXPECT_EQ(meets("--match-set by src,src", "10.0.0.5"), "yes");
  EXPECT_EQ(meets("--match-set by dst,dst", "10.0.0.5"), "no");
  EXPECT_EQ(meets("--match-set web dst", "10.0.0.5"), "yes");
  EXPECT_EQ(meets("--match-set web src", "10.0.0.5"), "no");
  EXPECT_EQ(meets("--match-set six src", "10.0.0.5"), "no");
}

// mtype_test_cidrs(), hash_ipmark4_kadt(): types that the kernel at hand lacks.
// Members of a net for other devices hide shorter nets, unless they are for ports of bridges.
TEST_F(Ipset, NetsOfOtherDevicesHideShorterOnes) {
  const auto in = [](const std::string& members) {
    return meets("--match-set s src,src", "10.0.0.5", "create s hash:net,iface family inet\nadd s 10.0.0.0/8,in0\n" + members);
  };
  EXPECT_EQ(in(""), "yes");
  EXPECT_EQ(in("add s 10.0.0.0/16,out0\n"), "no");
  EXPECT_EQ(in("add s 10.0.0.0/16,out0 nomatch\n"), "no");
  EXPECT_EQ(in("add s 10.0.0.0/16,x wildcard\n"), "no");
  EXPECT_EQ(in("add s 10.0.0.0/16,physdev:out0\n"), "yes");
  EXPECT_EQ(in("add s 10.1.0.0/16,out0\n"), "yes");
}

TEST_F(Ipset, TwoNetsAndMarks) {
  EXPECT_EQ(meets("--match-set pairs src,dst", tcp("10.0.1.5", "9.9.9.9", 4000, 80)), "yes");
  EXPECT_EQ(meets("--match-set pairs src,dst", tcp("10.0.0.5", "9.9.9.9", 4000, 80)), "no");
  EXPECT_EQ(meets("--match-set pairs src,dst", tcp("10.0.0.5", "9.8.9.9", 4000, 80)), "yes");
  const std::string marked = "--match-set marks src,src";
  EXPECT_EQ(meets(marked, "10.0.0.5"), "no");
  FlowKey packet = tcp("10.0.0.5", "9.9.9.9", 4000, 80);
  packet.set(FieldId::pkt_mark, 0x13);
  EXPECT_EQ(meets(marked, packet), "yes");
}

TEST_F(Ipset, ListsAskTheirSetsInTurn) {
  EXPECT_EQ(meets("--match-set all src", "10.0.0.5"), "yes");
  EXPECT_EQ(meets("--match-set all src", "10.0.0.9"), "no");
  EXPECT_EQ(meets("--match-set all src --return-nomatch", "10.0.0.9"), "yes");
  EXPECT_EQ(meets("--match-set all src --return-nomatch", "10.0.0.6"), "no");
  EXPECT_EQ(meets("--match-set all src --return-nomatch", "10.0.0.5"), "yes");  // of hosts, which has no exceptions
}

TEST_F(Ipset, WhatIsNotDumpedStaysOpen) {
  EXPECT_EQ(meets("--match-set hosts src", "10.0.0.5", ""), "open");
  EXPECT_EQ(meets("--match-set other src", "10.0.0.5"), "open");
  EXPECT_EQ(meets("--match-set hosts src --packets-gt 5", "10.0.0.5"), "open");
  const std::string lost = std::string(kSets) + "add hosts 10.0.0.300\nadd nets 10.0.0.300/32 nomatch\n";
  EXPECT_EQ(meets("--match-set hosts src", "10.0.0.5", lost), "yes");
  EXPECT_EQ(meets("--match-set hosts src", "10.0.0.6", lost), "open");
  EXPECT_EQ(meets("--match-set nets src", "10.0.0.5", lost), "open");
  TestHost h = asking("--match-set hosts src");
  Lab lab(h);
  lab.receive("in0", tcp("10.0.0.5", "9.9.9.9", 4000, 80));
  ASSERT_EQ(lab.record.gaps.size(), 1u);
  EXPECT_EQ(explain::gap_of(lab.record.gaps[0]).command, "ipset save");
}

TEST_F(Ipset, RulesThatWriteIntoASetOutdateItsDump) {
  const std::string adds =
      "--match-set hosts src -j ACCEPT\n-A FORWARD -j SET --add-set hosts src\n-A FORWARD -m set ! --match-set hosts "
      "src";
  EXPECT_EQ(meets(adds, "10.0.0.5"), "no");
  EXPECT_EQ(meets(adds, "10.0.0.6"), "open");
}

TEST_F(Ipset, TheMemberIsAmongTheEvidence) {
  TestHost h = asking("--match-set nets src");
  h.ipset(kSets);
  Lab lab(h);
  const auto stop = lab.receive("in0", tcp("10.0.0.5", "9.9.9.9", 4000, 80)).stop;
  ASSERT_TRUE(stop);
  ASSERT_EQ(stop->evidence.size(), 2u);
  EXPECT_EQ(stop->evidence[1].line, 4u);
}

}  // namespace
}  // namespace egt::test
