#include "link_answer.h"

#include <algorithm>

#include "../host/sysctl_view.h"
#include "egtrace/engine/routing.h"

namespace egt::engine {
namespace {

constexpr int kOwnDeviceOnly = 1, kNever = 8;  // arp_ignore

std::optional<MacAddr> mac_of(const WireEnd& end) {
  const host::Link* link = end.node->host.link(end.device);
  return link != nullptr && link->is_up() ? link->mac : std::nullopt;
}

// The larger of both counts. As kernels come where no dump says it: every device answers for every address.
int arp_ignore(const WireEnd& end) {
  const auto value = [&](std::string_view device) {
    return device_setting(end.node->host, Family::v4, device, "arp_ignore").value.value_or(0);
  };
  return std::max(value("all"), value(end.device));
}

bool has_proxy_entry(const WireEnd& end, const IpAddr& address) {
  const auto& all = end.node->host.neighbours.value;
  return std::any_of(all.begin(), all.end(), [&](const host::Neighbour& n) {
    return n.proxy && n.address == address && n.device == end.device;
  });
}

// Answers for what it would send on by another device (arp_fwd_proxy()).
bool forwards_elsewhere(const WireEnd& end, const IpAddr& address) {
  RouteQuery query;
  query.to = address;
  query.in_device = end.device;
  const RouteAnswer answer = find_route(end.node->host, query);
  return answer.kind == RouteAnswer::Kind::unicast && answer.device != end.device;
}

}  // namespace

std::optional<MacAddr> owner_answer(const WireEnd& owner, const std::vector<WireEnd>& asked, Family family) {
  const bool v4 = family == Family::v4;
  const host::Link* link = owner.node->host.link(owner.device);
  const bool loopback = link != nullptr && link->link_type == "loopback";
  if (std::find(asked.begin(), asked.end(), owner) != asked.end())
    return v4 && arp_ignore(owner) >= kNever ? std::nullopt : mac_of(owner);
  const auto other = std::find_if(asked.begin(), asked.end(), [&](const WireEnd& e) { return e.node == owner.node; });
  if (other == asked.end()) return loopback ? std::nullopt : mac_of(owner);  // its link is not told apart from others
  // IPv6 answers for addresses of the device alone, IPv4 for any of the machine unless told not to.
  return v4 && arp_ignore(*other) < kOwnDeviceOnly ? mac_of(*other) : std::nullopt;
}

std::optional<MacAddr> proxy_answer(const WireEnd& end, const IpAddr& address) {
  const host::Host& host = end.node->host;
  if (device_setting(host, address.family, end.device, "forwarding").value.value_or(1) == 0) return std::nullopt;
  if (has_proxy_entry(end, address)) return mac_of(end);
  if (!address.is_v4() || either_setting(host, end.device, "proxy_arp").value.value_or(0) == 0) return std::nullopt;
  return forwards_elsewhere(end, address) ? mac_of(end) : std::nullopt;
}

}  // namespace egt::engine
