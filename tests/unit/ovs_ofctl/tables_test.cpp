// Groups, ports, tunnel options, MAC tables and meters.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/format_fixture.h"

namespace egt::parsers {
namespace {

class Tables : public testing::Test {
 protected:
  Formats formats{ovs_ofctl_formats()};
  cluster::Cluster cluster;

  void prints_back(const std::string& text, std::string_view kind, const std::string& command = {}) {
    const Dump dump = formats.dump(text, command);
    EXPECT_EQ(formats.kind(dump), kind);
    const Printed p = formats.reprint(dump);
    EXPECT_EQ(p.out, text);
    EXPECT_TRUE(p.report.not_understood.empty()) << kind;
    EXPECT_NO_THROW({ [[maybe_unused]] const auto j = nlohmann::json::parse(formats.json(dump)); });
    formats.torment(text, command);
  }
  openflow::Bridge& bridge(const std::string& text, const std::string& command, const std::string& name) {
    report = formats.load(formats.dump(text, command), cluster);
    return *cluster.node("n")->bridge(name);
  }
  Report report;
};

constexpr const char* kGroups15 =
    "OFPST_GROUP_DESC reply (OF1.5) (xid=0x2):\n"
    " group_id=3,type=ff,bucket=bucket_id:0,watch_port:1,actions=output:1,bucket=bucket_id:1,watch_port:\"a-b\",watch_"
    "group:1,actions=output:2,ct(commit,nat(src=1.2.3.4))\n"
    " group_id=2,type=select,selection_method=hash,fields(eth_dst,ip_src=255.255.255.0,tcp_dst),bucket=bucket_id:0,"
    "weight:5,actions=output:1,bucket=bucket_id:1,actions=resubmit(,5)\n"
    " group_id=6,type=select,selection_method=dp_hash,selection_method_param=4294967296,fields=ip_dst,bucket=bucket_id:"
    "0,actions=drop\n"
    " group_id=7,type=indirect\n";

TEST_F(Tables, Groups) {
  prints_back(kGroups15, "ovs-ofctl dump-groups");
  prints_back(
      "OFPST_GROUP_DESC reply (OF1.3) (xid=0x2):\n"
      " group_id=4,type=all,bucket=actions=set_field:0x1->reg0,IN_PORT,bucket=weight:100,actions=ct(commit,table=22,"
      "nat(dst=10.132.0.39:8080))\n",
      "ovs-ofctl dump-groups");
  prints_back("NXST_GROUP_DESC reply (xid=0x2):\n", "ovs-ofctl dump-groups");
  const openflow::Bridge& b = bridge(kGroups15, "ovs-ofctl -O OpenFlow15 dump-groups br-int", "br-int");
  EXPECT_TRUE(b.has_groups);
  ASSERT_EQ(b.groups.size(), 4u);
  const openflow::Group& g = b.groups.at(2);
  EXPECT_EQ(g.type, openflow::Group::Type::select);
  EXPECT_EQ(g.fields, "(eth_dst,ip_src=255.255.255.0,tcp_dst)");
  ASSERT_EQ(g.buckets.size(), 2u);
  EXPECT_EQ(g.buckets[0].weight, 5);
  EXPECT_FALSE(g.buckets[1].weight);
  EXPECT_EQ(g.buckets[1].actions_text, "resubmit(,5)");
  EXPECT_EQ(g.from.line, 3u);
  EXPECT_EQ(b.groups.at(6).selection_param, 4294967296u);
}

TEST_F(Tables, AGroupThatIsNotUnderstoodExists) {
  const openflow::Bridge& b =
      bridge("OFPST_GROUP_DESC reply (OF1.5) (xid=0x2):\n group_id=9,type=strange,bucket=actions=output:1\n",
             "ovs-ofctl dump-groups br-int", "br-int");
  ASSERT_NE(b.groups.find(9), nullptr);
  ASSERT_EQ(b.groups.at(9).buckets.size(), 1u);
  EXPECT_TRUE(std::holds_alternative<openflow::Opaque>(b.groups.at(9).buckets[0].actions.at(0).kind));
  EXPECT_EQ(report.not_understood.size(), 1u);
}

constexpr const char* kShow =
    "OFPT_FEATURES_REPLY (xid=0x2): dpid:0000f6dbd25f9047\n"
    "n_tables:254, n_buffers:0\n"
    "capabilities: FLOW_STATS TABLE_STATS PORT_STATS QUEUE_STATS ARP_MATCH_IP\n"
    "actions: output enqueue set_vlan_vid\n"
    " 1(ovn-k8s-mp0): addr:0a:58:0a:84:00:02\n"
    "     config:     PORT_DOWN\n"
    "     state:      LINK_DOWN\n"
    "     current:    10GB-FD COPPER\n"
    "     speed: 10000 Mbps now, 0 Mbps max\n"
    " 2(patch-br-int-to): addr:9e:82:17:a1:bc:2d\n"
    "     config:     0\n"
    "     state:      0\n"
    " LOCAL(br-odd): addr:b6:e4:e6:d5:3e:46\n"
    "OFPT_GET_CONFIG_REPLY (xid=0x4): frags=normal miss_send_len=0\n";

TEST_F(Tables, Ports) {
  prints_back(kShow, "ovs-ofctl show");
  prints_back(
      "OFPST_PORT_DESC reply (OF1.5) (xid=0x2):\n 1(veth_a): addr:aa:55:aa:55:00:0f\n     config:     0\n     state:   "
      "   LIVE\n",
      "ovs-ofctl dump-ports-desc", "ovs-ofctl dump-ports-desc br0");
  openflow::Bridge named;
  named.name = "br-odd";
  named.interfaces.resize(1);
  named.interfaces[0].name = "patch-br-int-to-br-ex_node";
  cluster.ensure_node("n").bridges.push_back(std::move(named));
  const openflow::Bridge& b = bridge(kShow, "", "br-odd");  // by the local port, though no command shows
  ASSERT_EQ(b.interfaces.size(), 3u);
  EXPECT_EQ(b.by_ofport(2)->name, "patch-br-int-to-br-ex_node");
  EXPECT_TRUE(b.by_ofport(1)->port_down);
  EXPECT_TRUE(b.by_ofport(1)->link_down);
  EXPECT_FALSE(b.by_ofport(2)->port_down);
  EXPECT_EQ(b.by_name("br-odd")->ofport, 0xfffeu);
}

TEST_F(Tables, TunnelOptions) {
  constexpr const char* kMap =
      "NXT_TLV_TABLE_REPLY (OF1.5) (xid=0x2):\n max option space=256 max fields=64\n allocated option space=12\n\n "
      "mapping table:\n"
      "  class  type  length  match field\n ------  ----  ------  --------------\n"
      "  0x102  0x80       4  tun_metadata0\n 0xffff   0x3       8  tun_metadata1\n";
  prints_back(kMap, "ovs-ofctl dump-tlv-map");
  const openflow::Bridge& b = bridge(kMap, "ovs-ofctl dump-tlv-map br-int", "br-int");
  EXPECT_TRUE(b.has_tlv_map);
  ASSERT_EQ(b.tlv_map.size(), 2u);
  EXPECT_EQ(b.tlv_map[0].option_class, 0x102);
  EXPECT_EQ(b.tlv_map[1].index, 1);
  const std::string cut = std::string(kMap).substr(0, std::string(kMap).rfind(" 0xffff"));
  EXPECT_FALSE(bridge(cut, "ovs-ofctl dump-tlv-map br-cut", "br-cut").has_tlv_map);
}

TEST_F(Tables, MacTable) {
  constexpr const char* kFdb =
      " port  VLAN  MAC                Age\n    1     0  52:54:00:3a:76:95  125\nLOCAL   100  00:50:56:8e:2a:31    3\n "
      "   2     0  00:50:56:8e:2a:32  static\n";
  prints_back(kFdb, "ovs-appctl fdb/show");
  const openflow::Bridge& b = bridge(kFdb, "ovs-appctl_fdb.show_br-ex", "br-ex");
  EXPECT_TRUE(b.has_fdb);
  ASSERT_EQ(b.fdb.size(), 3u);
  EXPECT_EQ(b.fdb[1].port, 0xfffeu);
  EXPECT_EQ(b.fdb[1].vlan, 100);
}

// As Open vSwitch 4.0 prints them: one bridge, and all bridges at once, of which br-none has learned nothing.
TEST_F(Tables, MacTablesOfOpenVSwitch4) {
  constexpr const char* kOne = " Port  VLAN  MAC                Age\n    1     0  52:54:00:61:04:12  164\n";
  prints_back(kOne, "ovs-appctl fdb/show");
  EXPECT_EQ(bridge(kOne, "ovs-appctl_fdb.show_br-ex", "br-ex").fdb.size(), 1u);

  constexpr const char* kAll =
      " Bridge            Port  VLAN  MAC                Age\n br-b\n br-external-long     1     5  00:11:22:33:44:55  static\n"
      "                      1     6  00:11:22:33:44:56  static\n br-int               3     0  52:54:00:61:04:14    0\n";
  prints_back(kAll, "ovs-appctl fdb/show");
  const openflow::Bridge& external = bridge(kAll, "ovs-appctl_fdb.show", "br-external-long");
  ASSERT_EQ(external.fdb.size(), 2u);
  EXPECT_EQ(external.fdb[1].vlan, 6);
  const openflow::Bridge& empty = bridge(kAll, "ovs-appctl_fdb.show", "br-b");
  EXPECT_TRUE(empty.has_fdb);
  EXPECT_TRUE(empty.fdb.empty());
  EXPECT_EQ(bridge(kAll, "ovs-appctl_fdb.show", "br-int").fdb.size(), 1u);
}

TEST_F(Tables, Statistics) {
  prints_back(
      "OFPST_METER_CONFIG reply (OF1.3) (xid=0x2):\nmeter=1 kbps burst stats bands=\ntype=drop rate=100 "
      "burst_size=200\n\n"
      "meter=4 pktps bands=\ntype=dscp_remark rate=3 prec_level=1\n",
      "ovs-ofctl dump-meters");
  prints_back(
      "OFPST_METER reply (OF1.5) (xid=0x2):\nmeter:1 flow_count:1 packet_in_count:0 byte_in_count:0 duration:28.299s "
      "bands:\n"
      "0: packet_count:0 byte_count:0\n",
      "ovs-ofctl meter-stats");
  prints_back(
      "OFPST_GROUP reply (OF1.5) (xid=0x6):\n group_id=2,duration=28.235s,ref_count=0,packet_count=0,byte_count=0,"
      "bucket0:packet_count=0,byte_count=0,bucket1:packet_count=0,byte_count=0\n",
      "ovs-ofctl dump-group-stats");
}

}  // namespace
}  // namespace egt::parsers
