#include "lookup/made_for.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "egtrace/base/text.h"
#include "egtrace/ovn/rows/nb.h"
#include "egtrace/ovn/rows/sb.h"

namespace egt::explain {
namespace {

using ovn::Row;

// Of the pod that was asked for, with its namespace or without.
bool is_pod(const std::string& pod, const std::string& asked) {
  return !pod.empty() && (pod == asked || (asked.find('/') == std::string::npos && pod.ends_with("/" + asked)));
}

// "EgressIP billing-out for pod shop/cart-1" is about both.
bool is_about(const ObjectRef& object, const AskedObject& s) {
  using Part = ObjectRef::Part;
  if (s.kind == ObjectKind::egress_firewall)
    return object.kind == "EgressFirewall" && object.name == s.name.substr(0, s.name.find('/'));
  if ((!s.kind || s.kind == ObjectKind::pod) && is_pod(object.pod, s.name)) return true;
  if (s.kind == ObjectKind::pod || object.kind.empty() || (s.kind && object.kind != kind_name(*s.kind))) return false;
  return (object.part == Part::whole || object.part == Part::own_node) && object.name == s.name;
}

bool may_be_about(const Row& row, const AskedObject& s) {
  const std::string_view name = std::string_view(s.name).substr(s.name.find('/') + 1);
  if (const auto port = as<rows::sb::PortBinding>(row)) return port->logical_port().ends_with(name);
  if (const auto port = as<rows::nb::LogicalSwitchPort>(row)) return port->name().ends_with(name);
  const std::map<std::string, std::string> ids = external_ids_of(row);
  return std::any_of(ids.begin(), ids.end(), [&](const auto& id) {
    return id.second.find(name) != std::string::npos ||
           (s.kind == ObjectKind::egress_firewall && s.name.starts_with(id.second + "/"));
  });
}

// The address behind "ip4.src == ".
std::optional<IpAddr> only_source(std::string_view match) {
  for (const std::string_view field : {"ip4.src == ", "ip6.src == "})
    if (const std::size_t at = match.find(field); at != std::string_view::npos) {
      std::string_view rest = match.substr(at + field.size());
      return IpAddr::parse(take_until(rest, ' '));
    }
  return std::nullopt;
}

// Policies and translations of its senders, and of its addresses, whatever name the rows bear.
bool concerns(const Row& row, const AskedObject& s) {
  if (const auto policy = as<rows::nb::LogicalRouterPolicy>(row); policy && policy->action() == "reroute") {
    const auto source = only_source(policy->match());
    return source && s.senders.contains(*source);
  }
  const auto nat = as<rows::nb::Nat>(row);
  if (!nat) return false;
  const auto outside = IpAddr::parse(nat->external_ip()), inside = IpAddr::parse(nat->logical_ip());
  if (s.kind == ObjectKind::egress_ip) return outside && s.addresses.contains(*outside);
  return inside && s.senders.contains(*inside);
}

template <class LoadBalancer>
bool is_balancer_with_port(const Row& row, std::uint16_t port) {
  const auto balancer = as<LoadBalancer>(row);
  if (!balancer) return false;
  const auto vips = balancer->vips();
  const std::string end = fmt::format(":{}", port);
  return std::any_of(vips.begin(), vips.end(), [&](const auto& vip) { return vip.first.ends_with(end); });
}

}  // namespace

bool is_made_for(const Row& row, const AskedObject& s, const Links& links) {
  const bool concerned = concerns(row, s);
  if (!concerned && !may_be_about(row, s)) return false;
  const ObjectRef object = links.object_of(row);
  return is_about(object, s) || (concerned && (object.empty() || s.kind == ObjectKind::pod));  // else it is another object's
}

bool has_vip_with_port(const Row& row, std::uint16_t port) {
  return is_balancer_with_port<rows::nb::LoadBalancer>(row, port) || is_balancer_with_port<rows::sb::LoadBalancer>(row, port);
}

}  // namespace egt::explain
