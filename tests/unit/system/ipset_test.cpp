#include <gtest/gtest.h>

#include "support/format_fixture.h"

namespace egt::parsers {
namespace {

// As ipset 7.17 printed them.
constexpr const char* kSave =
    "create a hash:ip family inet hashsize 1024 maxelem 65536 timeout 300 counters comment bucketsize 12 initval "
    "0x0a253eab\n"
    "add a 10.0.0.2 timeout 0 packets 0 bytes 0\n"
    "add a 10.0.0.1 timeout 299 packets 0 bytes 0 comment \"x y \\\"\n"
    "create b hash:net family inet6 hashsize 1024 maxelem 65536 skbinfo bucketsize 12 initval 0xb4b2705d\n"
    "add b fd00::/64 nomatch skbmark 0x1/0xff\n"
    "add b fd00::/16\n"
    "create c hash:ip,port family inet hashsize 1024 maxelem 65536 bucketsize 12 initval 0x7a161e4a\n"
    "add c 10.0.0.1,icmp:200/4\nadd c 10.0.0.1,sctp:5\nadd c 10.0.0.1,gre:0\nadd c 10.0.0.1,icmp:echo-request\n"
    "add c 10.0.0.1,200:0\nadd c 10.0.0.1,icmp:fragmentation-needed\n"
    "create d hash:net,iface family inet hashsize 1024 maxelem 65536 bucketsize 12 initval 0x87056fb1\n"
    "add d 10.0.0.0/24,eth0\nadd d 10.0.0.0/24,eth wildcard\nadd d 10.0.0.0/24,physdev:eth0\nadd d 0.0.0.0/0,lo\n"
    "create e2 bitmap:ip range 10.0.0.0-10.0.255.255 netmask 24\nadd e2 10.0.5.0\n"
    "create f bitmap:ip,mac range 10.0.0.0-10.0.0.255\nadd f 10.0.0.5,02:00:00:00:00:01\nadd f 10.0.0.6\n"
    "create g bitmap:port range 0-1000\nadd g 80\n"
    "create m hash:ip,port,ip family inet6 hashsize 1024 maxelem 65536 bucketsize 12 initval 0xba81bfab\n"
    "add m fd00::1,ipv6-icmp:echo-request,fd00::2\n"
    "create o hash:ip family inet hashsize 1024 maxelem 65536 bitmask 255.255.0.255 bucketsize 12 initval 0x39d172d1\n"
    "add o 10.1.0.3\n"
    "create k list:set size 8\nadd k b\nadd k a\n";

constexpr const char* kList =
    "Name: d\nType: hash:net,iface\nRevision: 8\n"
    "Header: family inet hashsize 1024 maxelem 65536 bucketsize 12 initval 0x87056fb1\n"
    "Size in memory: 752\nReferences: 0\nNumber of entries: 2\nMembers:\n10.0.0.0/24,eth0\n10.0.0.0/24,eth wildcard\n\n"
    "Name: k\nType: list:set\nRevision: 3\nHeader: size 8\nSize in memory: 176\nReferences: 0\nNumber of entries: 1\n"
    "Members:\nd\n";

class IpsetDump : public testing::Test {
 protected:
  const host::IpSet* set(const std::string& name) {
    const auto& sets = cluster.ensure_node("n").host.ipsets.value;
    const auto found = sets.find(name);
    return found == sets.end() ? nullptr : &found->second;
  }

  Formats formats{system_formats()};
  cluster::Cluster cluster;
};

TEST_F(IpsetDump, PrintsBack) {
  for (const char* text : {kSave, kList}) {
    const Printed printed = formats.reprint(formats.dump(text));
    EXPECT_EQ(printed.out, text);
    EXPECT_TRUE(printed.report.not_understood.empty());
    EXPECT_TRUE(printed.report.diagnostics.empty());
  }
  EXPECT_EQ(formats.kind(formats.dump(kSave)), "ipset save");
  EXPECT_EQ(formats.kind(formats.dump(kList)), "ipset list");
  EXPECT_EQ(formats.kind(formats.dump("", "ipset save")), "ipset save");
}

TEST_F(IpsetDump, Loads) {
  EXPECT_TRUE(formats.load(formats.dump(kSave), cluster).diagnostics.empty());
  const host::IpSet* nets = set("b");
  ASSERT_NE(nets, nullptr);
  EXPECT_EQ(nets->family, Family::v6);
  EXPECT_EQ(nets->lengths[0], (std::vector<std::uint8_t>{64, 16}));
  EXPECT_TRUE(std::any_of(nets->members.begin(), nets->members.end(), [](const auto& m) { return m.no_match; }));
  EXPECT_EQ(set("c")->members.size(), 6u);
  EXPECT_EQ(set("e2")->address_mask, U128{0xffffff00});
  EXPECT_EQ(set("o")->address_mask, U128{0xffff00ff});
  EXPECT_FALSE(set("g")->family);
  EXPECT_EQ(set("m")->members[0].key.value[1], U128{58 << 16 | 128 << 8});
  ASSERT_EQ(set("k")->sets.size(), 2u);
  EXPECT_EQ(set("k")->sets[0].name, "b");
  EXPECT_EQ(set("a")->members[1].from.line, 2u);
}

TEST_F(IpsetDump, ListsLoadAsWell) {
  formats.load(formats.dump(kList), cluster);
  ASSERT_NE(set("d"), nullptr);
  EXPECT_EQ(set("d")->members.size(), 2u);
  EXPECT_TRUE(set("d")->complete);
  EXPECT_EQ(set("k")->sets.at(0).name, "d");
}

TEST_F(IpsetDump, WithoutMembersNothingIsKnownOfThem) {
  formats.load(formats.dump("Name: x\nType: hash:ip\nRevision: 6\nHeader: family inet hashsize 1024 maxelem 65536\n"
                            "Size in memory: 200\nReferences: 0\nNumber of entries: 2\n\n",
                            "ipset list -t"),
               cluster);
  ASSERT_NE(set("x"), nullptr);
  EXPECT_FALSE(set("x")->complete);
}

TEST_F(IpsetDump, CarriesOnBehindWhatIsNotUnderstood) {
  const std::string text =
      "create a hash:ip family inet\nadd a 10.0.0.300\nadd a 10.0.0.1\ncreate n hash:novel family inet\nadd n 1\n"
      "create b hash:ip family inet\nadd b 10.0.0.1\nadd b 10.0.0.2 comment \"cut";
  const Report report = formats.load(formats.dump(text, "ipset save"), cluster);
  EXPECT_EQ(report.not_understood.size(), 4u);
  EXPECT_EQ(set("a")->members.size(), 1u);
  EXPECT_FALSE(set("a")->complete);
  EXPECT_EQ(set("n"), nullptr);
  EXPECT_FALSE(set("b")->complete);
  EXPECT_EQ(formats.reprint(formats.dump(text, "ipset save")).out, text);
  formats.torment(kSave, "ipset save");
  formats.torment(kList, "ipset list");
}

TEST_F(IpsetDump, DumpsOfSingleSetsAddUp) {
  formats.load(formats.dump("create a hash:ip family inet\nadd a 10.0.0.1\n", "ipset save a"), cluster);
  formats.load(formats.dump("create b hash:ip family inet\nadd b 10.0.0.1\n", "ipset save b"), cluster);
  EXPECT_TRUE(set("a")->complete && set("b")->complete);
  EXPECT_TRUE(cluster.ensure_node("n").host.ipsets.partial);
}

}  // namespace
}  // namespace egt::parsers
