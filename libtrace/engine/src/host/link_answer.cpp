#include "egtrace/engine/link_answer.h"

#include <algorithm>

#include "egtrace/engine/routing.h"
#include "sysctl_view.h"

namespace egt::engine {
namespace {

constexpr int kOwnDeviceOnly = 1, kNever = 8;  // of arp_ignore

// The larger of both counts.
int arp_ignore(const host::Host& host, const std::string& device) {
  const auto value = [&](std::string_view name) {
    return device_setting(host, Family::v4, name, "arp_ignore").value.value_or(0);
  };
  return std::max(value("all"), value(device));
}

bool has_proxy_entry(const host::Host& host, const std::string& device, const IpAddr& address) {
  const auto& all = host.neighbours.value;
  return std::any_of(all.begin(), all.end(), [&](const host::Neighbour& n) {
    return n.proxy && n.address == address && n.device == device;
  });
}

// What it would send on by another device (arp_fwd_proxy()).
bool forwards_elsewhere(const host::Host& host, const std::string& device, const IpAddr& address) {
  RouteQuery query;
  query.to = address;
  query.in_device = device;
  const RouteAnswer answer = find_route(host, query);
  return answer.kind == RouteAnswer::Kind::unicast && answer.device != device;
}

}  // namespace

// IPv6 answers for addresses of the device alone, IPv4 for any of the machine unless told not to.
bool answers_for_own(const host::Host& host, const std::string& asked, const std::string& owner, Family family) {
  if (family == Family::v6) return asked == owner;
  return arp_ignore(host, asked) < (asked == owner ? kNever : kOwnDeviceOnly);
}

bool answers_for_others(const host::Host& host, const std::string& asked, const IpAddr& address) {
  if (device_setting(host, address.family, asked, "forwarding").value.value_or(1) == 0) return false;
  if (has_proxy_entry(host, asked, address)) return true;
  if (!address.is_v4() || either_setting(host, asked, "proxy_arp").value.value_or(0) == 0) return false;
  return forwards_elsewhere(host, asked, address);
}

}  // namespace egt::engine
