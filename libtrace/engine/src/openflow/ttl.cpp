// TTLs that actions decrement: a packet whose time is over goes to controllers instead.
#include "xlate.h"

namespace egt::engine::ofproto {
namespace {

using namespace openflow;

constexpr std::uint16_t kInvalidTtl = 2;

}  // namespace

bool Xlate::dec_ttl(const DecTtl& a) {
  if (!is_ip_any(packet_.flow)) return false;
  mask_all(*packet_.wc, F::nw_ttl);
  const auto ttl = get(packet_.flow, F::nw_ttl);
  if (ttl > 1) {
    packet_.flow.set(F::nw_ttl, ttl - 1);
    return false;
  }
  if (a.controllers.empty()) to_controller(0xffff, kInvalidTtl, 0, std::nullopt, nullptr);
  for (const std::uint16_t id : a.controllers) to_controller(0xffff, kInvalidTtl, id, std::nullopt, nullptr);
  report_.note(NodeKind::warning, Remark::ttl_exception, get(packet_.flow, F::eth_type) == ethertype::ipv4 ? 4 : 6);
  return true;
}

// Whether it came to an end. `present`: the packet has the header.
bool Xlate::dec_header_ttl(F field, bool present, Remark exception) {
  if (present) {
    mask_all(*packet_.wc, field);
    const auto ttl = get(packet_.flow, field);
    if (ttl > 1) {
      packet_.flow.set(field, ttl - 1);
      return false;
    }
    to_controller(0xffff, kInvalidTtl, 0, std::nullopt, nullptr);
  }
  report_.note(NodeKind::warning, exception);
  return true;
}

bool Xlate::dec_mpls_ttl() {
  return dec_header_ttl(F::mpls_ttl, is_mpls(get(packet_.flow, F::eth_type)), Remark::mpls_ttl_exception);
}

bool Xlate::dec_nsh_ttl() {
  const bool present = get(packet_.flow, F::packet_type) == packet_type::nsh || get(packet_.flow, F::eth_type) == ethertype::nsh;
  return dec_header_ttl(F::nsh_ttl, present, Remark::nsh_ttl_exception);
}

}  // namespace egt::engine::ofproto
