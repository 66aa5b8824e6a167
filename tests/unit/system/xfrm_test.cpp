#include <gtest/gtest.h>

#include "support/format_fixture.h"

namespace egt::parsers {
namespace {

// As iproute2 6.1 prints what ip-xfrm(8) says.
constexpr const char* kPolicies =
    "src 0.0.0.0/0 dst 0.0.0.0/0 \n"
    "\tdir fwd priority 0 ptype main \n"
    "\tif_id 0x5\n"
    "src ::/0 dst ::/0 proto ipv6-icmp type 135 \n"
    "\tdir in action block priority 0 ptype main \n"
    "src 10.1.0.0/24 dst 10.2.0.9/32 proto udp dport 6081 \n"
    "\tdir out priority 5 ptype main \n"
    "\tmark 0x7/0xff \n"
    "\ttmpl src 192.0.2.1 dst 192.0.2.2\n"
    "\t\tproto esp reqid 1 mode transport\n"
    "src 0.0.0.0/0 dst 0.0.0.0/0 \n"
    "\tsocket in priority 0 ptype main \n";

// With -s.
constexpr const char* kAssociations =
    "src 192.0.2.1 dst 192.0.2.2\n"
    "\tproto esp spi 0xc1a2b3c4(3248665540) reqid 1(0x00000001) mode transport\n"
    "\treplay-window 32 seq 0x00000000 flag  (0x00000000)\n"
    "\taead rfc4106(gcm(aes)) 0x00112233445566778899aabbccddeeff00112233 (160 bits) 128\n"
    "\tanti-replay context: seq 0x0, oseq 0x0, bitmap 0x00000000\n"
    "\tlifetime config:\n"
    "\t  limit: soft (INF)(bytes), hard (INF)(bytes)\n";

TEST(IpsecPolicies, AreReadAndPrintedBack) {
  Formats f(system_formats());
  const Dump dump = f.dump(kPolicies, "ip xfrm policy");
  EXPECT_EQ(f.kind(dump), "ip xfrm policy");
  EXPECT_EQ(f.kind(f.dump(kPolicies)), "ip xfrm policy");
  EXPECT_EQ(f.reprint(dump).out, kPolicies);
  cluster::Cluster cluster;
  EXPECT_TRUE(f.load(dump, cluster).not_understood.empty());
  const auto& all = cluster.node("n")->host.ipsec_policies;
  EXPECT_TRUE(all.present);
  ASSERT_EQ(all.value.size(), 3u);  // that of a socket concerns one process alone
  EXPECT_EQ(all.value[0].interface_id, 5u);
  EXPECT_EQ(all.value[0].direction, host::IpsecDirection::forward);
  EXPECT_TRUE(all.value[1].blocks);
  EXPECT_EQ(all.value[1].selector.proto, ip_proto::icmp6);
  EXPECT_EQ(all.value[1].selector.sport, 135);
  const host::IpsecPolicy& out = all.value[2];
  EXPECT_EQ(out.direction, host::IpsecDirection::out);
  EXPECT_EQ(out.priority, 5u);
  EXPECT_EQ(out.mark, 7u);
  EXPECT_EQ(out.mark_mask, 0xffu);
  EXPECT_EQ(out.selector.dport, 6081);
  EXPECT_EQ(out.from.line, 6u);
  ASSERT_EQ(out.templates.size(), 1u);
  EXPECT_EQ(out.templates[0].destination.to_string(), "192.0.2.2");
  EXPECT_EQ(out.templates[0].proto, "esp");
  EXPECT_EQ(out.templates[0].reqid, 1u);
  EXPECT_FALSE(out.templates[0].is_tunnel);
  f.torment(kPolicies, "ip xfrm policy");
}

TEST(IpsecPolicies, OnOneLineAreTheSame) {
  Formats f(system_formats());
  cluster::Cluster cluster;
  f.load(f.dump("src 10.1.0.0/24 dst 10.2.0.9/32 \\\tdir out action block priority 5 ptype main \\\n", "ip -o xfrm policy"),
         cluster);
  ASSERT_EQ(cluster.node("n")->host.ipsec_policies.value.size(), 1u);
  EXPECT_TRUE(cluster.node("n")->host.ipsec_policies.value[0].blocks);
}

TEST(IpsecAssociations, AreReadAndPrintedBack) {
  Formats f(system_formats());
  const Dump dump = f.dump(kAssociations);
  EXPECT_EQ(f.kind(dump), "ip xfrm state");
  EXPECT_EQ(f.reprint(dump).out, kAssociations);
  cluster::Cluster cluster;
  EXPECT_TRUE(f.load(dump, cluster).not_understood.empty());
  const auto& all = cluster.node("n")->host.ipsec_associations.value;
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].destination.to_string(), "192.0.2.2");
  EXPECT_EQ(all[0].reqid, 1u);
  EXPECT_EQ(all[0].cipher, "rfc4106(gcm(aes))");
  EXPECT_EQ(all[0].check_bits, 128);
  f.torment(kAssociations, "ip xfrm state");
}

// Behind NAT, or by encaps=yes of libreswan: ESP goes to UDP port 4500 (RFC 3948).
TEST(IpsecAssociations, MayBeInUdp) {
  Formats f(system_formats());
  cluster::Cluster cluster;
  f.load(f.dump("src 192.0.2.1 dst 192.0.2.2\n\tproto esp spi 0xc1a2b3c4 reqid 1 mode transport\n\treplay-window 32 \n"
                "\tencap type espinudp sport 4500 dport 4500 addr 0.0.0.0\n",
                "ip xfrm state"),
         cluster);
  ASSERT_EQ(cluster.node("n")->host.ipsec_associations.value.size(), 1u);
  EXPECT_EQ(cluster.node("n")->host.ipsec_associations.value[0].udp_port, 4500);
}

// `ip xfrm state list nokeys`, of iproute2 6.
TEST(IpsecAssociations, HideTheirKeys) {
  Formats f(system_formats());
  cluster::Cluster cluster;
  const Report report =
      f.load(f.dump("src fd00::1 dst fd00::2\n\tproto esp spi 0xc1a2b3c4 reqid 1 mode transport\n\treplay-window 32 \n"
                    "\tauth-trunc hmac(sha256) <<Keys hidden>> 128\n\tenc cbc(aes) <<Keys hidden>>\n",
                    "ip xfrm state list nokeys"),
             cluster);
  EXPECT_TRUE(report.not_understood.empty());
  const auto& all = cluster.node("n")->host.ipsec_associations.value;
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].cipher, "cbc(aes)");
  EXPECT_EQ(all[0].check_bits, 128);
}

TEST(IpsecPolicies, SaysWhichLineIsNoneOfTheirs) {
  Formats f(system_formats());
  cluster::Cluster cluster;
  const Report report =
      f.load(f.dump("src 10.0.0.0/8 dst 10.1.0.0/16 \n\tdir out priority 1 \n\tteleport yes\n", "ip xfrm policy"), cluster);
  ASSERT_EQ(report.not_understood.size(), 1u);
  EXPECT_EQ(report.not_understood[0].line, 3u);
}

}  // namespace
}  // namespace egt::parsers
