// Microflows as ofproto/trace takes and refuses them: the same ones, in the same words.
#include <gtest/gtest.h>

#include <string>

#include "egtrace/parsers/ovs_ofctl.h"
#include "daemon.h"
#include "support/run.h"

namespace egt::testing {
namespace {

constexpr const char* kMicroflows[] = {
    // Taken.
    "in_port=99,ip", "in_port=LOCAL,ip", "in_port=controller,ip", "in_port=none", "in_port=p1", "in_port=\"p1\"",
    "tcp tcp_src=80 tcp_dst=90", "tcp:5,in_port:2", "in_port=1,,ip", "ip,nw_proto=6,tcp_src=3",
    "dl_type=0x800,nw_src=1.2.3.4", "eth_type=0x0800,ip_src=1.2.3.4", "dl_vlan=5,vlan_pcp=2", "dl_vlan_pcp=2", "vlan_vid=5",
    "dl_vlan=0xffff", "ip,ct_state=trk|est,ct_nw_src=1.2.3.4", "ip,nw_frag=no", "ip,nw_frag=later",
    "tcp,tcp_flags=syn|ack", "tcp,tcp_flags=0x12", "tun_id=5,tun_src=1.2.3.4,tun_dst=1.2.3.5", "arp,arp_spa=1.2.3.4",
    "icmp6,icmpv6_type=135,nd_target=fe80::1", "recirc_id=5,ip", "ip,nw_tos=40", "ip,ip_dscp=10", "reg0=0x1/0xffffffff",
    // Refused: fields.
    "in_port=1,foo=3", "1", "in_port=1,priority=5,ip", "in_port=1,table=3", "in_port=1,actions=drop", "eth,in_port=1",
    "NXM_NX_REG0=5", "in_port=1;ip",
    // What they need, and what was told before.
    "in_port=1,nw_src=10.0.0.1", "in_port=1,tp_src=80", "udp,tp_src=5", "tcp,udp_src=5", "icmp,tp_src=5",
    "vlan_pcp=2", "ip,ct_nw_src=10.0.0.1", "tcp,nw_frag=later,tp_src=4", "arp,nw_src=1.2.3.4", "icmp6,nd_target=fe80::1",
    "tcp,ip", "ip,nw_proto=6,nw_proto=17", "in_port=1,in_port=2", "reg0=2,xreg0=1",
    // Values.
    "in_port=foo,ip", "in_port", "in_port=-1", "ip,nw_src=10.0.0.1/33", "ip,nw_src=", "ip,nw_src=1.2.3", "tcp,tp_src=70000",
    "tcp,tp_src=http", "tcp,tcp_flags=+foo", "dl_src=00:11:22:33:44", "dl_type=0x10000", "reg0=0x1ffffffff", "reg0=abc",
    "ct_state=+foo", "ct_state=foo", "ct_zone=70000", "ipv6,ipv6_src=zz::1", "icmp,icmp_type=300", "arp,arp_op=70000",
    "ip,nw_frag=maybe", "ip,nw_ttl=256", "tun_id=", "vlan_tci=0x10000", "vlan_tci=0x1005/0x10000",
    // Masks.
    "dl_src=00:11:22:33:44:55/ff:ff:ff:00:00:00", "ip,nw_dst=10.0.0.0/24", "ct_mark=0x1/0x1", "ct_state=+trk+new",
    "tcp,tcp_flags=+syn", "ip,nw_frag=yes",
};

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

TEST(Microflow, IsTakenAndRefusedAsByTheSwitch) {
  if (!Daemon::installed()) GTEST_SKIP() << "ovs-vswitchd is not installed";
  const TemporaryDirectory directory;
  Daemon daemon(directory.path());
  ASSERT_TRUE(daemon.good());
  daemon.vsctl({"add-br", "br0", "--", "set", "bridge", "br0", "datapath-type=dummy", "fail-mode=secure", "--", "add-port",
                "br0", "p1", "--", "set", "interface", "p1", "type=dummy", "ofport_request=1"});
  const auto ports = [](std::string_view name) {
    return name == "p1" ? std::optional<std::uint32_t>(1) : std::nullopt;
  };
  for (const std::string flow : kMicroflows) {
    const std::string told = first_line(daemon.appctl("ofproto/trace", {"br0", flow}));
    const auto key = parsers::parse_flow_key(flow, ports);
    if (key) EXPECT_TRUE(told.starts_with("Flow: ")) << flow << ": " << told;
    else EXPECT_EQ("Bad openflow flow syntax: " + key.error().message, told);
  }
}

}  // namespace
}  // namespace egt::testing
