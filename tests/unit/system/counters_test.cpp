// Counters of nstat, netstat -s, /proc/net/netstat, ethtool -S, node_exporter and ip -s link.
#include "egtrace/parsers/counters.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "egtrace/base/text.h"
#include "egtrace/explain/counter_evidence.h"
#include "support/format_fixture.h"
#include "system/counter_line.h"
#include "system/formats.h"

namespace egt::parsers::system {
namespace {

// "name" or "device/name" → value.
std::map<std::string, std::uint64_t> counters_in(CounterDialect dialect, std::string text, const std::string& device = {}) {
  CounterReader reader(dialect, device);
  std::map<std::string, std::uint64_t> all;
  std::string_view rest = text;
  while (!rest.empty()) {
    const CounterLine line = reader.read(next_line(rest));
    EXPECT_NE(CounterLine::Kind::unknown, line.kind);
    for (const CounterValue& c : line.counters) all[c.device.empty() ? c.name : c.device + "/" + c.name] = c.value;
  }
  return all;
}

const std::string kNstat =
    "#kernel\nIpInReceives                    1234               0.0\nTcpExtIPReversePathFilter       7                "
    "  0.0\n";
const std::string kNetstat =
    "Ip:\n    Forwarding: 1\n    1234 total packets received\n    5 with invalid addresses\n    3 dropped because of "
    "missing route\n"
    "Icmp:\n    2 ICMP messages received\n    ICMP input histogram:\n        echo requests: 2\n"
    "Udp:\n    9 packets to unknown port received\n    receive buffer errors: 4\n    InCsumErrors: 6\n"
    "TcpExt:\n    8 SYNs to LISTEN sockets dropped\n    Quick ack mode was activated 8 times\n    IPReversePathFilter: "
    "7\n";
const std::string kProc = "TcpExt: SyncookiesSent ListenDrops\nTcpExt: 0 8\nIpExt: InNoRoutes InTruncatedPkts\nIpExt: 2 0\n";
const std::string kEthtool = "NIC statistics:\n     rx_packets: 12\n     rx_missed_errors: 3\n     queue[0]: tx_x: 4\n";
const std::string kMetrics =
    "# HELP node_netstat_TcpExt_ListenDrops Statistic TcpExtListenDrops.\n# TYPE node_netstat_TcpExt_ListenDrops "
    "untyped\n"
    "node_netstat_TcpExt_ListenDrops 8\nnode_network_receive_drop_total{device=\"eth0\"} 1.5e+03\nnode_load1 0.21\n"
    "node_network_info{adminstate=\"up\",device=\"e } 1\",operstate=\"up\"} 1 1700000000000\n";
const std::string kIpLink =
    "2: eth0@if7: <BROADCAST,UP> mtu 1500\n    link/ether 0a:58:00:00:00:01 brd ff:ff:ff:ff:ff:ff\n"
    "    RX:  bytes packets errors dropped  missed   mcast\n           100      10      1       2       3       0\n"
    "    RX errors:  length    crc   frame    fifo overrun\n                     0      5       0       0       6\n"
    "    TX:  bytes packets errors dropped carrier collsns\n           100      10      0       4       0       0\n";

TEST(Counters, Lines) {
  EXPECT_EQ(7u, counters_in(CounterDialect::nstat, kNstat)["TcpExtIPReversePathFilter"]);
  auto netstat = counters_in(CounterDialect::netstat, kNetstat);
  EXPECT_EQ(5u, netstat["IpInAddrErrors"]);
  EXPECT_EQ(3u, netstat["IpOutNoRoutes"]);
  EXPECT_EQ(9u, netstat["UdpNoPorts"]);
  EXPECT_EQ(4u, netstat["UdpRcvbufErrors"]);
  EXPECT_EQ(6u, netstat["UdpInCsumErrors"]);
  EXPECT_EQ(8u, netstat["TcpExtListenDrops"]);
  EXPECT_EQ(7u, netstat["TcpExtIPReversePathFilter"]);
  auto proc = counters_in(CounterDialect::proc_net, kProc);
  EXPECT_EQ(8u, proc["TcpExtListenDrops"]);
  EXPECT_EQ(2u, proc["IpExtInNoRoutes"]);
  EXPECT_EQ(3u, counters_in(CounterDialect::ethtool, kEthtool, "eth0")["eth0/rx_missed_errors"]);
  auto metrics = counters_in(CounterDialect::metrics, kMetrics);
  EXPECT_EQ(8u, metrics["TcpExtListenDrops"]);
  EXPECT_EQ(1500u, metrics["eth0/rx_dropped"]);
  auto link = counters_in(CounterDialect::ip_link, kIpLink);
  EXPECT_EQ(2u, link["eth0/rx_dropped"]);
  EXPECT_EQ(3u, link["eth0/rx_missed"]);
  EXPECT_EQ(5u, link["eth0/rx_crc_errors"]);
  EXPECT_EQ(6u, link["eth0/rx_over_errors"]);
  EXPECT_EQ(4u, link["eth0/tx_dropped"]);
}

TEST(Counters, AreRecognisedByContent) {
  const auto kind_of = [](const std::string& text) {
    Dump dump;
    dump.text = text;
    const Recognised found = recognise(dump);
    return found.format == nullptr ? std::string_view("none") : found.format->kind;
  };
  EXPECT_EQ("nstat", kind_of(kNstat));
  EXPECT_EQ("netstat -s", kind_of(kNetstat));
  EXPECT_EQ("/proc/net/netstat", kind_of(kProc));
  EXPECT_EQ("ethtool -S", kind_of(kEthtool));
  EXPECT_EQ("node_exporter", kind_of(kMetrics));
  EXPECT_EQ("ip link", kind_of(kIpLink));
  EXPECT_EQ("none", kind_of("#kernel\nInterface RX Pkts/Rate TX Pkts/Rate\n"));
}

TEST(Counters, LinesOfNoneAreKept) {
  Dump dump;
  dump.text = "#kernel\nIpInReceives 1 0.0\nno counter at all\n";
  Report report;
  std::string out;
  nstat_format().reprint(dump, out, report);
  EXPECT_EQ(dump.text, out);
  EXPECT_EQ(1u, report.understood);
  EXPECT_EQ(1u, report.not_understood.size());
}

TEST(Counters, TellOfDropsOfTheirKind) {
  const SourceTable sources;
  const std::vector<host::Counter> counters = {{"TcpExtIPReversePathFilter", "", 7, {}},
                                               {"TcpExtIPReversePathFilter", "", 9, {}},
                                               {"TcpExtListenDrops", "", 3, {}},
                                               {"rx_dropped", "eth0", 5, {}},
                                               {"IpInReceives", "", 100, {}},
                                               {"IpOutNoRoutes", "", 0, {}}};
  const explain::CountedPacket tcp{false, "tcp"}, ping6{true, "icmp6"};
  const auto by_reason = explain::counters_of(engine::Reason::reverse_path_no_route, tcp, "w1", counters, sources);
  ASSERT_EQ(1u, by_reason.size());
  EXPECT_EQ(9u, by_reason[0].value);
  EXPECT_EQ(2u, by_reason[0].increase);
  // A counter that counted nothing speaks against it, and is shown.
  const auto none = explain::counters_of(engine::Reason::no_route, tcp, "w1", counters, sources);
  ASSERT_EQ(1u, none.size());
  EXPECT_EQ(0u, none[0].value);
  EXPECT_TRUE(explain::counters_of(engine::Reason::flow_drops, tcp, "w1", counters, sources).empty());
  // Nor do those of IPv4 mention IPv6, or those of TCP of a ping.
  EXPECT_TRUE(explain::counters_of(engine::Reason::no_route, ping6, "w1", counters, sources).empty());
  EXPECT_EQ(1u, explain::counted_drops(ping6, "w1", counters, sources).size());
  EXPECT_EQ(3u, explain::counted_drops(tcp, "w1", counters, sources).size());
}

}  // namespace
}  // namespace egt::parsers::system
