#include "path_mtu.h"

#include "host_ipsec.h"

namespace egt::engine {
namespace {

// The route's where it has one: an exception that path MTU discovery made, or one that was set (ip-route(8)).
Mtu plain_mtu_of(const TakenRoute& route, const SocketBuffer& skb, const host::Host& host) {
  const IpAddr to = dst_ip(skb.packet);
  for (const host::PathMtu& known : host.path_mtus)
    if (known.to == to && known.device == route.device) return {known.mtu, known.from};
  if (route.answer.route != nullptr && route.answer.route->mtu != 0) return {route.answer.route->mtu, route.answer.route->from};
  const host::Link* link = host.link(route.device);
  return link != nullptr ? Mtu{link->mtu, link->from} : Mtu{};
}

bool is_too_long(const TakenRoute& route, const Mtu& mtu, const SocketBuffer& skb, HostRecord& record) {
  if (mtu.bytes == 0 || skb.options.packet_length <= mtu.bytes) return false;
  if (skb.options.packet_length > mtu.may_pass) return true;
  record.assume({Supposition::encrypted_fits,
                 {std::uint64_t{skb.options.packet_length}, route.device, record.node().name},
                 {},
                 {mtu.from}});
  return false;
}

Cause too_long_for(const TakenRoute& route, const Mtu& mtu, const SocketBuffer& skb) {
  return {Reason::mtu_exceeded, {std::uint64_t{skb.options.packet_length}, std::uint64_t{mtu.bytes}, route.device}};
}

// What follows meets the fragments.
void fragment(const TakenRoute& route, const Mtu& mtu, SocketBuffer& skb, HostRecord& record) {
  record.assume({Supposition::fragmented, {record.node().name, route.device, std::uint64_t{mtu.bytes}}, {}, {mtu.from}});
  skb.options.packet_length = mtu.bytes;
}

}  // namespace

// What leaves encrypted has to fit with what encryption adds (xfrm_bundle_create()).
Mtu mtu_of(const TakenRoute& route, const SocketBuffer& skb, const host::Host& host) {
  const Mtu mtu = plain_mtu_of(route, skb, host);
  const FittingSizes fitting = fitting_sizes(mtu.bytes, esp_towards(route.device, skb, host));
  return {fitting.surely, mtu.from, fitting.perhaps};
}

// IPv4 fragments a packet that may be; IPv6 leaves that to the sender.
Ended check_length(const TakenRoute& route, SocketBuffer& skb, HostRecord& record, HostRefusal& refusal) {
  const Mtu mtu = mtu_of(route, skb, record.host());
  if (!is_too_long(route, mtu, skb, record)) return std::nullopt;
  const bool v4 = skb.family() == Family::v4;
  if (v4 && skb.options.may_fragment) {
    fragment(route, mtu, skb, record);
    return std::nullopt;
  }
  HostOutcome o = refusal.rejected(v4 ? "icmp-frag-needed" : "icmp6-packet-too-big", {PlaceKind::forwarding},
                                   too_long_for(route, mtu, skb), {mtu.from});
  o.answer_mtu = mtu.bytes;
  return o;
}

// TCP sends segments that fit. Others get EMSGSIZE where the packet must not be fragmented (ip_append_data()).
Ended check_own_length(const TakenRoute& route, SocketBuffer& skb, HostRecord& record) {
  if (skb.origin.by_switch || skb.packet.u64(FieldId::nw_proto) == ip_proto::tcp) return std::nullopt;
  const Mtu mtu = mtu_of(route, skb, record.host());
  if (!is_too_long(route, mtu, skb, record)) return std::nullopt;
  if (skb.options.may_fragment) {
    fragment(route, mtu, skb, record);
    return std::nullopt;
  }
  return failed_in_socket("EMSGSIZE", {PlaceKind::output_route}, too_long_for(route, mtu, skb), {mtu.from});
}

}  // namespace egt::engine
