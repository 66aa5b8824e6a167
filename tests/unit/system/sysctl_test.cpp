#include <gtest/gtest.h>

#include "support/format_fixture.h"

namespace egt::parsers {
namespace {

constexpr const char* kText =
    "kernel.version = #1 SMP PREEMPT_DYNAMIC @0\n"
    "net.ipv4.ip_forward = 1\n"
    "net.ipv4.ip_local_reserved_ports = \n"
    "net.ipv4.tcp_rmem = 4096\t131072\t33554432\n"
    "net.ipv4.conf.eth0/100.rp_filter = 2\n"
    "sysctl: permission denied on key 'net.core.bpf_jit_harden'\n";

class Sysctl : public testing::Test {
 protected:
  std::string value(const std::string& key) {
    const host::SysctlValue* v = cluster.ensure_node("n").host.sysctl_value(key);
    return v == nullptr ? "(none)" : v->value;
  }

  Formats formats{system_formats()};
  cluster::Cluster cluster;
};

TEST_F(Sysctl, PrintsBack) {
  const Printed printed = formats.reprint(formats.dump(kText));
  EXPECT_EQ(printed.out, kText);
  EXPECT_EQ(printed.report.understood, 5u);
  EXPECT_EQ(printed.report.ignored, 1u);
}

TEST_F(Sysctl, Loads) {
  EXPECT_EQ(formats.kind(formats.dump(kText)), "sysctl");
  EXPECT_TRUE(formats.load(formats.dump(kText, "sysctl -a"), cluster).diagnostics.empty());
  EXPECT_EQ(value("net.ipv4.ip_forward"), "1");
  EXPECT_EQ(value("net.ipv4.ip_local_reserved_ports"), "");
  EXPECT_EQ(value("net.ipv4.tcp_rmem"), "4096\t131072\t33554432");
  EXPECT_EQ(value("net.ipv4.conf.eth0/100.rp_filter"), "2");
  EXPECT_EQ(cluster.ensure_node("n").host.sysctl_value("net.ipv4.ip_forward")->from.line, 2u);
}

TEST_F(Sysctl, ReadsOtherSpellings) {
  formats.load(formats.dump("net.ipv4.ip_forward=1\nnet/ipv4/conf/eth0.100/rp_filter = 0\n"
                            "/proc/sys/net/ipv4/conf/br-ex/forwarding:1\n/proc/sys/net/ipv4/conf/eth0.5/forwarding:1\n"),
               cluster);
  EXPECT_EQ(value("net.ipv4.ip_forward"), "1");
  EXPECT_EQ(value("net.ipv4.conf.eth0/100.rp_filter"), "0");
  EXPECT_EQ(value("net.ipv4.conf.br-ex.forwarding"), "1");
  EXPECT_EQ(value("net.ipv4.conf.eth0/5.forwarding"), "1");
}

TEST_F(Sysctl, KeepsColours) {
  const std::string text = "\033[1mnet.ipv4.ip_forward\033[m = 1\n";
  formats.load(formats.dump(text), cluster);
  EXPECT_EQ(value("net.ipv4.ip_forward"), "1");
  EXPECT_EQ(formats.reprint(formats.dump(text)).out, text);
}

TEST_F(Sysctl, TwoValuesAreNone) {
  const Report report =
      formats.load(formats.dump("net.ipv4.ip_forward = 1\nnet.ipv4.conf.all.rp_filter = 0\nnet.ipv4.ip_forward = 0\n"), cluster);
  EXPECT_EQ(value("net.ipv4.ip_forward"), "1\n0");
  EXPECT_EQ(report.diagnostics.size(), 1u);
}

TEST_F(Sysctl, OfTwoDumpsTheFirstIsUsedAndTheOtherTold) {
  formats.load(formats.dump("net.ipv4.ip_forward = 1\n"), cluster);
  const Report report = formats.load(formats.dump("net.ipv4.ip_forward = 0\nnet.ipv4.conf.all.rp_filter = 2\n"), cluster);
  EXPECT_EQ(value("net.ipv4.ip_forward"), "1");
  EXPECT_EQ(value("net.ipv4.conf.all.rp_filter"), "2");
  EXPECT_EQ(report.diagnostics.size(), 1u);
}

TEST_F(Sysctl, OtherNamespaceIsLeftOut) {
  formats.load(formats.dump(kText, "ip_netns_exec_blue_sysctl_-a"), cluster);
  EXPECT_EQ(value("net.ipv4.ip_forward"), "(none)");
}

TEST_F(Sysctl, SurvivesAnything) {
  formats.torment(kText, "sysctl");
  EXPECT_EQ(formats.kind(formats.dump("[section]\nname = value\n")), "(none)");
}

TEST(Hostname, IsToldByItsCommand) {
  Formats formats{system_formats()};
  EXPECT_EQ(formats.kind(formats.dump("worker-7.example.org\n", "hostname")), "hostname");
  EXPECT_EQ(formats.kind(formats.dump("worker-7", "cat /etc/hostname")), "hostname");
  EXPECT_EQ(formats.kind(formats.dump("worker-7\n")), "(none)");
  EXPECT_EQ(formats.kind(formats.dump("10.0.0.1\n", "hostname -I")), "(none)");
  EXPECT_EQ(formats.kind(formats.dump("two words\n", "hostname")), "(none)");
  EXPECT_EQ(formats.reprint(formats.dump("worker-7", "hostname")).out, "worker-7");
  EXPECT_NE(formats.json(formats.dump("worker-7\n", "hostname")).find("\"worker-7\""), std::string::npos);
}

}  // namespace
}  // namespace egt::parsers
