// Events of tracers beside the prediction: each at its hop, and drops that decide.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "support/run.h"

namespace {

using Json = nlohmann::json;

// Of the sample's node master-02-demo.
Json study(const std::string& name, const std::string& text, const std::string& place = "master-02-demo=") {
  const egt::testing::TemporaryDirectory folder;
  const auto result = egt::testing::run({EGTRACE_BINARY, "pcap", std::string(EGTRACE_SOURCE_DIR) + "/samples/egressip-secondary",
                                         place + folder.file(name, text), "--format", "json", "-q"});
  return Json::parse(result.out, nullptr, false);
}

const std::string kStartup =
    R"({"common":{"timestamp":1},"startup":{"retis_version":"1.6.4","clock_monotonic_offset":{"sec":1700000000,"nsec":0}}})"
    "\n";

struct Packet {
  std::string src = "10.132.0.13", dst = "192.168.55.13";
  int sport = 40000, dport = 80, flags = 2;
  long long seq = 7, ack = 0;
  int ttl = 64;
};

// An event in the form of 1.5; `more`: its further sections.
std::string event(long long time, const std::string& symbol, const std::string& device, const Packet& p,
                  const std::string& more = "", long long netns = 4026531840) {
  const auto text = [](auto number) { return std::to_string(number); };
  return R"({"common":{"timestamp":)" + text(time) + R"(},"kernel":{"symbol":")" + symbol +
         R"(","probe_type":"raw_tracepoint"},"skb":{"ip":{"saddr":")" + p.src + R"(","daddr":")" + p.dst +
         R"(","v4":{"offset":0},"protocol":6,"len":40,"ttl":)" + text(p.ttl) + R"(},"tcp":{"sport":)" + text(p.sport) +
         R"(,"dport":)" + text(p.dport) + R"(,"seq":)" + text(p.seq) + R"(,"ack_seq":)" + text(p.ack) + R"(,"doff":5,"flags":)" +
         text(p.flags) + R"(},"dev":{"name":")" + device + R"(","ifindex":0},"ns":{"netns":)" + text(netns) +
         R"(}},"skb-tracking":{"orig_head":99,"timestamp":)" + text(p.seq) + R"(,"skb":1})" + (more.empty() ? "" : "," + more) +
         "}\n";
}

const std::string kPod = "ce3e4c21937ca06", kManagement = "ovn-k8s-mp0";

Packet translated() {
  Packet p;
  p.src = "192.168.66.100";
  p.ttl = 62;
  return p;
}

const Json* event_with(const Json& flow, const std::string& symbol) {
  for (const Json& e : flow["events"])
    if (e["symbol"] == symbol) return &e;
  return nullptr;
}

std::string where(const Json& flow, const std::string& symbol) {
  const Json* e = event_with(flow, symbol);
  if (e == nullptr) return "no such event";
  return (*e)["hop"].is_null() ? (*e)["unexplained"].get<std::string>() : (*e)["hop"]["where"].get<std::string>();
}

TEST(Events, StandAtHops) {
  const Json j = study(
      "retis.json",
      kStartup + event(1000, "net:netif_receive_skb", kPod, {}) +
          event(1010, "openvswitch:ovs_dp_upcall", kPod, {}, R"("ovs":{"event_type":"upcall","cmd":1,"port":1,"cpu":0})") +
          event(1020, "openvswitch:ovs_do_execute_action", kPod, {},
                R"("ovs":{"event_type":"action_execute","action":"ct","zone_id":20,"recirc_id":0,"queue_id":5})") +
          event(1040, "net:netif_receive_skb", kManagement, {}) + event(1050, "ip_forward", kManagement, {}) +
          event(1060, "__nft_trace_packet", kManagement, {},
                R"("nft":{"table_name":"filter","chain_name":"FORWARD","verdict":"accept","rule_handle":3,"policy":false})") +
          event(1070, "neigh_resolve_output", "br-ex", translated()) +
          event(1080, "net:net_dev_start_xmit", "enp1s0", translated()) + event(1090, "some_function", "enp1s0", translated()));
  ASSERT_EQ(1u, j["flows"].size()) << j.dump(1);
  const Json& f = j["flows"][0];
  EXPECT_EQ("pod", f["from"]["kind"]);
  ASSERT_EQ(9u, f["events"].size()) << f["events"].dump(1);
  EXPECT_EQ("br-int", f["events"][0]["hop"]["where"]);
  EXPECT_EQ("br-int", where(f, "openvswitch:ovs_dp_upcall"));
  EXPECT_EQ("br-int conntrack zone 20", where(f, "openvswitch:ovs_do_execute_action"));
  EXPECT_EQ("ovn-k8s-mp0", f["events"][3]["hop"]["where"]);
  EXPECT_EQ("ip rule 6000, table 1004", where(f, "ip_forward"));
  EXPECT_EQ("iptables filter FORWARD", where(f, "__nft_trace_packet"));
  EXPECT_EQ("br-ex", where(f, "neigh_resolve_output"));
  EXPECT_EQ("br-ex", where(f, "net:net_dev_start_xmit"));
  EXPECT_EQ("the stage of some_function is not known", where(f, "some_function"));
  EXPECT_FALSE(f["events"][4]["hop"]["evidence"].empty());
  // No reply was traced; but a tracer shows only what its probes meet.
  EXPECT_EQ("unexplained", f["fate"]) << f["why"];
}

TEST(Events, ADropIsWhereThePacketWasLost) {
  const Json j = study("retis.json", kStartup + event(1000, "net:netif_receive_skb", kPod, {}) +
                                         event(1050, "skb:kfree_skb", kManagement, {},
                                               R"("skb-drop":{"subsys":null,"drop_reason":"NETFILTER_DROP"})"));
  ASSERT_EQ(1u, j["flows"].size());
  const Json& f = j["flows"][0];
  EXPECT_EQ("lost", f["fate"]);
  EXPECT_EQ("forward", f["direction"]);
  EXPECT_EQ("master-02-demo", f["last_seen"]["node"]);
  EXPECT_NE(std::string::npos, f["why"].get<std::string>().find("by the dumps it goes on there")) << f["why"];
  const Json& drop = (*event_with(f, "skb:kfree_skb"))["drop"];
  EXPECT_EQ("NETFILTER_DROP", drop["reason"]);
  EXPECT_FALSE(drop["predicted"]);
  EXPECT_TRUE(drop["ends_flow"]);
  EXPECT_NE(std::string::npos, drop["meaning"].get<std::string>().find("nftables"));
}

TEST(Events, ADropOfOpenVSwitchIsAtTheSwitch) {
  const Json j = study("retis.json", kStartup + event(1000, "net:netif_receive_skb", kPod, {}) +
                                         event(1050, "skb:kfree_skb", kPod, {},
                                               R"("skb-drop":{"subsys":"openvswitch","drop_reason":"OVS_DROP_METER"})"));
  const Json& f = j["flows"][0];
  EXPECT_EQ("lost", f["fate"]);
  EXPECT_EQ("br-int", where(f, "skb:kfree_skb"));
  EXPECT_EQ(Json({"master-02-demo/" + kPod, "master-02-demo/" + kPod}), f["lost_between"]);
  EXPECT_EQ("openvswitch", (*event_with(f, "skb:kfree_skb"))["drop"]["subsystem"]);
}

TEST(Events, DumpsDoNotTellOfFullQueues) {
  const Json j =
      study("retis.json", kStartup + event(1000, "net:netif_receive_skb", kPod, {}) +
                              event(1050, "skb:kfree_skb", kManagement, {}, R"("skb-drop":{"drop_reason":"CPU_BACKLOG"})"));
  const Json& f = j["flows"][0];
  EXPECT_EQ("lost", f["fate"]);
  EXPECT_TRUE((*event_with(f, "skb:kfree_skb"))["drop"]["predicted"].is_null());
  EXPECT_EQ(std::string::npos, f["why"].get<std::string>().find("by the dumps")) << f["why"];
}

TEST(Events, AReplyThatIsDroppedIsLost) {
  Packet reply;
  std::swap(reply.src, reply.dst);
  std::swap(reply.sport, reply.dport);
  reply.flags = 0x12, reply.seq = 90, reply.ack = 8;
  const Json j =
      study("retis.json", kStartup + event(1000, "ip_forward", kManagement, {}) +
                              event(2000, "skb:kfree_skb", kManagement, reply, R"("skb-drop":{"drop_reason":"NETFILTER_DROP"})"));
  ASSERT_EQ(1u, j["flows"].size());
  EXPECT_EQ("lost", j["flows"][0]["fate"]) << j["flows"][0]["why"];
  EXPECT_EQ("reply", j["flows"][0]["direction"]);
}

TEST(Events, ADropAloneIsEnough) {
  const Json j = study("retis.json",
                       kStartup + event(1050, "skb:kfree_skb", kManagement, {}, R"("skb-drop":{"drop_reason":"IP_RPFILTER"})"));
  ASSERT_EQ(1u, j["flows"].size());
  EXPECT_EQ("lost", j["flows"][0]["fate"]);
  EXPECT_EQ("ip rule 6000, table 1004", where(j["flows"][0], "skb:kfree_skb"));
}

TEST(Events, CountersOfTheNodeTellOfTheDrop) {
  const egt::testing::TemporaryDirectory folder;
  std::filesystem::copy(std::string(EGTRACE_SOURCE_DIR) + "/samples/egressip-secondary", folder.path() + "/dumps",
                        std::filesystem::copy_options::recursive);
  folder.file("dumps/master-02-demo/nstat_-az",
              "#kernel\nIpInReceives 12 0.0\nTcpExtListenDrops 3 0.0\nTcpExtIPReversePathFilter 7 0.0\n");
  const std::string events = folder.file(
      "retis.json", kStartup + event(1050, "skb:kfree_skb", kManagement, {}, R"("skb-drop":{"drop_reason":"IP_RPFILTER"})"));
  const auto result =
      egt::testing::run({EGTRACE_BINARY, "pcap", folder.path() + "/dumps", "master-02-demo=" + events, "--format", "json", "-q"});
  const Json j = Json::parse(result.out, nullptr, false);
  ASSERT_EQ(1u, j["flows"].size());
  const Json& counters = j["flows"][0]["counters"];
  ASSERT_EQ(1u, counters.size()) << j["flows"][0].dump(1);
  EXPECT_EQ("TcpExtIPReversePathFilter", counters[0]["name"]);
  EXPECT_EQ(7, counters[0]["value"]);
  EXPECT_EQ(4, counters[0]["evidence"][0]["line"]);
}

TEST(Events, ACopyThatIsDroppedEndsNothing) {
  const Json j = study("retis.json", kStartup + event(1000, "net:netif_receive_skb", kPod, {}) +
                                         event(1001, "skb:kfree_skb", kPod, {}, R"("skb-drop":{"drop_reason":"OTHERHOST"})") +
                                         event(1002, "skb:kfree_skb", kPod, {}, R"("skb-drop":{"drop_reason":"NOT_SPECIFIED"})"));
  ASSERT_EQ(1u, j["flows"].size());
  EXPECT_EQ("unexplained", j["flows"][0]["fate"]);
}

TEST(Events, ThePodsOwnStackIsBeforeTheFirstHop) {
  const Json j = study("retis.json", kStartup + event(990, "ip_output", "eth0", {}, "", 4026539999) +
                                         event(1000, "net:netif_receive_skb", kPod, {}) +
                                         event(1040, "net:netif_receive_skb", kManagement, {}));
  const Json* e = event_with(j["flows"][0], "ip_output");
  ASSERT_NE(nullptr, e);
  EXPECT_EQ(4026539999, (*e)["netns"]);
  EXPECT_EQ("br-int", (*e)["hop"]["where"]);
}

TEST(Events, AnsweredFlowsStayAnswered) {
  Packet reply;
  std::swap(reply.src, reply.dst);
  std::swap(reply.sport, reply.dport);
  reply.flags = 0x12, reply.seq = 90, reply.ack = 8;
  const Json j = study("retis.json", kStartup + event(1000, "net:netif_receive_skb", kPod, {}) +
                                         event(2000, "net:net_dev_start_xmit", kPod, reply) +
                                         event(2001, "skb:kfree_skb", kPod, reply, R"("skb-drop":{"drop_reason":"QDISC_DROP"})"));
  ASSERT_EQ(1u, j["flows"].size());
  EXPECT_EQ("answered", j["flows"][0]["fate"]) << j["flows"][0]["why"];
}

TEST(Events, WhereNobodyKnowsTheNodeEventsAreUnexplained) {
  Packet p;
  p.src = "198.51.100.1", p.dst = "198.51.100.2";
  const Json j = study("events.json", kStartup + event(1000, "ip_rcv", "eth9", p), "");
  ASSERT_EQ(1u, j["flows"].size());
  EXPECT_TRUE(j["flows"][0]["events"][0]["hop"].is_null());
  EXPECT_NE("", j["flows"][0]["events"][0]["unexplained"]);
}

TEST(Events, PwruSaysWhereItWasDropped) {
  const Json j =
      study("pwru.txt",
            "SKB                CPU PROCESS          NETNS      MARK/x        IFACE       PROTO  MTU   LEN   TUPLE FUNC\n"
            "0xffff9d8b80a7e400 3   curl:7           4026531840 0        ovn-k8s-mp0:6    0x0800 1400  60    "
            "10.132.0.13:40000->192.168.55.13:80(tcp) ip_rcv\n"
            "0xffff9d8b80a7e400 3   curl:7           4026531840 0        ovn-k8s-mp0:6    0x0800 1400  60    "
            "10.132.0.13:40000->192.168.55.13:80(tcp) kfree_skb_reason(SKB_DROP_REASON_IP_RPFILTER)\n");
  ASSERT_EQ(1u, j["flows"].size());
  const Json& f = j["flows"][0];
  EXPECT_EQ("lost", f["fate"]) << f["why"];
  EXPECT_EQ("ip rule 6000, table 1004", where(f, "ip_rcv"));
  EXPECT_EQ("IP_RPFILTER", (*event_with(f, "kfree_skb_reason"))["drop"]["reason"]);
}

}  // namespace
