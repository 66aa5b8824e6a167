// Events of retis, of 1.6 (bytes of packets) and of 1.5 and before (parsed headers): lines to events.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "egtrace/parsers/capture.h"

namespace egt::parsers {
namespace {

using capture::KernelEvent;
using capture::OvsEvent;

struct Lines {
  std::vector<KernelEvent> events;
  capture::Capture capture;
};

const std::string kCommon = R"({"common":{"timestamp":1000,"smp_id":0,"task":{"pid":1,"tgid":1,"comm":"x \"y\" é"}},)";
const std::string kStartup =
    R"({"common":{"timestamp":1},"startup":{"retis_version":"1.6.4","cmdline":"retis","clock_monotonic_offset":{"sec":1700000000,"nsec":5},"machine":{"kernel_release":"6"},"split_file":null}})"
    "\n";

Lines read_lines(const std::string& text) {
  Lines r;
  auto capture = read_capture(
      text, [](const capture::Frame&) { ADD_FAILURE(); }, [&](const KernelEvent& e) { r.events.push_back(e); });
  EXPECT_TRUE(capture) << capture.error().message;
  if (capture) r.capture = std::move(*capture);
  return r;
}

// An event with these sections behind "common".
KernelEvent one(const std::string& sections) {
  const Lines r = read_lines(kStartup + kCommon + sections + "}\n");
  EXPECT_EQ(0u, r.capture.not_understood) << (r.capture.problems.empty() ? "" : r.capture.problems.front().message);
  return r.events.size() == 1 ? r.events.front() : KernelEvent{};
}

// 10.0.0.1:4660 > 10.0.0.2:80, SYN, in an Ethernet frame.
const std::string kBytes =
    R"("packet":{"len":54,"capture_len":54,"data":"ClgAAAACClgAAAABCABFAAAoq81AAEAGAAAKAAABCgAAAhI0AFABAgMEAAAAAFAC//8AAAAA"})";

TEST(Retis, PacketOf16) {
  const KernelEvent e =
      one(R"("kernel":{"symbol":"net:netif_receive_skb","probe_type":"raw_tracepoint","stack_trace":["a","b"]},)"
          R"("skb-tracking":{"orig_head":18446616568293939200,"timestamp":900,"skb":7},"netns":{"cookie":1,"inum":4026531840},)"
          R"("dev":{"name":"eth0","ifindex":3,"rx_ifindex":3},)" +
          kBytes);
  ASSERT_TRUE(e.has_packet);
  EXPECT_EQ("10.0.0.1", e.frame.ip.src.to_string());
  EXPECT_EQ(80, e.frame.ip.dport);
  EXPECT_EQ(0x02, e.frame.ip.tcp_flags);
  EXPECT_EQ("net:netif_receive_skb", e.facts.symbol);
  EXPECT_EQ(capture::Probe::tracepoint, e.facts.probe);
  EXPECT_EQ(4026531840u, e.facts.netns);
  EXPECT_NE(0u, e.packet);
  EXPECT_EQ(1'700'000'000'000'001'005, e.time);
  EXPECT_EQ(2u, e.line);
}

TEST(Retis, PacketOf15) {
  const KernelEvent e = one(
      R"("kernel":{"symbol":"ip_rcv","probe_type":"kprobe"},"skb":{"eth":{"etype":2048,"src":"0a:58:00:00:00:01","dst":"0a:58:00:00:00:02"},)"
      R"("ip":{"saddr":"10.0.0.1","daddr":"10.0.0.2","v4":{"tos":0,"id":7,"flags":2,"offset":0},"protocol":6,"len":60,"ttl":63,"ecn":0},)"
      R"("tcp":{"sport":4660,"dport":80,"seq":16909060,"ack_seq":0,"window":1,"doff":10,"flags":2},)"
      R"("dev":{"name":"eth0","ifindex":3},"ns":{"netns":4026532000}})");
  ASSERT_TRUE(e.has_packet);
  EXPECT_EQ("10.0.0.2", e.frame.ip.dst.to_string());
  EXPECT_EQ(0x01020304u, e.frame.ip.seq);
  EXPECT_EQ(63, e.frame.ip.ttl);
  EXPECT_EQ(0u, e.frame.ip.payload_bytes);
  EXPECT_EQ("0a:58:00:00:00:02", e.frame.dmac->to_string());
  EXPECT_EQ(4026532000u, e.facts.netns);
}

TEST(Retis, FlatPacketOfOlderOnes) {
  const KernelEvent e = one(
      R"("kernel":{"probe_type":"raw_tracepoint","symbol":"skb:kfree_skb"},"skb":{"cloned":true,"saddr":"10.0.0.1","daddr":"10.0.0.2",)"
      R"("dev_name":"eth0","ifindex":3,"ip_version":4,"l3_len":84,"netns":4026531840,"protocol":1,"icmp_code":0,"icmp_type":8,"src":"0a:58:00:00:00:01"},)"
      R"("skb-drop":{"drop_reason":"NO_SOCKET"})");
  ASSERT_TRUE(e.has_packet);
  EXPECT_TRUE(e.frame.ip.echo_request());
  EXPECT_TRUE(e.facts.drop);
  EXPECT_EQ("NO_SOCKET", e.facts.drop_reason);
  EXPECT_EQ("", e.facts.drop_subsystem);
}

TEST(Retis, OpenVSwitch) {
  const std::string kernel = R"("kernel":{"symbol":"openvswitch:x","probe_type":"raw_tracepoint"},"ovs":)";
  EXPECT_EQ(OvsEvent::upcall, one(kernel + R"({"event_type":"upcall","cmd":1,"port":3366920467,"cpu":1})").facts.ovs);
  const KernelEvent ct = one(
      kernel +
      R"({"event_type":"action_execute","action":"ct","zone_id":20,"flags":485,"nat":{"dir":"dst","min_addr":"10.0.0.1"},"recirc_id":34,"queue_id":9})");
  EXPECT_EQ("ct", ct.facts.action);
  EXPECT_EQ(20, ct.facts.zone);
  EXPECT_EQ(9u, ct.queue);
  const KernelEvent flow = one(
      kernel +
      R"({"event_type":"flow_lookup","flow":1,"sf_acts":2,"ufid":[393656524,1586842659,2369820374,3202860779],"n_mask_hit":1,"n_cache_hit":0,"dpflow":"x","ofpflows":["cookie=0x1, table=0","cookie=0x2, table=8"]})");
  EXPECT_EQ("1776b8cc-5e95-4c23-8d40-96d6bee7c6eb", flow.facts.datapath_flow);
  EXPECT_EQ(2u, flow.facts.openflow_flows.size());
}

TEST(Retis, ConntrackAndNft) {
  const KernelEvent e = one(
      R"("kernel":{"symbol":"__nft_trace_packet","probe_type":"kprobe"},"ct":{"state":"new","zone_id":0,"zone_dir":"None","orig":{},"reply":{},"ct_status":8},)"
      R"("nft":{"table_name":"t","chain_name":"c","verdict":"drop","verdict_chain_name":null,"table_handle":1,"chain_handle":2,"rule_handle":12,"policy":false})");
  EXPECT_EQ("new", e.facts.ct_state);
  EXPECT_EQ(12, e.facts.nft_rule);
  EXPECT_EQ("drop", e.facts.nft_verdict);
}

TEST(Retis, SortedEventsAreArrays) {
  const std::string event = kCommon + R"("kernel":{"symbol":"ip_rcv","probe_type":"kprobe"},)" + kBytes + "}";
  const Lines r = read_lines(kStartup + "[" + event + "," + event + "]\n");
  EXPECT_EQ(2u, r.events.size());
  EXPECT_EQ(2u, r.capture.events);
}

TEST(Retis, CarriesOnBehindWhatItDoesNotKnow) {
  const std::string good =
      kCommon + R"("kernel":{"symbol":"ip_rcv","probe_type":"kprobe"},"of-tomorrow":{"a":[1,{"b":null}],"c":-1.5e3},)" + kBytes +
      "}\n";
  const Lines r =
      read_lines(good + "{\"common\":{\"timestamp\":1}}\n" + R"({"common":{"timestamp":1},"kernel":{"symbol":"x",}})" + "\n" +
                 kCommon + R"("kernel":{"symbol":"ip_rcv"},"packet":{"data":"?"}})" + "\n" + std::string(100, '[') + "\n" +
                 "{\"common\":{\"timestamp\":1},\"kernel\":{\"symbol\":\"cut\n" + good);
  EXPECT_EQ(2u, r.events.size());
  EXPECT_EQ(5u, r.capture.not_understood);
  EXPECT_EQ(2u, r.capture.first_not_understood);
  ASSERT_EQ(5u, r.capture.problems.size());
  EXPECT_EQ(3u, r.capture.problems[1].line);
  EXPECT_EQ(50u, r.capture.problems[1].column);
  EXPECT_EQ("a string is expected here", r.capture.problems[1].message);
  EXPECT_EQ("the packet's data is no base64", r.capture.problems[2].message);
}

TEST(Retis, OtherJsonIsNone) {
  EXPECT_EQ("", capture_format("{\"a\": 1}\n"));
  EXPECT_EQ("", capture_format("{\"common\":{\"timestamp\":1}}\n"));
  EXPECT_EQ("retis events", capture_format(kStartup));
}

}  // namespace
}  // namespace egt::parsers
