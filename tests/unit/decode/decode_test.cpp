#include "egtrace/explain/decode.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace egt::explain {
namespace {

bool shows(std::string_view value, const Meaning& wanted, const DecodeOptions& options = {}) {
  const auto all = decode_value(value, options);
  return std::find(all.begin(), all.end(), wanted) != all.end();
}

// Whether some meaning of that kind holds the words.
bool says(std::string_view value, std::string_view as, std::string_view words, const DecodeOptions& options = {}) {
  for (const Meaning& m : decode_value(value, options))
    if (m.as == as && m.text.find(words) != std::string::npos) return true;
  return false;
}

TEST(Decode, RegisterValuesAreAddresses) {
  EXPECT_TRUE(shows("0x64580003", {"IPv4", "100.88.0.3"}));
  EXPECT_TRUE(says("0x64580003", "OVN-Kubernetes", "node with id 3"));
  EXPECT_TRUE(says("0x64580003", "cookie", "64580003-"));
  EXPECT_TRUE(shows("100.88.0.3", {"hexadecimal", "0x64580003"}));
  EXPECT_TRUE(shows("0xfd970000000000000000000000000003", {"IPv6", "fd97::3"}));
  EXPECT_FALSE(says("0x3", "IPv4", ""));
}

// A node has one address on the transit switch, and two on the transit router of each layer 2 network.
TEST(Decode, TransitAddressesByTheirLength) {
  EXPECT_TRUE(says("100.88.0.8", "OVN-Kubernetes", "transit switch port of the node with id 8"));
  EXPECT_TRUE(says("100.88.0.8", "OVN-Kubernetes", "gateway router of the node with id 4"));
  EXPECT_TRUE(says("100.88.0.8/31", "OVN-Kubernetes", "transit router of a primary layer 2 network"));
  EXPECT_FALSE(says("100.88.0.8/31", "OVN-Kubernetes", "id 8"));
  EXPECT_TRUE(says("100.88.0.9/31", "OVN-Kubernetes", "gateway router of a primary layer 2 network, on the node with id 4"));
  EXPECT_TRUE(says("100.88.0.8/16", "OVN-Kubernetes", "transit switch port of the node with id 8"));
  EXPECT_FALSE(says("100.88.0.8/16", "OVN-Kubernetes", "id 4"));
  EXPECT_TRUE(says("fd97::8/64", "OVN-Kubernetes", "transit switch port of the node with id 8"));
  EXPECT_TRUE(says("fd97::9/127", "OVN-Kubernetes", "on the node with id 4"));
  EXPECT_TRUE(says("192.168.5.2/31", "OVN-Kubernetes", "ClusterNetworkConnect"));
  EXPECT_FALSE(says("192.168.5.2/24", "OVN-Kubernetes", ""));
}

TEST(Decode, WritesOfWideRegisters) {
  EXPECT_TRUE(shows("load:0x64580003->NXM_NX_XXREG0[96..127]", {"reg0", "reg0 = 100.88.0.3"}));
  EXPECT_TRUE(shows("load:0x64400001->NXM_NX_XXREG0[64..95]", {"reg1", "reg1 = 100.64.0.1"}));
  EXPECT_TRUE(shows("set_field:0x64580003->reg0", {"reg0", "reg0 = 100.88.0.3"}));
  EXPECT_TRUE(shows("set_field:0x64580003000000000000000000000000/0xffffffff000000000000000000000000->xxreg0",
                    {"reg0", "reg0 = 100.88.0.3"}));
  EXPECT_TRUE(shows("load:0x1->OXM_OF_PKT_REG4[32..47]", {"reg8", "reg8 = 0x1/0xffff"}));
  EXPECT_TRUE(says("load:0x1->OXM_OF_PKT_REG4[32..47]", "reg8[0..15] on a router", "ECMP group id"));
  EXPECT_TRUE(shows("set_field:0x0a5864580003->xreg0[0..47]", {"MAC", "0a:58:64:58:00:03"}));
  EXPECT_TRUE(says("load:0x1->NXM_NX_XXREG0[102]", "reg0[6] on a switch", "hairpin"));
}

TEST(Decode, FlagsAndPorts) {
  EXPECT_TRUE(says("reg10=0x9", "reg10[0]", "flags.loopback"));
  EXPECT_TRUE(says("reg10=0x9", "reg10[3]", "force_snat_for_lb"));
  EXPECT_FALSE(says("reg10=0x9", "reg10[1]", ""));
  EXPECT_TRUE(says("reg10=0/0x1", "reg10[0]", "= 0"));
  EXPECT_TRUE(says("reg14=0x5", "reg14", "tunnel key) = 5"));
  EXPECT_TRUE(says("reg15=0x8000", "multicast group", "_MC_flood"));
  EXPECT_TRUE(says("metadata=0x5", "metadata", "datapath"));
  EXPECT_TRUE(says("reg0=0x80/0x80", "reg0[7] on a switch", "allow new"));
}

TEST(Decode, Macs) {
  EXPECT_TRUE(shows("0a:58:64:58:00:03", {"IPv4", "100.88.0.3"}));
  EXPECT_TRUE(says("dl_dst=0a:58:0a:84:00:0d", "IPv4", "10.132.0.13"));
  EXPECT_TRUE(says("ff:ff:ff:ff:ff:ff", "MAC", "broadcast"));
  EXPECT_FALSE(says("00:50:56:8e:2a:32", "IPv4", ""));
}

TEST(Decode, ConnectionStates) {
  EXPECT_TRUE(says("+trk-new", "ct_state", "-new+trk (0x20/0x21)"));
  EXPECT_TRUE(says("ct_state=0x2a", "ct_state", "+est"));
  EXPECT_TRUE(says("0x21", "ct_state", "+new"));
  EXPECT_TRUE(says("ct_state=+new+trk", "conntrack", "begins a connection"));
  EXPECT_TRUE(says("trk|est|rpl", "conntrack", "reply direction"));
  EXPECT_TRUE(says("ct_state=0", "conntrack", "not tracked"));
  EXPECT_TRUE(says("new,trk", "ct_state", "+new+trk"));
}

TEST(Decode, Marks) {
  EXPECT_TRUE(says("0x3f0", "packet mark", "EgressIP"));
  EXPECT_TRUE(says("1008", "packet mark", "EgressIP"));
  EXPECT_TRUE(says("pkt_mark=0x2a", "packet mark", "reply"));
  EXPECT_TRUE(says("fwmark 0x1745ec", "packet mark", "table 7"));
  EXPECT_TRUE(says("mark=0x1003", "packet mark", "id 3"));
  EXPECT_TRUE(says("50001", "packet mark", "egressip-mark"));
  EXPECT_FALSE(says("0x1745ed", "packet mark", ""));
}

TEST(Decode, ConnectionMarksAndLabels) {
  EXPECT_TRUE(says("ct_mark=0x2", "connection mark", "host"));
  EXPECT_TRUE(says("ct_mark=0x2/0x2", "ct_mark[1]", "natted"));
  EXPECT_FALSE(says("ct_mark=0x2/0x2", "connection mark", ""));
  EXPECT_TRUE(says("load:0x1->NXM_NX_CT_MARK[3]", "ct_mark[3]", "force_snat"));
  EXPECT_TRUE(says("ct_label=0xa586458000300000000", "ct_label[32..79]", "0a:58:64:58:00:03"));
  EXPECT_TRUE(says("zone=64001", "conntrack zone", "host masquerade"));
}

TEST(Decode, TunnelsAndCookies) {
  EXPECT_TRUE(says("0102800100030001", "Geneve option", "input port key 3, output port key 1"));
  EXPECT_TRUE(says("01 02 80 01 00 03 80 00", "Geneve option", "_MC_flood"));
  EXPECT_TRUE(says("tun_metadata0=0x30001", "Geneve option", "input port key 3"));
  EXPECT_TRUE(says("cookie=0xab12", "cookie", "0000ab12-"));
  EXPECT_TRUE(says("cookie=0xdeff105", "cookie", "external bridge"));
  EXPECT_TRUE(
      shows("7d8c250c-1111-2222-3333-444444444444", {"cookie", "flows of this Southbound row have the cookie 0x7d8c250c"}));
}

TEST(Decode, TablesOfReleases) {
  EXPECT_TRUE(says("table=25", "OpenFlow table of br-int", "lr_in_policy (router ingress, stage 17)", {"25.03"}));
  EXPECT_FALSE(says("table=25", "OpenFlow table of br-int", "lr_in_arp_resolve", {"25.03"}));
  EXPECT_TRUE(says("table=25", "OpenFlow table of br-int", "lr_in_arp_resolve", {"23.06"}));
  EXPECT_TRUE(says("25", "OpenFlow table of br-int", "lr_in_policy"));
  EXPECT_TRUE(says("table=65", "OpenFlow table of br-int", "OFTABLE_LOG_TO_PHY"));
  EXPECT_TRUE(says("lr_in_policy", "OpenFlow table of br-int", "table 23", {"23.03.1"}));
  EXPECT_TRUE(decode_value("table=25", {"19.01"}).empty());
}

TEST(Decode, PatchReleasesDiffer) {
  const auto before = tables_of_name("ls_out_pre_acl", {"23.03.0"}), after = tables_of_name("ls_out_pre_acl", {"23.03.1"});
  ASSERT_EQ(before.size(), 1u);
  ASSERT_EQ(after.size(), 1u);
  EXPECT_EQ(before[0].table, 40u);
  EXPECT_EQ(after[0].table, 42u);
  EXPECT_EQ(tables_of_name("lr_in_arp_request", {"25.03"}).size(), 2u);
  EXPECT_EQ(tables_of_name("lr_in_arp_request", {"25.03.1-38.el9"}).at(0).table, 34u);
}

TEST(Decode, NamesOfNetworks) {
  EXPECT_TRUE(says("ovn-k8s-mp1", "device", "management port of the network with id 1"));
  EXPECT_TRUE(says("svl3.42", "device", "IP-VRF of the network with id 42"));
  EXPECT_TRUE(says("evbr.a3f2b1c9", "device", "bridge of EVPN"));
  EXPECT_TRUE(says("macvrf-cluster_udn_blue_ovn_layer2_switch", "logical port", "towards the host's bridge of EVPN"));
  EXPECT_FALSE(says("macvrf-cluster_udn_blue_ovn_layer2_switch", "logical switch", ""));
  EXPECT_TRUE(says("br-ex_cluster_udn_blue_worker-1", "logical port", "leads to br-ex"));
  EXPECT_TRUE(says("int-worker-1", "logical port", "of the hybrid overlay"));
  EXPECT_TRUE(says("ext-vxlan", "port", "VXLAN 4097"));
  EXPECT_TRUE(says("transit_switch", "logical switch", "between the cluster routers"));
  EXPECT_TRUE(says("mp12-udn-vrf", "device", "VRF of the user-defined network with id 12"));
  EXPECT_TRUE(says("GR_shop.blue_worker-1", "logical router", "gateway router of shop.blue_worker-1"));
  EXPECT_TRUE(says("trtor-shop_blue_worker-1", "logical port", "of the transit router"));
  EXPECT_TRUE(says("shop.blue_shop_web-0", "logical port", "port of pod shop/web-0 on the user-defined network"));
  EXPECT_TRUE(says("shop_web-0", "logical port", "port of pod shop/web-0"));
  EXPECT_TRUE(decode_value("ovn-k8s-mpx").empty());
  EXPECT_TRUE(says("169.254.0.11", "OVN-Kubernetes", "gateway routers of the user-defined network with id 1"));
  EXPECT_TRUE(says("fd69::e", "OVN-Kubernetes", "management ports of the user-defined network with id 2"));
  EXPECT_TRUE(says("169.254.0.2", "OVN-Kubernetes", "how the host appears to OVN"));
}

TEST(Decode, TablesOfTheNextRelease) {
  EXPECT_TRUE(says("table=56", "OpenFlow table of br-int", "OFTABLE_LOCAL_OUTPUT", {"26.09"}));
  EXPECT_TRUE(says("ls_in_arp_nd_pre_lookup", "OpenFlow table of br-int", "table 34", {"26.09"}));
}

TEST(Decode, ListsAndUnknownThings) {
  EXPECT_TRUE(says("reg14=0x5,reg15=0x8001", "multicast group", "_MC_unknown"));
  EXPECT_TRUE(decode_value("").empty());
  EXPECT_TRUE(decode_value("nonsense").empty());
  EXPECT_TRUE(decode_value("load:->").empty());
  EXPECT_TRUE(decode_value("reg0[5..2]=1").empty());
  EXPECT_TRUE(decode_value(std::string(100000, '1')).empty());
}

// As go-controller/pkg/ovn/multihoming_test.go and zone_interconnect have them: the network's key in front of all, also of "tstor-".
TEST(Decode, NamesOfUserDefinedNetworks) {
  EXPECT_TRUE(
      says("isolatednet_tstor-test-node", "logical port", "of the transit switch of the user-defined network isolatednet"));
  EXPECT_TRUE(says("cluster_udn_blue_rtots-w1", "logical port",
                   "user-defined network cluster_udn_blue towards its transit switch, on w1"));
  EXPECT_FALSE(says("isolatednet_tstor-test-node", "logical port", "port of pod"));
  EXPECT_TRUE(says("isolatednet_test-node", "logical switch", "of node test-node on the user-defined network isolatednet"));
  EXPECT_TRUE(says("isolatednet_join", "logical switch", "join switch of the user-defined network isolatednet"));
  EXPECT_TRUE(says("cluster_udn_teal_azure", "logical switch", "of node azure on the user-defined network cluster_udn_teal"));
  EXPECT_FALSE(says("cluster_udn_teal_azure", "network", ""));
  EXPECT_TRUE(says("breth0_isolatednet_test-node", "logical port", "leads to bridge breth0"));
  EXPECT_FALSE(says("breth0_isolatednet_test-node", "logical port", "port of pod"));
  EXPECT_TRUE(says("cr-rtos-isolatednet_test-node", "logical port", "chassisredirect port of rtos-isolatednet_test-node"));
  EXPECT_TRUE(says("isolatednet_clusterLBGroup", "load balancer group", "network isolatednet"));
  EXPECT_TRUE(says("16711685", "tunnel key", "network with id 2"));
  EXPECT_TRUE(says("100.65.0.4", "OVN-Kubernetes", "gateway router of the node with id 4"));
}

TEST(Decode, OwnersOfRows) {
  constexpr std::string_view kId = "default-network-controller:ClusterNodeIPs:node-ips:v4";
  EXPECT_TRUE(says(kId, "external_ids:k8s.ovn.org/id", "addresses of the nodes: node-ips:v4"));
  EXPECT_TRUE(says(kId, "port group or address set", "a1042611113178530741"));
  EXPECT_TRUE(says("a1042611113178530741", "port group or address set", kId));
  EXPECT_TRUE(says("a14465581486240186459", "port group or address set", "hash"));
  EXPECT_FALSE(says("a1", "port group or address set", ""));
}

}  // namespace
}  // namespace egt::explain
