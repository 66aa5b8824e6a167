#include "egtrace/packet/flow_key.h"

#include <gtest/gtest.h>

#include "egtrace/packet/packet.h"

namespace egt {
namespace {

using F = FieldId;

TEST(FlowKey, RegistersOverlapAsInOpenVSwitch) {
  FlowKey k;
  k.set(F::reg0, 0x11111111);
  k.set(F::reg1, 0x22222222);
  k.set(F::reg2, 0x33333333);
  k.set(F::reg3, 0x44444444);
  EXPECT_EQ(k.get(F::xreg0), 0x1111111122222222u);
  EXPECT_EQ(k.get(F::xreg1), 0x3333333344444444u);
  EXPECT_EQ(k.get(F::xxreg0), make_u128(0x1111111122222222, 0x3333333344444444));
  EXPECT_EQ(k.get(Subfield{F::xxreg0, 96, 32}), 0x11111111u);
  EXPECT_EQ(k.get(Subfield{F::xxreg0, 60, 8}), 0x23u);  // across the middle
  k.set(Subfield{F::xxreg0, 60, 8}, 0xab);
  EXPECT_EQ(k.get(F::reg1), 0x2222222au);
  EXPECT_EQ(k.get(F::reg2), 0xb3333333u);
  k.set(F::xxreg3, make_u128(0x0102030405060708, 0x090a0b0c0d0e0f10));
  EXPECT_EQ(k.get(F::reg12), 0x01020304u);
  EXPECT_EQ(k.get(F::reg15), 0x0d0e0f10u);
}

TEST(FlowKey, HeadersShareStorage) {
  FlowKey k;
  k.set(F::tcp_src, 1000);
  EXPECT_EQ(k.get(F::tp_src), 1000u);
  EXPECT_EQ(k.get(F::udp_src), 1000u);
  k.set(F::icmp_type, 8);
  EXPECT_EQ(k.get(F::icmpv6_type), 8u);
  k.set(F::arp_spa, 0x0a000001);
  EXPECT_EQ(k.get(F::ip_src), 0x0a000001u);
  k.set(F::arp_op, 2);
  EXPECT_EQ(k.get(F::nw_proto), 2u);
}

TEST(FlowKey, TosLeavesEcnAlone) {
  FlowKey k;
  k.set(F::nw_ecn, 3);
  k.set(F::nw_tos, 184);
  EXPECT_EQ(k.get(F::ip_dscp), 46u);
  EXPECT_EQ(k.get(F::nw_ecn), 3u);
  EXPECT_EQ(k.get(F::nw_tos), 184u);
}

TEST(FlowKey, WritingAVlanTagMarksItPresent) {
  FlowKey k;
  k.set(F::dl_vlan, 5);
  EXPECT_EQ(k.get(F::vlan_tci), 0x1005u);
  k.set(F::dl_vlan_pcp, 3);
  EXPECT_EQ(k.get(F::vlan_tci), 0x7005u);
  k.set(F::dl_vlan, 0xffff);
  EXPECT_EQ(k.get(F::vlan_tci), 0u);
  k.set(F::vlan_vid, 0x1007);
  EXPECT_EQ(k.get(F::vlan_tci), 0x1007u);
  k.set(whole(F::vlan_vid), 9);
  EXPECT_EQ(k.get(F::vlan_tci), 0x1009u);
}

TEST(FlowKey, ReservedPortsHaveSixteenBits) {
  FlowKey k;
  k.set(F::in_port_oxm, 0xfffffffe);
  EXPECT_EQ(k.get(F::in_port), 0xfffeu);
  k.set(Subfield{F::in_port, 0, 16}, 0xffff);
  EXPECT_EQ(k.get(F::in_port_oxm), 0xffffu);
}

TEST(FlowKey, CutsExcessBitsAndBrokenSubfields) {
  FlowKey k;
  k.set(F::nw_ttl, 0x1ff);
  EXPECT_EQ(k.get(F::nw_ttl), 0xffu);
  EXPECT_EQ(k.get(Subfield{F::nw_ttl, 200, 300}), 0u);
  k.set(Subfield{F::ct_label, 120, 300}, ~U128{0});
  EXPECT_EQ(k.get(F::ct_label), U128{0xff} << 120);
}

TEST(FieldTable, FindsEverySpelling) {
  for (const char* name : {"nw_src", "ip_src", "NXM_OF_IP_SRC", "OXM_OF_IPV4_SRC"}) {
    ASSERT_NE(find_field(name), nullptr) << name;
    EXPECT_EQ(find_field(name)->id, F::ip_src) << name;
  }
  EXPECT_EQ(find_field("dl_dst")->id, F::eth_dst);
  EXPECT_EQ(find_field("dl_dst")->set_name, "eth_dst");
  EXPECT_EQ(find_field("tp_src")->id, F::tp_src);
  EXPECT_EQ(find_field("tcp_src")->id, F::tcp_src);
  EXPECT_EQ(find_field("tunnel_id")->id, F::tun_id);
  EXPECT_EQ(find_field("NXM_NX_REG13")->id, F::reg13);
  EXPECT_EQ(find_field("nonsense"), nullptr);
  EXPECT_EQ(find_field(""), nullptr);
}

TEST(FieldTable, EveryFieldIsFoundByItsNames) {
  for (unsigned i = 0; i < static_cast<unsigned>(F::count_); ++i) {
    const Field& f = field(static_cast<F>(i));
    ASSERT_NE(find_field(f.name), nullptr) << f.name;
    EXPECT_EQ(find_field(f.name)->id, f.id) << f.name;
    if (!f.nxm_name.empty()) {
      EXPECT_EQ(find_field(f.nxm_name)->id, f.id) << f.nxm_name;
    }
    if (f.oxm_header != 0) {
      EXPECT_EQ(find_field_by_oxm(f.oxm_header)->id, f.id) << f.name;
    }
  }
}

TEST(FieldTable, FindsByWireHeader) {
  EXPECT_EQ(find_field_by_oxm(0x00010004)->id, F::reg0);  // NXM_NX_REG0
  EXPECT_EQ(find_field_by_oxm(0x00010204)->id, F::reg1);
  EXPECT_EQ(find_field_by_oxm(0x80001604)->id, F::ip_src);  // OXM_OF_IPV4_SRC
  EXPECT_EQ(find_field_by_oxm(0x80000408)->id, F::metadata);
  EXPECT_EQ(find_field_by_oxm(0x00000002)->id, F::in_port);  // NXM_OF_IN_PORT
  EXPECT_EQ(find_field_by_oxm(0x00011f08)->bits, field(find_field_by_oxm(0x00011f08)->id).bits);
  EXPECT_EQ(find_field_by_oxm(0x7fff0000), nullptr);
}

TEST(DifferingFields, NamesTheFieldsThatThePacketHas) {
  FlowKey a, b;
  a.set(F::eth_type, ethertype::ipv4);
  b = a;
  EXPECT_TRUE(differing_fields(a, b).empty());
  b.set(F::xreg0, 1);
  b.set(F::ip_src, 7);
  EXPECT_EQ(differing_fields(a, b), (std::vector{F::reg1, F::ip_src}));
  a.set(F::eth_type, ethertype::arp);
  b = a;
  b.set(F::arp_tpa, 7);
  EXPECT_EQ(differing_fields(a, b), std::vector{F::arp_tpa});
}

TEST(FlowKey, TellsDifferencesInTheOrderOfTheFields) {
  FlowKey a, b;
  b.set(F::icmp_id, 1);
  b.set(F::tun_metadata0, U128{1} << 100);
  b.set(F::reg3, 7);
  b.set(F::conj_id, 9);
  b.set(F::ct_label, (U128{1} << 90) | 1);
  EXPECT_EQ(differing_fields(a, b), (std::vector{F::conj_id, F::tun_metadata0, F::ct_label, F::reg3, F::icmp_id}));
  EXPECT_EQ(differing_fields(a, b, words_of(F::ct_label)), std::vector{F::ct_label});
  EXPECT_EQ(differing_fields(a, b, words_of(F::xxreg0)), std::vector{F::reg3});
  EXPECT_TRUE(differing_fields(a, b, words_of(F::reg0)).empty());
}

FlowKey tcp_packet() {
  FlowKey k;
  k.set(F::eth_type, ethertype::ipv4);
  k.set(F::nw_proto, ip_proto::tcp);
  k.set(F::ip_src, 0x0a000001);
  k.set(F::ip_dst, 0x0a000002);
  k.set(F::tp_src, 1000);
  k.set(F::tp_dst, 80);
  return k;
}

TEST(Packet, TuplesTurnAround) {
  FlowKey k = tcp_packet();
  const Tuple t = tuple_of(k);
  EXPECT_EQ(t.dport, 80);
  const Tuple back = reversed(t);
  EXPECT_EQ(back.src, IpAddr::v4(0x0a000002));
  EXPECT_EQ(back.sport, 80);
  EXPECT_EQ(reversed(back), t);
  set_tuple(k, back);
  EXPECT_EQ(tuple_of(k), back);
}

TEST(Packet, AnEchoIsAConnectionByItsIdentifier) {
  FlowKey k = tcp_packet();
  k.set(F::nw_proto, ip_proto::icmp);
  k.set(F::icmp_type, 8);
  k.set(F::icmp_code, 0);
  k.set(F::icmp_id, 77);
  const Tuple t = tuple_of(k);
  EXPECT_EQ(t.sport, 77);
  EXPECT_EQ(t.dport, 77);
  EXPECT_EQ(reversed(t).icmp_type, 0);
  k.set(F::icmp_type, 3);
  EXPECT_EQ(tuple_of(k).sport, 0);
}

TEST(Packet, ALaterFragmentHasNoPorts) {
  FlowKey k = tcp_packet();
  k.set(F::ip_frag, ip_frag::any | ip_frag::later);
  EXPECT_FALSE(has_ports(k));
  EXPECT_EQ(tuple_of(k).dport, 0);
}

TEST(Packet, ClearingThePipelineKeepsHeadersAndMark) {
  FlowKey k = tcp_packet();
  const FlowKey headers = k;
  for (const F id : {F::reg0, F::reg15, F::metadata, F::in_port, F::conj_id, F::tun_id, F::tun_metadata7, F::ct_state,
                     F::ct_label, F::ct_ipv6_dst, F::ct_tp_dst, F::recirc_id})
    k.set(id, 5);
  k.set(F::pkt_mark, 9);
  clear_pipeline(k);
  EXPECT_EQ(k.get(F::pkt_mark), 9u);
  k.set(F::pkt_mark, 0);
  EXPECT_EQ(k, headers);
}

}  // namespace
}  // namespace egt
