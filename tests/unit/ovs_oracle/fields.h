// The fields of ovs-fields(7): how a value of each is written in a match, in a packet and in an action, and what a flow
// must match before it may use the field.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dice.h"
#include "egtrace/base/u128.h"

namespace egt::testing {

// What a packet is, as far as fields and actions depend on it. A bit is a prerequisite.
namespace kind {
constexpr unsigned any = 0, ip4 = 1, ip6 = 2, tcp = 4, udp = 8, sctp = 16, icmp4 = 32, icmp6 = 64, nd = 128, arp = 256,
                   mpls = 512, vlan = 1024, ip = 2048,  // of either version
    tracked = 4096, nsh = 8192, ethernet = 16384, nd_solicit = 32768, nd_advert = 65536;
}
inline bool has_kinds(unsigned kinds, unsigned needs) { return (kinds & needs) == needs; }

enum class Form : std::uint8_t {
  decimal,
  hexadecimal,
  mac,
  ip4,
  ip6,
  ct_state,
  tcp_flags,
  tunnel_flags,
  fragment,
  port,
  packet_type,
};

struct FieldSpec {
  const char* name;  // in matches and set_field
  const char* nxm;   // in load, move, push, pop; empty: by name
  unsigned bits;
  Form form;
  bool maskable, writable;
  unsigned needs;
  const char* packet_name = nullptr;  // where ofproto/trace wants another word
  const char* match_name = nullptr;   // where matches print another word
};

// With the tunnel options of one of tlv_maps(), as long as it says.
constexpr unsigned kUsualTlvMap = 2;
const std::vector<FieldSpec>& field_specs(unsigned tlv_map = kUsualTlvMap);
const FieldSpec& field_spec(std::string_view name);
inline bool is_tunnel_option(const FieldSpec& f) { return std::string_view(f.name).starts_with("tun_metadata"); }
// Whether an action may name it as a part: some have a name in matches only.
inline bool in_actions(const FieldSpec& f) { return f.nxm[0] != '\0'; }

struct Value {
  U128 value = 0, mask = 0;
};
enum class Masking : std::uint8_t { none, full, partial };
// From a small pool, so that packets meet flows.
Value random_value(Dice& dice, const FieldSpec& f, Masking masking);
std::string text_of(const FieldSpec& f, const Value& v, Masking masking);

}  // namespace egt::testing
