// Datapath actions: what a translation comes to (lib/odp-util.c, dpctl(8)). Values are in host order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "egtrace/openflow/bridge.h"
#include "egtrace/packet/packet.h"

namespace egt::engine::ofproto {

// Parts of struct flow that have no name in OpenFlow. They lie in words of a FlowKey that no field uses.
enum class Extra : std::uint8_t {
  vlan_tpid,
  vlan_tpid1,  // Ethernet types of the tags
  mpls_lse1,
  mpls_lse2,         // labels below the outermost
  tun_present,       // a bit for each tun_metadata field that the packet has
  tun_header_flags,  // DF 2, CSUM 4, KEY 8
};
std::uint64_t get(const FlowKey& k, Extra e);
void set(FlowKey& k, Extra e, std::uint64_t value);

namespace dp {

// A datapath port; where no dump shows its number, only its name.
struct Port {
  std::optional<std::uint32_t> number;
  std::string name;
  const openflow::Interface* interface = nullptr;  // the OpenFlow port that the pipeline chose: tunnels share a datapath port
  const openflow::Bridge* bridge = nullptr;
};

struct Action;
using Actions = std::vector<Action>;

enum class Attribute : std::uint8_t {
  ethernet,
  ipv4,
  ipv6,
  arp,
  icmp,
  icmpv6,
  nd,
  nd_extensions,
  tcp,
  udp,
  sctp,
  skb_priority,
  skb_mark,
  mpls,
  nsh,
};
struct SetField {
  FieldId field = FieldId::eth_src;
  U128 value = 0, mask = 0;
};
// `whole`: every field of the header is written and printed; otherwise those with a mask.
struct Set {
  Attribute attribute = Attribute::ethernet;
  bool whole = false;
  std::vector<SetField> fields;
};
struct GeneveOption {
  std::uint16_t option_class = 0;
  std::uint8_t type = 0;
  std::uint8_t length = 0;
  U128 value = 0;
};
struct SetTunnel {
  FlowKey tunnel;              // tun_* fields
  std::uint16_t udp_port = 0;  // 0: not a UDP tunnel
  std::string type;            // geneve, vxlan, …
  std::vector<GeneveOption> options;
};
struct TunnelPush {
  Port tunnel, out;
  std::string type;  // geneve, vxlan, gre
  unsigned vport_type = 0, header_size = 0;
  MacAddr source_mac, destination_mac;
  IpAddr source, destination;
  std::uint8_t tos = 0, ttl = 0, proto = 0;
  bool dont_fragment = false, checksum = false, critical = false, oam = false, with_key = false;
  std::uint16_t udp_port = 0;
  std::uint64_t tunnel_id = 0;
  std::vector<GeneveOption> options;
};
struct Output {
  Port port;
};
struct TunnelPop {
  Port port;
};
struct Recirculate {
  std::uint32_t id = 0;
};
struct Hash {
  bool symmetric_l4 = false;
  std::uint32_t basis = 0;
};
struct ToController {
  const openflow::Controller* action = nullptr;  // null: the switch's own reasons
  std::uint16_t reason = 0, controller_id = 0, max_len = 0;
  bool dont_send = false, continuation = false;
  std::uint32_t recirc_id = 0;
  std::uint64_t cookie = 0;
};
struct PushEthernet {
  MacAddr source, destination;
};
struct PopEthernet {};
struct PushVlan {
  std::uint16_t tpid = 0, tci = 0;
};
struct PopVlan {};
struct PushMpls {
  std::uint32_t lse = 0;
  std::uint16_t ethertype = 0;
  bool add = false;
};
struct PopMpls {
  std::uint16_t ethertype = 0;
};
struct PushNsh {
  FlowKey nsh;
  std::vector<std::uint8_t> metadata;
};
struct PopNsh {
  bool has_fixed_context = true;  // the metadata type of the header is 1
};
struct Sample {
  double probability = 1.0;
  Actions actions;
};
struct Conntrack {
  bool commit = false, force = false, has_nat = false;
  std::uint16_t zone = 0;
  std::optional<std::pair<std::uint32_t, std::uint32_t>> mark;  // value, mask
  std::optional<std::pair<U128, U128>> label;
  std::string helper;
  openflow::Nat nat;
};
struct ConntrackClear {};
struct Clone {
  Actions actions;
};
struct CheckLength {
  std::uint16_t length = 0;
  Actions greater, not_greater;
};
struct Meter {
  std::uint32_t id = 0;
};
struct Truncate {
  std::uint32_t length = 0;
};

struct Action {
  std::variant<Set, SetTunnel, TunnelPush, Output, TunnelPop, Recirculate, Hash, ToController, PushEthernet, PopEthernet,
               PushVlan, PopVlan, PushMpls, PopMpls, PushNsh, PopNsh, Sample, Conntrack, ConntrackClear, Clone, CheckLength,
               Meter, Truncate>
      kind;
  std::size_t origin = 0;  // what the observer of the translation returned when the action was made
};

}  // namespace dp

}  // namespace egt::engine::ofproto
