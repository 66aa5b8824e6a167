// The text of pwru: columns under a header, "name=value" of the versions before, and what stands between its lines.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "egtrace/parsers/capture.h"

namespace egt::parsers {
namespace {

using capture::KernelEvent;

std::vector<KernelEvent> read_events(const std::string& text, capture::Capture* shown = nullptr) {
  std::vector<KernelEvent> events;
  auto capture = read_capture(
      text, [](const capture::Frame&) { ADD_FAILURE(); }, [&](const KernelEvent& e) { events.push_back(e); });
  EXPECT_TRUE(capture) << capture.error().message;
  if (capture && shown != nullptr) *shown = std::move(*capture);
  return events;
}

const std::string kHeader =
    "SKB                CPU PROCESS          NETNS      MARK/x        IFACE       PROTO  MTU   LEN   TUPLE FUNC\n";

TEST(Pwru, Columns) {
  capture::Capture capture;
  const auto events =
      read_events("2026/11/25 12:00:00 Attaching kprobes\n" + kHeader +
                      "0xffff9d8b80a7e400 3   <empty>:12345    4026531840 0            eth0:2      0x0800 1500  60    "
                      "10.0.0.1:40000->10.0.0.2:80(tcp:SYN) ip_rcv\n"
                      "0xffff9d8b80a7e400 3   ~r/bin/curl:123  4026531840 4000             ~uth0-is-cut:7  0x0800 1500  60    "
                      "10.0.0.1:40000->10.0.0.2:80(tcp:SYN|ACK) kfree_skb_reason(SKB_DROP_REASON_NETFILTER_DROP)\n"
                      "0xffff9d8b80a7e401 0   ping:99          4026532201 0               0         0x86dd 1500  84    "
                      "[fd00::1]:0->[fd00::2]:0(icmp6) sk_skb_reason_drop (77)\n",
                  &capture);
  ASSERT_EQ(3u, events.size());
  EXPECT_EQ("ip_rcv", events[0].facts.symbol);
  EXPECT_EQ("10.0.0.2", events[0].frame.ip.dst.to_string());
  EXPECT_EQ(0x02, events[0].frame.ip.tcp_flags);
  EXPECT_EQ("eth0", capture.interfaces[events[0].facts.interface].name);
  EXPECT_EQ(2u, capture.interfaces[events[0].facts.interface].ifindex);
  EXPECT_EQ(4026531840u, events[0].facts.netns);
  EXPECT_TRUE(events[1].facts.drop);
  EXPECT_EQ("NETFILTER_DROP", events[1].facts.drop_reason);
  EXPECT_EQ("kfree_skb_reason", events[1].facts.symbol);
  EXPECT_EQ("", capture.interfaces[events[1].facts.interface].name);
  EXPECT_EQ(7u, capture.interfaces[events[1].facts.interface].ifindex);
  EXPECT_EQ(58, events[2].frame.ip.proto);
  EXPECT_EQ("77", events[2].facts.drop_reason);
  EXPECT_EQ(4026532201u, events[2].facts.netns);
}

TEST(Pwru, TimestampCallerAndMetadata) {
  const auto events = read_events(
      "TIME                    SKB                CPU PROCESS          TIMESTAMP        NETNS      MARK/x        IFACE "
      "      PROTO  MTU   LEN   TUPLE FUNC CALLER\n"
      "2026-11-25T12:00:00.000 0xffff9d8b80a7e400 3   curl:7           123456789        4026531840 0            eth0:2 "
      "     0x0800 1500  60    10.0.0.1:40000->10.0.0.2:53(udp) udp_rcv ip_protocol_deliver_rcu\n"
      "(struct sk_buff){\n .mark = (__u32)0x1,\n}\n"
      "kfree_skb\n__netif_receive_skb\n");
  ASSERT_EQ(1u, events.size());
  EXPECT_EQ("udp_rcv", events[0].facts.symbol);
  EXPECT_EQ(17, events[0].frame.ip.proto);
}

TEST(Pwru, WithoutTuple) {
  const auto events = read_events(
      "SKB                CPU PROCESS          NETNS      MARK/x        IFACE       PROTO  MTU   LEN   FUNC\n"
      "0xffff9d8b80a7e400 3   curl:7           4026531840 0            eth0:2      0x0800 1500  60    ip_rcv\n");
  ASSERT_EQ(1u, events.size());
  EXPECT_FALSE(events[0].has_packet);
  EXPECT_EQ("ip_rcv", events[0].facts.symbol);
}

TEST(Pwru, NamesAndValuesOfOlderOnes) {
  const auto events = read_events(
      "0xffff9a5a4f0ae700      6        [curl]  ip_local_out netns=4026531992 mark=0x0 iface=2(eth0) proto=0x0800 "
      "mtu=1500 len=60 10.0.2.15:41846->1.1.1.1:80(tcp)\n");
  ASSERT_EQ(1u, events.size());
  EXPECT_EQ("ip_local_out", events[0].facts.symbol);
  EXPECT_EQ(4026531992u, events[0].facts.netns);
  EXPECT_EQ("1.1.1.1", events[0].frame.ip.dst.to_string());
}

TEST(Pwru, OtherTextIsNone) {
  EXPECT_EQ("", capture_format("SKB CPU\n0x12 a b c\n"));
  EXPECT_EQ("pwru text", capture_format(kHeader));
}

}  // namespace
}  // namespace egt::parsers
