// Actions of the datapath on headers: labels around whole frames.
#include "datapath/executor.h"

#include <gtest/gtest.h>

#include "openflow/packet_fields.h"

namespace egt::engine {
namespace {

namespace packet_type = ofproto::packet_type;
namespace dp = ofproto::dp;

struct NoPorts : DatapathPorts {
  void output(const dp::Port&, const DatapathPacket&, std::size_t) override {}
  void recirculate(std::uint32_t, const DatapathPacket&, std::size_t) override {}
  void to_controller(const dp::ToController&, const DatapathPacket&, std::size_t) override {}
  void track(const dp::Conntrack&, DatapathPacket&, std::size_t, bool) override {}
};

DatapathPacket executed(std::uint16_t uncovered) {
  DatapathPacket packet;
  packet.key.set(FieldId::eth_type, ethertype::ipv4);
  packet.key.set(FieldId::eth_src, 0x0a0000000002);
  packet.key.set(FieldId::ip_src, 0x0a600001);
  dp::Actions actions;
  actions.push_back({dp::PushMpls{0x100, 0x8847, true}, 0});
  actions.push_back({dp::PopMpls{uncovered}, 0});
  NoPorts ports;
  execute(actions, packet, ports);
  return packet;
}

// As ovs-vswitchd sends it: a frame where the action announces an IP packet.
TEST(Executor, AFrameTakenForAPacketShowsNoHeaders) {
  const DatapathPacket packet = executed(ethertype::ipv4);
  EXPECT_TRUE(packet.is_opaque);
}

TEST(Executor, AFrameComesBackWhole) {
  const DatapathPacket packet = executed(0x6558);
  EXPECT_FALSE(packet.is_opaque);
  EXPECT_EQ(packet_type::ethernet, packet.key.u64(FieldId::packet_type));
  EXPECT_EQ(0x0a600001u, packet.key.u64(FieldId::ip_src));
  EXPECT_EQ(ethertype::ipv4, packet.key.u64(FieldId::eth_type));
}

struct Sent : NoPorts {
  void output(const dp::Port&, const DatapathPacket& packet, std::size_t) override { cut_to.push_back(packet.cut_to); }
  std::vector<std::optional<std::int64_t>> cut_to;
};

// As many bytes are cut off as it was too long when the action came, whatever is popped behind that; of one copy alone.
TEST(Executor, AFrameIsCutByWhatItWasTooLong) {
  Sent sent;
  DatapathPacket packet;
  packet.key.set(FieldId::eth_type, ethertype::ipv4);
  packet.key.set(FieldId::vlan_tci, 0x1005);
  const dp::Action truncate{dp::Truncate{64}, 0}, pop{dp::PopVlan{}, 0}, output{dp::Output{}, 0};
  packet.length = {100, packet.key, false};
  execute({truncate, pop, output, output}, packet, sent);
  EXPECT_EQ(sent.cut_to, (std::vector<std::optional<std::int64_t>>{60, std::nullopt}));
  sent.cut_to.clear();
  packet.length = {64, packet.key, false};
  execute({truncate, output}, packet, sent);
  EXPECT_EQ(sent.cut_to, (std::vector<std::optional<std::int64_t>>{std::nullopt}));
}

// dp_packet_resize_l2_5() moves where they begin with the packet.
TEST(Executor, PortsBelowALabelAreWrittenThere) {
  DatapathPacket packet;
  packet.key.set(FieldId::eth_type, ethertype::ipv4);
  packet.key.set(FieldId::nw_proto, ip_proto::tcp);
  packet.key.set(FieldId::tp_dst, 80);
  const dp::Set set{dp::Attribute::tcp, false, {{FieldId::tp_dst, 443, 0xffff}}};
  NoPorts ports;
  execute({{dp::PushMpls{0x100, 0x8847, false}, 0}, {set, 0}}, packet, ports);
  EXPECT_EQ(0u, packet.key.u64(FieldId::tp_dst));
  execute({{dp::PopMpls{ethertype::ipv4}, 0}}, packet, ports);
  EXPECT_EQ(443u, packet.key.u64(FieldId::tp_dst));
}

FlowKey discovery() {
  FlowKey key;
  key.set(FieldId::eth_type, ethertype::ipv6);
  key.set(FieldId::nw_proto, ip_proto::icmp6);
  key.set(FieldId::icmpv6_type, 136);
  key.set(FieldId::nd_target, 7);
  return key;
}

// As a switch does (3.1): 2 with its lowest bit set is 1.
TEST(Executor, ExtensionsOfNeighbourDiscoveryAreWrittenWhole) {
  DatapathPacket packet;
  packet.key = discovery();
  packet.key.set(FieldId::nd_reserved, 0xffffffff);
  packet.key.set(FieldId::nd_options_type, 2);
  const dp::Set set{dp::Attribute::nd_extensions, true, {{FieldId::nd_reserved, 5, 0xf}, {FieldId::nd_options_type, 1, 0x1}}};
  NoPorts ports;
  execute({{set, 0}}, packet, ports);
  EXPECT_EQ(5u, packet.key.u64(FieldId::nd_reserved));
  EXPECT_EQ(1u, packet.key.u64(FieldId::nd_options_type));
}

TEST(Executor, TheFirstOptionOfNeighbourDiscoveryAloneIsWritten) {
  DatapathPacket packet;
  packet.key = discovery();
  packet.key.set(FieldId::nd_options_type, 2);
  packet.key.set(FieldId::nd_sll, 0x0a0000000003);
  const dp::Set set{dp::Attribute::nd, true, {{FieldId::nd_sll, 5, ~U128{0}}, {FieldId::nd_tll, 6, ~U128{0}}}};
  NoPorts ports;
  execute({{set, 0}}, packet, ports);
  EXPECT_EQ(0x0a0000000003u, packet.key.u64(FieldId::nd_sll));
  EXPECT_EQ(6u, packet.key.u64(FieldId::nd_tll));
}

// What parse_icmpv6() reads behind packet_set_nd_ext().
TEST(Executor, AnOptionOfNeighbourDiscoveryIsReadByItsType) {
  const auto retyped = [](std::uint64_t type) {
    DatapathPacket packet;
    packet.key = discovery();
    packet.key.set(FieldId::nd_options_type, 2);
    packet.key.set(FieldId::nd_tll, 0x0a0000000003);
    const dp::Set set{dp::Attribute::nd_extensions, true, {{FieldId::nd_options_type, type, 0xff}}};
    NoPorts ports;
    execute({{set, 0}}, packet, ports);
    return packet.key;
  };
  EXPECT_EQ(0x0a0000000003u, retyped(1).u64(FieldId::nd_sll));
  EXPECT_EQ(0u, retyped(1).u64(FieldId::nd_tll));
  EXPECT_EQ(0x0a0000000003u, retyped(2).u64(FieldId::nd_tll));
  EXPECT_EQ(0u, retyped(3).u64(FieldId::nd_tll));
  EXPECT_EQ(0u, retyped(3).u64(FieldId::nd_options_type));
}

// Two options: the first becomes one of the target and gets its address, as which the second has one already. ovs-vswitchd reads no
// address of such a message.
TEST(Executor, TwoAddressesOfTheTargetAreReadAsNone) {
  DatapathPacket packet;
  packet.key = discovery();
  packet.key.set(FieldId::nd_options_type, 1);
  packet.key.set(FieldId::nd_tll, 0x0180c2000000);
  const dp::Set retype{dp::Attribute::nd_extensions, true, {{FieldId::nd_options_type, 2, 0xff}}};
  const dp::Set readdress{dp::Attribute::nd, true, {{FieldId::nd_tll, 0x0180c200000e, ~U128{0}}}};
  NoPorts ports;
  execute({{retype, 0}}, packet, ports);
  EXPECT_EQ(0x0180c2000000u, packet.key.u64(FieldId::nd_tll));
  execute({{readdress, 0}}, packet, ports);
  EXPECT_EQ(0u, packet.key.u64(FieldId::nd_tll));
  EXPECT_EQ(U128{0}, packet.key.get(FieldId::nd_target));
}

TEST(Executor, NoTypeIsWrittenWhereThereIsNoOption) {
  DatapathPacket packet;
  packet.key = discovery();
  NoPorts ports;
  execute({{dp::Set{dp::Attribute::nd_extensions, true, {{FieldId::nd_options_type, 2, 0xff}}}, 0}}, packet, ports);
  EXPECT_EQ(0u, packet.key.u64(FieldId::nd_options_type));
}

}  // namespace
}  // namespace egt::engine
