// Microflows as ofproto/trace takes and refuses them: the same ones, in the same words.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "daemon.h"
#include "egtrace/parsers/ovs_ofctl.h"
#include "support/run.h"

namespace egt::testing {
namespace {

constexpr const char* kMicroflows[] = {
    // Taken.
    "in_port=99,ip",
    "in_port=LOCAL,ip",
    "in_port=controller,ip",
    "in_port=none",
    "in_port=p1",
    "in_port=\"p1\"",
    "tcp tcp_src=80 tcp_dst=90",
    "tcp:5,in_port:2",
    "in_port=1,,ip",
    "ip,nw_proto=6,tcp_src=3",
    "dl_type=0x800,nw_src=1.2.3.4",
    "eth_type=0x0800,ip_src=1.2.3.4",
    "dl_vlan=5,vlan_pcp=2",
    "dl_vlan_pcp=2",
    "vlan_vid=5",
    "dl_vlan=0xffff",
    "ip,ct_state=trk|est,ct_nw_src=1.2.3.4",
    "ip,nw_frag=no",
    "ip,nw_frag=later",
    "tcp,tcp_flags=syn|ack",
    "tcp,tcp_flags=0x12",
    "tun_id=5,tun_src=1.2.3.4,tun_dst=1.2.3.5",
    "arp,arp_spa=1.2.3.4",
    "icmp6,icmpv6_type=135,nd_target=fe80::1",
    "recirc_id=5,ip",
    "ip,nw_tos=40",
    "ip,ip_dscp=10",
    "reg0=0x1/0xffffffff",
    // Refused: fields.
    "in_port=1,foo=3",
    "1",
    "in_port=1,priority=5,ip",
    "in_port=1,table=3",
    "in_port=1,actions=drop",
    "eth,in_port=1",
    "NXM_NX_REG0=5",
    "in_port=1;ip",
    // What they need, and what was shown before.
    "in_port=1,nw_src=10.0.0.1",
    "in_port=1,tp_src=80",
    "udp,tp_src=5",
    "tcp,udp_src=5",
    "icmp,tp_src=5",
    "vlan_pcp=2",
    "ip,ct_nw_src=10.0.0.1",
    "tcp,nw_frag=later,tp_src=4",
    "arp,nw_src=1.2.3.4",
    "icmp6,nd_target=fe80::1",
    "tcp,ip",
    "ip,nw_proto=6,nw_proto=17",
    "in_port=1,in_port=2",
    "reg0=2,xreg0=1",
    // Values.
    "in_port=foo,ip",
    "in_port",
    "in_port=-1",
    "ip,nw_src=10.0.0.1/33",
    "ip,nw_src=",
    "ip,nw_src=1.2.3",
    "tcp,tp_src=70000",
    "tcp,tp_src=http",
    "tcp,tcp_flags=+foo",
    "dl_src=00:11:22:33:44",
    "dl_type=0x10000",
    "reg0=0x1ffffffff",
    "reg0=abc",
    "ct_state=+foo",
    "ct_state=foo",
    "ct_zone=70000",
    "ipv6,ipv6_src=zz::1",
    "icmp,icmp_type=300",
    "arp,arp_op=70000",
    "ip,nw_frag=maybe",
    "ip,nw_ttl=256",
    "tun_id=",
    "vlan_tci=0x10000",
    "vlan_tci=0x1005/0x10000",
    // Masks.
    "dl_src=00:11:22:33:44:55/ff:ff:ff:00:00:00",
    "ip,nw_dst=10.0.0.0/24",
    "ct_mark=0x1/0x1",
    "ct_state=+trk+new",
    "tcp,tcp_flags=+syn",
    "ip,nw_frag=yes",
};

constexpr const char* kDatapathFlows[] = {
    "in_port(1),eth(src=00:00:00:00:00:01,dst=00:00:00:00:00:02),eth_type(0x0800),ipv4(src=1.2.3.4,dst=5.6.7.8,proto=6,"
    "tos=0x2,ttl=64,frag=no),tcp(src=1,dst=2)",
    "in_port(1),eth_type(0x0800),ipv4(frag=no)",
    "recirc_id(0),in_port(p2),eth(),eth_type(0x0800),ipv4(src=10.0.0.0/255.0.0.0,frag=no)",
    "in_port(1),eth(),eth_type(0x8100),vlan(vid=5,pcp=3),encap(eth_type(0x0800),ipv4(src=1.2.3.4,proto=17),udp(src=1,dst=2))",
    "in_port(1),eth(),eth_type(0x86dd),ipv6(src=fe80::1,dst=fe80::2,label=0x12345,proto=58,tclass=0xb8,hlimit=255,frag=no),"
    "icmpv6(type=135,code=0),nd(target=fe80::9,sll=00:00:00:00:00:09)",
    "in_port(1),eth(),eth_type(0x0806),arp(sip=1.2.3.4,tip=1.2.3.5,op=1,sha=00:00:00:00:00:01,tha=00:00:00:00:00:00)",
    "skb_priority(0x5),skb_mark(0x7),ct_state(+trk+est),ct_zone(0x5),ct_mark(0x3),ct_label(0x9),in_port(1),eth(),"
    "eth_type(0x0800),ipv4(proto=1,frag=later),icmp(type=8,code=0)",
    "ct_state(0x22/0x2f),in_port(1),eth(),eth_type(0x0800),ipv4(proto=132,frag=first),sctp(src=7,dst=8)",
    "in_port(1)",
    "in_port(1) eth() eth_type(0x0800) tcp_flags(syn)",
    "in_port(1),eth(),eth_type(0x0800),ipv4(proto=6),tcp(src=80,dst=90),tcp_flags(syn|ack)",
    "ct_tuple4(src=1.2.3.4,dst=5.6.7.8,proto=6,tp_src=5,tp_dst=6),ct_state(+trk+est),in_port(1),eth(),eth_type(0x0800),"
    "ipv4(proto=6)",
    "in_port(1),eth(),eth_type(0x8847),mpls(label=5,tc=1,ttl=64,bos=1)",
    "packet_type(ns=0,id=0),in_port(1),eth(src=00:00:00:00:00:01),eth_type(0x1234)",
    "in_port(1),eth(),eth_type(0x0800),ipv4(proto=17),tcp(src=1,dst=2)",
    // Refused.
    "in_port(99),eth(),eth_type(0x0800)",
    "recirc_id(0x5),in_port(1),eth(),eth_type(0x0800)",
    "tunnel(tun_id=0x5,src=1.2.3.4,dst=1.2.3.5,ttl=64,flags(key)),in_port(1),eth(),eth_type(0x0800)",
};

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

TEST(Microflow, IsTakenAndRefusedAsByTheSwitch) {
  if (!Daemon::installed()) GTEST_SKIP() << "ovs-vswitchd is not installed";
  const TemporaryDirectory directory;
  Daemon daemon(directory.path());
  ASSERT_TRUE(daemon.good());
  daemon.vsctl({"add-br", "br0", "--", "set", "bridge", "br0", "datapath-type=dummy", "fail-mode=secure", "--", "add-port", "br0",
                "p1", "--", "set", "interface", "p1", "type=dummy", "ofport_request=1"});
  const auto ports = [](std::string_view name) { return name == "p1" ? std::optional<std::uint32_t>(1) : std::nullopt; };
  for (const std::string flow : kMicroflows) {
    const std::string shown = first_line(daemon.appctl("ofproto/trace", {"br0", flow}));
    const auto key = parsers::parse_flow_key(flow, ports);
    if (key)
      EXPECT_TRUE(shown.starts_with("Flow: ")) << flow << ": " << shown;
    else
      EXPECT_EQ("Bad openflow flow syntax: " + key.error().message, shown);
  }
}

TEST(Microflow, OfTheDatapathGoesTheSwitchesWay) {
  if (!Daemon::installed()) GTEST_SKIP() << "ovs-vswitchd is not installed";
  const TemporaryDirectory directory, snapshot;
  Daemon daemon(directory.path());
  ASSERT_TRUE(daemon.good());
  daemon.vsctl({"add-br", "br0", "--", "set", "bridge", "br0", "datapath-type=dummy", "fail-mode=secure"});
  for (const std::string port : {"1", "2"})
    daemon.vsctl({"add-port", "br0", "p" + port, "--", "set", "interface", "p" + port, "type=dummy", "ofport_request=" + port});
  daemon.ofctl("OpenFlow15", {"add-flow", "br0", "table=0,priority=0,actions=output:2"});
  std::filesystem::create_directories(snapshot.path() + "/n");
  const auto keep = [&](const std::string& name, const std::string& text) { write_file(snapshot.path() + "/n/" + name, text); };
  keep("ovs-ofctl_show_br0", daemon.ofctl_output("OpenFlow10", {"show", "br0"}));
  keep("ovs-ofctl_-O_OpenFlow15_dump-flows_br0", daemon.ofctl_output("OpenFlow15", {"dump-flows", "br0"}));
  keep("ovs-appctl_dpctl_show", daemon.appctl("dpctl/show", {}));
  for (const std::string flow : kDatapathFlows) {
    const std::string shown = daemon.appctl("ofproto/trace", {flow});
    const Ran ran = run({EGTRACE_BINARY, "trace", snapshot.path(), "-q", "--ovs-version", Daemon::version(), flow});
    if (shown.starts_with("Flow: "))
      EXPECT_EQ(ran.out, shown) << flow;
    else
      EXPECT_EQ(first_line(ran.err), "egtrace: " + first_line(shown)) << flow;
  }
}

}  // namespace
}  // namespace egt::testing
