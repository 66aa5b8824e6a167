#include "ttl.h"

#include "controllers.h"
#include "packet_fields.h"

namespace egt::engine::ofproto {
namespace {

constexpr PacketIn kInvalidTtl(reason::invalid_ttl, 0xffff);

// `present`: the packet has the header.
bool dec_header_ttl(XlateContext& c, F field, bool present, Remark exception) {
  FlowKey& flow = c.packet.flow;
  if (present) {
    mask_all(*c.packet.wc, field);
    const auto ttl = get(flow, field);
    if (ttl > 1) {
      flow.set(field, ttl - 1);
      return false;
    }
    to_controller(c, kInvalidTtl);
  }
  c.report.note(NodeKind::warning, exception);
  return true;
}

}  // namespace

bool dec_ttl(XlateContext& c, const openflow::DecTtl& a) {
  FlowKey& flow = c.packet.flow;
  mask_all(*c.packet.wc, F::nw_ttl);
  mask_bits(*c.packet.wc, F::nw_proto, 0xff);
  if (!is_ip_any(flow)) return false;
  const auto ttl = get(flow, F::nw_ttl);
  if (ttl > 1) {
    flow.set(F::nw_ttl, ttl - 1);
    return false;
  }
  if (a.controllers.empty()) to_controller(c, kInvalidTtl);
  for (const std::uint16_t id : a.controllers) to_controller(c, {reason::invalid_ttl, 0xffff, id});
  c.report.note(NodeKind::warning, Remark::ttl_exception, get(flow, F::eth_type) == ethertype::ipv4 ? 4 : 6);
  return true;
}

bool dec_mpls_ttl(XlateContext& c) {
  return dec_header_ttl(c, F::mpls_ttl, is_mpls(get(c.packet.flow, F::eth_type)), Remark::mpls_ttl_exception);
}

bool dec_nsh_ttl(XlateContext& c) {
  const FlowKey& flow = c.packet.flow;
  const bool present = get(flow, F::packet_type) == packet_type::nsh || get(flow, F::eth_type) == ethertype::nsh;
  return dec_header_ttl(c, F::nsh_ttl, present, Remark::nsh_ttl_exception);
}

}  // namespace egt::engine::ofproto
