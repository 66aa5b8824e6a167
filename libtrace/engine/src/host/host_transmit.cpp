// What leaves the host.
#include "host_ipsec.h"
#include "host_walk.h"
#include "path_mtu.h"

namespace egt::engine {
namespace {

using netfilter::Hook;

}  // namespace

HostOutcome HostWalk::leave(const TakenRoute& route) {
  skb_.out = route.device;
  skb_.next_hop = route.gateway.value_or(dst_ip(skb_.packet));
  if (Ended end = check_ipsec(host::IpsecDirection::out, skb_, record_)) return *end;
  const IpAddr from = src_ip(skb_.packet);
  if (Ended end = hooks_.pass(Hook::postrouting)) return *end;
  // A translated packet is looked up once more (nf_xfrm_me_harder()).
  if (src_ip(skb_.packet) != from)
    if (Ended end = check_ipsec(host::IpsecDirection::out, skb_, record_)) return *end;
  if (Ended end = skb_.origin.by_switch ? Ended{} : nat_.confirm()) return *end;
  if (route.answer.kind == RouteAnswer::Kind::local) return loop_back();
  return transmit(route);
}

HostOutcome HostWalk::transmit(const TakenRoute& route) {
  const host::Link* link = record_.host().link(route.device);
  const Place where{PlaceKind::device, {route.device}};
  if (link == nullptr && record_.host().links.present && !record_.host().links.partial)
    return dropped(where, {Reason::device_missing});
  if (link != nullptr && !link->is_up()) return dropped(where, {Reason::device_down}, {link->from});
  if (link != nullptr && !link->has_carrier()) return neighbours_.without_carrier(route, *link);
  if (link == nullptr) record_.gap(Input::device_mac, {route.device});
  skb_.packet.set(FieldId::eth_src, link != nullptr && link->mac ? link->mac->value : 0);
  skb_.packet.set(FieldId::eth_dst, 0);
  const IpAddr next = route.gateway.value_or(dst_ip(skb_.packet));
  if (Ended end = skb_.made_here() ? check_own_length(route, skb_, record_) : Ended{}) return *end;
  if (const Mtu mtu = mtu_of(route, skb_, record_.host()); mtu.bytes != 0)
    record_.walk().limit({mtu.bytes, record_.node().name, route.device, mtu.from});
  if (Ended end = neighbours_.find_mac(route, next)) return *end;
  if (Ended end = hooks_.pass(Hook::egress)) return *end;
  HostOutcome o = transmitted(route.device);
  o.next_hop = next;
  return o;
}

HostOutcome HostWalk::pass_device(const std::string& device, Hook hook) {
  (hook == Hook::egress ? skb_.out : skb_.in) = device;
  Ended end = hooks_.pass(hook);
  return complete(end ? std::move(*end) : transmitted(device));
}

}  // namespace egt::engine
