// Reading captures: bytes to frames, files, and the text of tcpdump.
#include "egtrace/parsers/capture.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "pcap/packet_bytes.h"

namespace egt::parsers {
namespace {

using capture::Direction;
using capture::Frame;

std::string bytes_of(std::string_view hex) {
  std::string out;
  int high = -1;
  for (const char c : hex) {
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (digit < 0) continue;
    if (high < 0)
      high = digit;
    else
      out += static_cast<char>(high << 4 | digit), high = -1;
  }
  return out;
}

// 10.0.0.1:4660 > 10.0.0.2:80, SYN, sequence number 0x01020304.
const std::string kIp = "45000028 abcd4000 4006 0000 0a000001 0a000002 1234 0050 01020304 00000000 5002 ffff 00000000";
const std::string kEthernet = "0a5800000002 0a5800000001 0800" + kIp;

Frame decoded(const std::string& hex, int link_type, pcap::Decoded expected = pcap::Decoded::ip) {
  Frame f;
  EXPECT_EQ(expected, pcap::decode_frame(bytes_of(hex), link_type, f));
  return f;
}

void expect_syn(const Frame& f) {
  EXPECT_EQ("10.0.0.1", f.ip.src.to_string());
  EXPECT_EQ("10.0.0.2", f.ip.dst.to_string());
  EXPECT_EQ(4660, f.ip.sport);
  EXPECT_EQ(80, f.ip.dport);
  EXPECT_EQ(64, f.ip.ttl);
  EXPECT_EQ(0x02, f.ip.tcp_flags);
  EXPECT_TRUE(f.ip.has_seq);
  EXPECT_EQ(0x01020304u, f.ip.seq);
}

TEST(Bytes, EthernetAndRaw) {
  const Frame f = decoded(kEthernet, 1);
  expect_syn(f);
  EXPECT_EQ("0a:58:00:00:00:01", f.smac->to_string());
  EXPECT_EQ("0a:58:00:00:00:02", f.dmac->to_string());
  expect_syn(decoded(kIp, 101));
  expect_syn(decoded("02000000" + kIp, 0));
}

TEST(Bytes, VlanTags) {
  const Frame f = decoded("0a5800000002 0a5800000001 88a80064 81000005 0800" + kIp, 1);
  expect_syn(f);
  EXPECT_EQ(5, *f.vlan);
}

TEST(Bytes, LinuxCooked) {
  const Frame one = decoded("0004 0001 0006 0a58000000010000 0800" + kIp, 113);
  expect_syn(one);
  EXPECT_EQ(Direction::out, one.direction);
  const Frame two = decoded("0800 0000 00000007 0001 00 06 0a58000000010000" + kIp, 276);
  expect_syn(two);
  EXPECT_EQ(7u, two.ifindex);
  EXPECT_EQ(Direction::in, two.direction);
  EXPECT_EQ("0a:58:00:00:00:01", two.smac->to_string());
}

TEST(Bytes, Tunnels) {
  const std::string outer_ip = "4500006e 00000000 4011 0000 c0000201 c0000202";
  const Frame geneve = decoded(
      "020000000002 020000000001 0800" + outer_ip + "c000 17c1 005a 0000 0240 6558 000005 00 0102 8001 00020003" + kEthernet, 1);
  expect_syn(geneve);
  ASSERT_TRUE(geneve.tunnel);
  EXPECT_EQ("geneve", geneve.tunnel->type);
  EXPECT_EQ(5u, geneve.tunnel->vni);
  EXPECT_EQ("192.0.2.1", geneve.tunnel->src.to_string());
  const Frame vxlan =
      decoded("020000000002 020000000001 0800" + outer_ip + "c000 12b5 005a 0000 08000000 000007 00" + kEthernet, 1);
  expect_syn(vxlan);
  EXPECT_EQ("vxlan", vxlan.tunnel->type);
  EXPECT_EQ(7u, vxlan.tunnel->vni);
}

TEST(Bytes, ErrorsQuoteThePacket) {
  const Frame f = decoded("45000044 00000000 4001 0000 0a0000fe 0a000001 03 0a 0000 00000000" + kIp, 101);
  EXPECT_EQ(3, f.ip.icmp_type);
  EXPECT_EQ(10, f.ip.icmp_code);
  ASSERT_TRUE(f.quoted);
  EXPECT_EQ(4660, f.quoted->sport);
  EXPECT_EQ(0x01020304u, f.quoted->seq);
}

TEST(Bytes, CutAtEveryLength) {
  const std::string whole = bytes_of(
      "020000000002 020000000001 08004500006e 00000000 4011 0000 c0000201 c0000202 c000 17c1 005a 0000 0240 6558 000005 00 0102 "
      "8001 00020003" +
      kEthernet);
  for (std::size_t n = 0; n <= whole.size(); ++n) {
    const std::vector<char> copy(whole.begin(),
                                 whole.begin() + static_cast<std::ptrdiff_t>(n));  // so that a read beyond the end shows
    for (const int type : {1, 113, 276, 101, 0}) {
      Frame f;
      pcap::decode_frame({copy.data(), copy.size()}, type, f);
    }
  }
}

TEST(Bytes, FingerprintsIgnoreWhatNatChanges) {
  const auto datagram = [](const char* ends) {
    return decoded(std::string("45000028 abcd4000 4011 0000 ") + ends + " 0014 0000 636173652d30303132333435", 101)
        .ip.fingerprint;
  };
  EXPECT_NE(0u, datagram("0a000001 0a000002 1234 0050"));
  EXPECT_EQ(datagram("0a000001 0a000002 1234 0050"), datagram("c0000201 0a000003 4321 1f90"));
}

struct Read {
  capture::Capture capture;
  std::vector<Frame> frames;
};

Read read(const std::string& bytes) {
  Read r;
  auto capture = read_capture(bytes, [&](const Frame& f) { r.frames.push_back(f); });
  EXPECT_TRUE(capture);
  if (capture) r.capture = *capture;
  return r;
}

TEST(Files, Pcap) {
  const std::string file = bytes_of(
                               "d4c3b2a1 0200 0400 00000000 00000000 00000400 01000000"
                               "01000000 02000000 36000000 36000000") +
                           bytes_of(kEthernet);
  const Read r = read(file);
  ASSERT_EQ(1u, r.frames.size());
  expect_syn(r.frames[0]);
  EXPECT_EQ(1'000'002'000, r.frames[0].time);
  EXPECT_EQ("pcap", r.capture.format);
  const Read cut = read(file.substr(0, file.size() - 3));
  EXPECT_TRUE(cut.frames.empty());
  EXPECT_FALSE(cut.capture.cut_why.empty());
}

// Two interfaces of different link types in one file, the second with a name and nanoseconds; big endian.
TEST(Files, Pcapng) {
  const std::string section = "0a0d0d0a 0000001c 1a2b3c4d 0001 0000 ffffffffffffffff 0000001c";
  const std::string first = "00000001 00000014 0001 0000 00000000 00000014";
  const std::string second = "00000001 00000028 0065 0000 00000000 0002 0004 65746831 0009 0001 09000000 0000 0000 00000028";
  const std::string packet =
      "00000006 0000005c 00000001 00000000 3b9aca05 00000028 00000028" + kIp + "0002 0004 00000002 0000 0000 0000005c";
  const std::string padded = "00000006 00000048 00000001 00000000 3b9aca05 00000028 00000028" + kIp + "00000048";
  const std::string flagged =
      "00000006 00000054 00000001 00000000 3b9aca05 00000028 00000028" + kIp + "0002 0004 00000002 0000 0000 00000054";
  const Read r = read(bytes_of(section + first + second + padded + flagged));
  ASSERT_EQ(2u, r.frames.size());
  ASSERT_EQ(2u, r.capture.interfaces.size());
  EXPECT_EQ("eth1", r.capture.interfaces[1].name);
  expect_syn(r.frames[0]);
  EXPECT_EQ(1u, r.frames[0].interface);
  EXPECT_EQ(1'000'000'005, r.frames[0].time);
  EXPECT_EQ(Direction::unknown, r.frames[0].direction);
  EXPECT_EQ(Direction::out, r.frames[1].direction);
}

TEST(Text, LinkHeadersInsideTunnels) {
  const std::string inner = "0a:58:64:58:00:02 > 0a:58:64:58:00:03, ethertype IPv4 (0x0800), length 74: ";
  const std::string outer =
      "192.168.99.25.49196 > 192.168.99.24.6081: Geneve, Flags [C], vni 0xff0003, proto TEB (0x6558), options [8 bytes]";
  const std::string syn = "10.133.0.9.20005 > 192.168.55.13.80: Flags [S], seq 877, win 65280, length 0\n";
  for (const std::string& text :
       {"08:42:50.1 00:50:56:8e:2a:33 (oui Unknown) > 00:50:56:8e:2a:32 (oui Unknown), ethertype IPv4 (0x0800), length 132: " +
            outer + ": " + inner + syn,
        "08:42:50.1 ?     In  ifindex 313 00:50:56:8e:2a:33 ethertype IPv4 (0x0800), length 138: " + outer + ": " + inner + syn,
        "08:42:50.1 00:50:56:8e:2a:33 > 00:50:56:8e:2a:32, ethertype IPv4 (0x0800), length 132: (tos 0x0, ttl 64, id 1, proto "
        "UDP (17), length 118)\n    " +
            outer + "\n\t" + inner + "(tos 0x0, ttl 63, id 3812, proto TCP (6), length 60)\n    " + syn}) {
    std::vector<Frame> frames;
    ASSERT_TRUE(read_capture(text, [&](const Frame& f) { frames.push_back(f); }));
    ASSERT_EQ(1u, frames.size()) << text;
    EXPECT_EQ("10.133.0.9", frames[0].ip.src.to_string()) << text;
    ASSERT_TRUE(frames[0].tunnel && frames[0].dmac) << text;
    EXPECT_EQ(0xff0003u, frames[0].tunnel->vni);
    EXPECT_EQ("0a:58:64:58:00:03", frames[0].dmac->to_string());
  }
}

TEST(Text, VendorsBehindMacs) {
  std::vector<Frame> frames;
  const auto capture = read_capture(
      "08:42:49.4 00:50:56:8e:2a:32 (oui Unknown) > 52:54:00:3a:76:95 (oui Unknown), ethertype IPv4 (0x0800), length 74: "
      "10.0.0.1.20001 > 10.0.0.2.http: Flags [S], seq 7, length 0\n"
      "08:42:49.8 00:50:56:8e:2a:32 > ff:ff:ff:ff:ff:ff, ethertype ARP (0x0806), length 42: Ethernet (len 6), IPv4 (len 4), "
      "Request who-has 10.0.0.2 tell 10.0.0.1, length 28\n",
      [&](const Frame& f) { frames.push_back(f); });
  ASSERT_TRUE(capture);
  ASSERT_EQ(1u, frames.size());
  EXPECT_EQ("52:54:00:3a:76:95", frames[0].dmac->to_string());
  EXPECT_EQ(1u, capture->not_ip);
  EXPECT_EQ(0u, capture->not_understood);
}

TEST(Text, PlainAndAnyAndLinkHeader) {
  const Read r = read(
      "tcpdump: listening on any\n"
      "12:00:00.000001 IP 10.0.0.1.4660 > 10.0.0.2.80: Flags [S], seq 16909060, win 65535, options [mss 1460], length 0\n"
      "12:00:00.000002 eth0  Out IP 10.0.0.2.80 > 10.0.0.1.4660: Flags [S.], seq 5, ack 16909061, win 65535, length 0\n"
      "1700000000.000003 0a:58:00:00:00:01 > 0a:58:00:00:00:02, ethertype IPv4 (0x0800), length 54: 10.0.0.1.4660 > "
      "10.0.0.2.http: Flags [.], ack 1, win 64, length 0\n"
      "12:00:00.000004 ARP, Request who-has 10.0.0.1 tell 10.0.0.2, length 28\n"
      "12:00:00.000005 IP somewhere.example.4660 > 10.0.0.2.80: Flags [S], seq 1, length 0\n");
  ASSERT_EQ(3u, r.frames.size());
  EXPECT_EQ(16909060u, r.frames[0].ip.seq);
  EXPECT_EQ(Direction::out, r.frames[1].direction);
  EXPECT_EQ("eth0", r.capture.interfaces[r.frames[1].interface].name);
  EXPECT_EQ(16909061u, r.frames[1].ip.ack);
  EXPECT_EQ("0a:58:00:00:00:02", r.frames[2].dmac->to_string());
  EXPECT_EQ(80, r.frames[2].ip.dport);
  EXPECT_EQ(1u, r.capture.not_ip);
  EXPECT_EQ(1u, r.capture.not_understood);
}

TEST(Text, VerboseTunnelPingAndError) {
  const Read r = read(
      "2026-11-21 08:45:55.848194 IP (tos 0x0, ttl 62, id 1, offset 0, flags [DF], proto TCP (6), length 60)\n"
      "    10.0.0.1.4660 > 10.0.0.2.80: Flags [S], cksum 0xa7fa (correct), seq 7, win 65280, length 0\n"
      "08:45:56.1 IP 192.0.2.1.53691 > 192.0.2.2.6081: Geneve, Flags [C], vni 0xff0003, options [8 bytes]: IP6 fd00::a.20139 > "
      "fd00::b.8080: Flags [S], seq 9, length 0\n"
      "08:45:56.2 IP 10.0.0.1 > 10.0.0.2: ICMP echo request, id 6187, seq 1, length 64\n"
      "08:45:56.3 IP 10.0.0.254 > 10.0.0.1: ICMP 10.0.0.2 tcp port 80 unreachable, length 68\n");
  ASSERT_EQ(4u, r.frames.size());
  EXPECT_EQ(62, r.frames[0].ip.ttl);
  EXPECT_EQ(7u, r.frames[0].ip.seq);
  ASSERT_TRUE(r.frames[1].tunnel);
  EXPECT_EQ(0xff0003u, r.frames[1].tunnel->vni);
  EXPECT_EQ("fd00::a", r.frames[1].ip.src.to_string());
  EXPECT_EQ(6187, r.frames[2].ip.sport);
  ASSERT_TRUE(r.frames[3].quoted);
  EXPECT_EQ(3, r.frames[3].ip.icmp_code);
  EXPECT_EQ(80, r.frames[3].quoted->dport);
}

TEST(Files, WhatIsNoCapture) {
  EXPECT_EQ("", capture_format("{\"a\": 1}\n"));
  EXPECT_EQ("", capture_format(""));
  EXPECT_FALSE(read_capture("hello\n", [](const Frame&) {}));
}

}  // namespace
}  // namespace egt::parsers
