// The parts of a POINT, before they are looked up.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "egtrace/base/text.h"
#include "egtrace/explain/point.h"

namespace egt::explain {
namespace {

std::optional<std::uint16_t> port_number(std::string_view s) {
  const auto v = parse_decimal(s);
  if (!v || *v > 0xffff) return std::nullopt;
  return static_cast<std::uint16_t>(*v);
}

// RFC 6335, 5.1: a letter at least, and letters, digits and hyphens.
bool is_port_name(std::string_view s) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return s.size() <= 15 && std::any_of(s.begin(), s.end(), is_letter) &&
         std::all_of(s.begin(), s.end(), [&](char c) { return is_letter(c) || is_digit(c) || c == '-'; });
}

// RFC 1123: what names of objects are made of.
bool is_object_name(std::string_view s) {
  return !s.empty() && s.size() <= 253 &&
         std::all_of(s.begin(), s.end(), [](char c) { return (c >= 'a' && c <= 'z') || is_digit(c) || c == '-' || c == '.'; }) &&
         std::any_of(s.begin(), s.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

// Cuts ":PORT" off; false when what follows the last colon is no port.
bool take_port(std::string_view& s, Point& p) {
  const std::size_t colon = s.rfind(':');
  if (colon == std::string_view::npos) return true;
  p.port = port_number(s.substr(colon + 1));
  s = s.substr(0, colon);
  return p.port.has_value();
}

// A service's port may be given by its name.
bool take_service_port(std::string_view& s, Point& p) {
  const std::size_t colon = s.rfind(':');
  if (colon == std::string_view::npos || port_number(s.substr(colon + 1))) return take_port(s, p);
  p.port_name = s.substr(colon + 1);
  s = s.substr(0, colon);
  return is_port_name(p.port_name);
}

bool parse_address(std::string_view s, Point& p) {
  if (s.starts_with('[')) {
    const std::size_t close = s.find(']');
    if (close == std::string_view::npos) return false;
    p.ip = IpAddr::parse(s.substr(1, close - 1));
    std::string_view rest = s.substr(close + 1);
    if (rest.empty()) return p.ip.has_value();
    if (!consume(rest, ":")) return false;
    p.port = port_number(rest);
    return p.ip && p.port;
  }
  p.ip = IpAddr::parse(s);
  if (p.ip) return true;
  if (!take_port(s, p)) return false;
  p.ip = IpAddr::parse(s);
  return p.ip.has_value() && p.ip->is_v4();
}

bool split_namespaced(std::string_view s, Point& p) {
  const std::size_t slash = s.find('/');
  if (slash == std::string_view::npos) return false;
  p.namespace_ = s.substr(0, slash);
  p.name = s.substr(slash + 1);
  return !p.namespace_.empty() && !p.name.empty() && p.name.find('/') == std::string::npos;
}

// kubectl's kinds of what makes pods.
bool is_pod_maker(std::string_view kind) {
  static constexpr std::string_view kKinds[] = {"deploy",      "deployment", "deployments", "rs",  "replicaset", "sts",
                                                "statefulset", "ds",         "daemonset",   "job", "rc"};
  return std::find(std::begin(kKinds), std::end(kKinds), kind) != std::end(kKinds);
}

// NS/POD, pod/NAME, deploy/NAME, NS/deploy/NAME.
bool parse_pod(std::string_view s, std::string_view default_namespace, Point& p) {
  p.kind = Point::Kind::pod;
  if (!take_port(s, p)) return false;
  const std::size_t first = s.find('/'), last = s.rfind('/');
  if (first != last) {
    p.namespace_ = s.substr(0, first);
    p.made_by = s.substr(first + 1, last - first - 1);
    p.name = s.substr(last + 1);
    return !p.namespace_.empty() && !p.name.empty() && is_pod_maker(p.made_by);
  }
  if (!split_namespaced(s, p)) return false;
  if (p.namespace_ == "pod") p.namespace_ = default_namespace;  // empty: of the only one that has such a pod
  if (!is_pod_maker(p.namespace_)) return true;
  p.made_by = std::exchange(p.namespace_, std::string(default_namespace));
  return true;
}

// NAME.NS.svc, NAME.NS.svc.cluster.local: as the resolver of a pod knows a service.
bool parse_service_host(std::string_view s, Point& p) {
  std::string_view host = s.substr(0, s.rfind(':'));
  const std::size_t svc = host.find(".svc");
  if (svc == std::string_view::npos || (svc + 4 != host.size() && host[svc + 4] != '.')) return false;
  p.kind = Point::Kind::service;
  if (!take_service_port(s, p)) return false;
  const std::string_view names = s.substr(0, svc);
  const std::size_t dot = names.find('.');
  if (dot == std::string_view::npos) return false;
  p.name = names.substr(0, dot);
  p.namespace_ = names.substr(dot + 1);
  return is_object_name(p.name) && is_object_name(p.namespace_) && p.namespace_.find('.') == std::string::npos;
}

// A pod's bare name: of the given namespace, else of the only one that has such a pod.
bool parse_bare_pod(std::string_view s, std::string_view default_namespace, Point& p) {
  p = Point{};
  p.kind = Point::Kind::pod;
  if (!take_port(s, p) || !is_object_name(s)) return false;
  p.namespace_ = default_namespace;
  p.name = s;
  return true;
}

bool parse_kind(std::string_view s, std::string_view default_namespace, Point& p) {
  if (consume(s, "svc:") || consume(s, "service:")) {
    p.kind = Point::Kind::service;
    return take_service_port(s, p) && split_namespaced(s, p);
  }
  if (consume(s, "node:") || consume(s, "host:")) {
    p.kind = Point::Kind::node;
    const bool good = take_port(s, p) && !s.empty();
    p.name = s;
    return good;
  }
  if (consume(s, "external:")) {
    p.kind = Point::Kind::external;
    return parse_address(s, p);
  }
  if (consume(s, "port:")) {
    p.kind = Point::Kind::port;
    p.name = s;
    return !s.empty();
  }
  if (s.find('/') != std::string_view::npos) return parse_pod(s, default_namespace, p);
  if (parse_address(s, p)) return true;
  p.ip.reset();
  return parse_service_host(s, p) || parse_bare_pod(s, default_namespace, p);
}

constexpr std::string_view kForms =
    "NS/POD[:PORT], POD, deploy/NAME, IP[:PORT], [IPv6]:PORT, svc:NS/NAME[:PORT], NAME.NS.svc[:PORT], HOSTNAME[:PORT], "
    "node:NAME, "
    "external:IP or port:IFACE-ID, with @NODE, and of pods @NAMESPACE/NETWORK";

bool is_numeric(std::string_view s) {
  return !s.empty() && std::all_of(s.begin(), s.end(), [](char c) { return is_digit(c) || c == '.'; });
}

// Addresses and ports that cannot be, else the forms that can.
std::string what_is_wrong(std::string_view place, std::string_view text) {
  const std::size_t colon = place.rfind(':');
  const std::string_view host = place.substr(0, colon),
                         port = colon == std::string_view::npos ? std::string_view() : place.substr(colon + 1);
  const bool has_dots = host.find('.') != std::string_view::npos;
  if (is_numeric(host) && has_dots && !IpAddr::parse(host)) return fmt::format("'{}': {} is no IP address", text, host);
  if (is_numeric(port) && port.find('.') == std::string_view::npos && !port_number(port))
    return fmt::format("'{}': {} is no port", text, port);
  return fmt::format("'{}' is no place; use {}", text, kForms);
}

}  // namespace

Result<Point> parse_point(std::string_view text, std::string_view default_namespace) {
  Point p;
  std::string at_node, network;
  std::string_view s = text;
  while (true) {
    const std::size_t at = s.rfind('@');
    if (at == std::string_view::npos) break;
    const std::string_view where = s.substr(at + 1);
    std::string& into = where.find('/') != where.npos ? network : at_node;  // no node's name has a slash
    if (!into.empty()) return Error{fmt::format("'{}' names two of what stands behind @", text)};
    into = where;
    s = s.substr(0, at);
  }
  const bool good = parse_kind(s, default_namespace, p);
  if (!good) return Error{what_is_wrong(s, text)};
  p.text = text;
  p.at_node = at_node;
  p.network = network;
  return p;
}

}  // namespace egt::explain
