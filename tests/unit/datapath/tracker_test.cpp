// Which packets open a connection: what a running ovs-vswitchd (userspace datapath) and a kernel's nft rules on ct state said
// of each of them.
#include "datapath/tracker.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

namespace egt::engine {
namespace {

FlowKey packet_of(std::uint8_t proto, bool v6 = false) {
  FlowKey k;
  k.set(FieldId::eth_type, v6 ? ethertype::ipv6 : ethertype::ipv4);
  k.set(FieldId::nw_proto, proto);
  set_src_ip(k, v6 ? IpAddr::v6(1) : IpAddr::v4(1));
  set_dst_ip(k, v6 ? IpAddr::v6(2) : IpAddr::v4(2));
  if (proto != ip_proto::icmp && proto != ip_proto::icmp6) k.set(FieldId::tp_src, 1000), k.set(FieldId::tp_dst, 80);
  return k;
}

PacketState state_of(const FlowKey& packet, ConntrackSpace space, std::optional<bool> loose = {}) {
  ConntrackTables tables;
  const Tracked t = Tracker(tables, {"n", space, 0}, {loose}).track(packet);
  EXPECT_EQ(t.opened.has_value(), t.state == PacketState::new_);
  return t.state;
}

std::set<unsigned> that_open(FlowKey packet, FieldId field, unsigned below, ConntrackSpace space,
                             std::optional<bool> loose = {}) {
  std::set<unsigned> open;
  for (unsigned value = field == FieldId::tcp_flags ? 1 : 0; value < below; ++value) {
    packet.set(field, value);
    if (state_of(packet, space, loose) == PacketState::new_) open.insert(value);
  }
  return open;
}

using Values = std::set<unsigned>;

TEST(Tracker, UserspaceOpensWhatOvsVswitchdOpens) {
  const auto space = ConntrackSpace::userspace;
  const Values flags = {0x2, 0x4, 0x10, 0x11, 0x14, 0x15, 0x18, 0x19, 0x1c, 0x1d, 0x30, 0x31, 0x34, 0x35, 0x38, 0x39, 0x3c, 0x3d};
  EXPECT_EQ(that_open(packet_of(ip_proto::tcp), FieldId::tcp_flags, 0x40, space), flags);
  EXPECT_EQ(that_open(packet_of(ip_proto::icmp), FieldId::icmp_type, 45, space), (Values{8, 13, 15}));
  EXPECT_EQ(that_open(packet_of(ip_proto::icmp6, true), FieldId::icmp_type, 160, space), Values{128});
}

TEST(Tracker, PortsOfZeroAreInvalidInUserspace) {
  for (const std::uint8_t proto : {ip_proto::tcp, ip_proto::udp})
    for (const FieldId port : {FieldId::tp_src, FieldId::tp_dst}) {
      FlowKey packet = packet_of(proto);
      packet.set(FieldId::tcp_flags, 2);
      packet.set(port, 0);
      EXPECT_EQ(state_of(packet, ConntrackSpace::userspace), PacketState::invalid);
      EXPECT_EQ(state_of(packet, ConntrackSpace::kernel), PacketState::new_);
    }
}

TEST(Tracker, UserspaceReadsPortsOfSctpSinceRelease32) {
  FlowKey packet = packet_of(ip_proto::sctp);
  packet.set(FieldId::tp_dst, 0);
  ConntrackTables tables;
  const ZoneKey zone{"n", ConntrackSpace::userspace, 0};
  EXPECT_EQ(Tracker(tables, zone, {{}, true}).track(packet).state, PacketState::invalid);
  EXPECT_EQ(Tracker(tables, zone, {{}, false}).track(packet).state, PacketState::new_);
}

TEST(Tracker, EchoesWithACodeAreInvalidInUserspace) {
  for (const auto& [proto, type] :
       {std::pair{ip_proto::icmp, 8}, std::pair{ip_proto::icmp, 13}, std::pair{ip_proto::icmp6, 128}}) {
    FlowKey packet = packet_of(proto, proto == ip_proto::icmp6);
    packet.set(FieldId::icmp_type, static_cast<unsigned>(type));
    EXPECT_EQ(state_of(packet, ConntrackSpace::userspace), PacketState::new_);
    packet.set(FieldId::icmp_code, 5);
    EXPECT_EQ(state_of(packet, ConntrackSpace::userspace), PacketState::invalid);
  }
}

TEST(Tracker, KernelOpensByItsTables) {
  const auto space = ConntrackSpace::kernel;
  EXPECT_EQ(that_open(packet_of(ip_proto::tcp), FieldId::tcp_flags, 0x40, space, false), (Values{0x02, 0x0a, 0x22, 0x2a}));
  EXPECT_EQ(that_open(packet_of(ip_proto::tcp), FieldId::tcp_flags, 0x40, space, true),
            (Values{0x02, 0x0a, 0x10, 0x18, 0x22, 0x2a, 0x30, 0x38}));
  EXPECT_EQ(that_open(packet_of(ip_proto::icmp), FieldId::icmp_type, 45, space), (Values{8, 13, 15, 17}));
  EXPECT_EQ(that_open(packet_of(ip_proto::icmp6, true), FieldId::icmp_type, 160, space), (Values{128, 139}));
  FlowKey discovery = packet_of(ip_proto::icmp6, true);
  Values untracked;
  for (unsigned type = 120; type < 160; ++type) {
    discovery.set(FieldId::icmp_type, type);
    if (state_of(discovery, space) == PacketState::untracked) untracked.insert(type);
  }
  EXPECT_EQ(untracked, (Values{130, 131, 132, 133, 134, 135, 136, 143, 151, 152}));
}

}  // namespace
}  // namespace egt::engine
