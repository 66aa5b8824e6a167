// What ss and netstat print of listening sockets.
#include <gtest/gtest.h>

#include "egtrace/packet/packet.h"
#include "support/format_fixture.h"

namespace egt::parsers {
namespace {

constexpr const char* kSs =
    "Netid State  Recv-Q Send-Q Local Address:Port Peer Address:PortProcess                           \n"
    "udp   UNCONN 0      0            0.0.0.0:8125      0.0.0.0:*    users:((\"python3\",pid=4791,fd=5))\n"
    "tcp   LISTEN 0      128          0.0.0.0:2024      0.0.0.0:*                                     \n"
    "tcp   LISTEN 0      128        127.0.0.1:8123      0.0.0.0:*    users:((\"python3\",pid=4791,fd=3))\n"
    "tcp   ESTAB  0      0          127.0.0.1:9999    127.0.0.1:1    users:((\"python3\",pid=4791,fd=6))\n"
    "tcp   LISTEN 0      128                *:8124            *:*    users:((\"python3\",pid=4791,fd=4))\n";

constexpr const char* kNetstat =
    "Active Internet connections (servers and established)\n"
    "Proto Recv-Q Send-Q Local Address           Foreign Address         State       User       Inode      PID/Program name     "
    "Timer\n"
    "tcp        0      0 0.0.0.0:2024            0.0.0.0:*               LISTEN      0          616        -                    "
    "off (0.00/0/0)\n"
    "tcp        0      0 192.0.2.2:37020         203.0.113.80:80         TIME_WAIT   0          0          -                    "
    "timewait (56.76/0/0)\n"
    "tcp6       0      0 :::8124                 :::*                    LISTEN      0          19716291   4791/python3         "
    "off (0.00/0/0)\n"
    "udp        0      0 0.0.0.0:8125            0.0.0.0:*                           0          19716292   4791/python3         "
    "off (0.00/0/0)\n"
    "Active UNIX domain sockets (servers and established)\n"
    "Proto RefCnt Flags       Type       State         I-Node   PID/Program name     Path\n"
    "unix  3      [ ]         STREAM     CONNECTED     1078     -                    \n";

using host::Accepts;

Accepts accepts(const host::Sockets& sockets, std::uint8_t proto, const char* address, std::uint16_t port) {
  Accepts most = Accepts::no;
  for (const host::ListeningSocket& s : sockets.listening) most = std::max(most, s.accepts(proto, *IpAddr::parse(address), port));
  return most;
}

bool listens(const host::Sockets& sockets, std::uint8_t proto, const char* address, std::uint16_t port) {
  return accepts(sockets, proto, address, port) == Accepts::yes;
}

void expect_sockets(const host::Sockets& s) {
  EXPECT_TRUE(listens(s, ip_proto::tcp, "192.0.2.7", 2024));
  EXPECT_TRUE(listens(s, ip_proto::tcp, "fd00::1", 8124));
  EXPECT_FALSE(listens(s, ip_proto::tcp, "fd00::1", 2024));
  EXPECT_TRUE(listens(s, ip_proto::udp, "192.0.2.7", 8125));
  EXPECT_FALSE(listens(s, ip_proto::tcp, "192.0.2.7", 8125));
  EXPECT_FALSE(listens(s, ip_proto::tcp, "127.0.0.1", 9999));
  for (const Family family : {Family::v4, Family::v6}) {
    EXPECT_TRUE(s.is_complete(ip_proto::tcp, family));
    EXPECT_TRUE(s.is_complete(ip_proto::udp, family));
  }
}

struct Loaded {
  Loaded(const std::string& text, const std::string& command) {
    dump = formats.dump(text, command);
    report = formats.load(dump, cluster);
  }
  const host::Sockets& sockets() { return cluster.ensure_node("n").host.sockets.value; }

  Formats formats{system_formats()};
  Dump dump;
  cluster::Cluster cluster;
  Report report;
};

TEST(Sockets, Ss) {
  Loaded loaded(kSs, "ss -tulpan");
  EXPECT_EQ("ss", loaded.formats.kind(loaded.dump));
  EXPECT_EQ(kSs, loaded.formats.reprint(loaded.dump).out);
  expect_sockets(loaded.sockets());
  EXPECT_FALSE(listens(loaded.sockets(), ip_proto::tcp, "192.0.2.7", 8123));
  EXPECT_TRUE(listens(loaded.sockets(), ip_proto::tcp, "192.0.2.7", 8124));
}

TEST(Sockets, Netstat) {
  Loaded loaded(kNetstat, "netstat -W -neopa");
  EXPECT_EQ(kNetstat, loaded.formats.reprint(loaded.dump).out);
  expect_sockets(loaded.sockets());
  EXPECT_EQ(Accepts::perhaps, accepts(loaded.sockets(), ip_proto::tcp, "192.0.2.7", 8124));
}

// As ss of iproute2 6.1 prints sockets that were bound so.
TEST(Sockets, DevicesAndFamilies) {
  const std::string text =
      "Netid State  Recv-Q Send-Q      Local Address:Port Peer Address:PortProcess\n"
      "udp   UNCONN 0      0                    *%lo:5555            *:*          \n"
      "udp   UNCONN 0      0                    [::]:5556         [::]:*          \n"
      "udp   UNCONN 0      0        [fe80::1]%enp1s0:546          [::]:*          \n"
      "tcp   LISTEN 0      128            0.0.0.0%lo:5558      0.0.0.0:*          \n"
      "tcp   LISTEN 0      128    [::ffff:127.0.0.1]:5557            *:*          \n";
  Loaded loaded(text, "ss -tulpn");
  EXPECT_EQ(text, loaded.formats.reprint(loaded.dump).out);
  const host::Sockets& s = loaded.sockets();
  EXPECT_EQ(Accepts::perhaps, accepts(s, ip_proto::udp, "192.0.2.7", 5555));
  EXPECT_EQ(Accepts::no, accepts(s, ip_proto::udp, "192.0.2.7", 5556));
  EXPECT_EQ(Accepts::yes, accepts(s, ip_proto::udp, "fd00::1", 5556));
  EXPECT_EQ(Accepts::perhaps, accepts(s, ip_proto::udp, "fe80::1", 546));
  EXPECT_EQ(Accepts::perhaps, accepts(s, ip_proto::tcp, "192.0.2.7", 5558));
  EXPECT_EQ(Accepts::yes, accepts(s, ip_proto::tcp, "127.0.0.1", 5557));
}

// Before iproute2 4.17 "*" was any address of IPv4, and ":::" that of a socket of IPv6, whether it takes IPv4 or not.
TEST(Sockets, OldSs) {
  Loaded loaded(
      "Netid State  Recv-Q Send-Q Local Address:Port Peer Address:Port\n"
      "tcp   LISTEN 0      128    *:22                 *:*\n"
      "tcp   LISTEN 0      128    :::80                :::*\n",
      "ss -tuln");
  EXPECT_EQ(Accepts::yes, accepts(loaded.sockets(), ip_proto::tcp, "192.0.2.7", 22));
  EXPECT_EQ(Accepts::perhaps, accepts(loaded.sockets(), ip_proto::tcp, "fd00::1", 22));
  EXPECT_EQ(Accepts::perhaps, accepts(loaded.sockets(), ip_proto::tcp, "192.0.2.7", 80));
  EXPECT_EQ(Accepts::yes, accepts(loaded.sockets(), ip_proto::tcp, "fd00::1", 80));
}

// Established connections alone, a filter, another protocol, ports by name: none of them proves that nobody listens.
TEST(Sockets, OnlyACompleteListProvesThatNobodyListens) {
  for (const char* command : {"ss -tn", "ss -ulpn", "ss -tlpn sport = :22", "ss -tln | grep 80", ""})
    EXPECT_FALSE(Loaded(kSs, command).sockets().is_complete(ip_proto::tcp, Family::v4)) << command;
  std::string named = kSs;
  named.replace(named.find("0.0.0.0:2024"), 12, " 0.0.0.0:ssh");
  EXPECT_FALSE(Loaded(named, "ss -tulp").sockets().is_complete(ip_proto::tcp, Family::v4));
  EXPECT_FALSE(Loaded(kSs, "ss -6tln").sockets().is_complete(ip_proto::tcp, Family::v4));
  EXPECT_TRUE(Loaded(kSs, "ss -6tln").sockets().is_complete(ip_proto::tcp, Family::v6));
  EXPECT_TRUE(Loaded(named, "ss -tulp").sockets().is_complete(ip_proto::udp, Family::v4));
}

TEST(Sockets, WithoutTheProtocolsColumnTheCommandNamesIt) {
  const std::string text =
      "State  Recv-Q Send-Q Local Address:Port Peer Address:PortProcess\n"
      "LISTEN 0      128       [::1]:2024         [::]:*          \ngarbage\n";
  Loaded loaded(text, "ss -tln");
  EXPECT_TRUE(listens(loaded.sockets(), ip_proto::tcp, "::1", 2024));
  EXPECT_FALSE(loaded.sockets().is_complete(ip_proto::tcp, Family::v4));
  EXPECT_EQ(1U, loaded.report.not_understood.size());
  EXPECT_EQ(text, loaded.formats.reprint(loaded.dump).out);
}

}  // namespace
}  // namespace egt::parsers
