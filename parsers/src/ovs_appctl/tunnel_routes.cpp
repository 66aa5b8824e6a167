// ovs-appctl ovs/route/show: the switch's own routing table (ovs_router_show() of lib/ovs-router.c).
#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "egtrace/base/text.h"
#include "ovs_appctl/formats.h"
#include "ovs_appctl/line_dump.h"

namespace egt::parsers::appctl {
namespace {

// "Cached: 192.168.99.0/24 MARK 1 dev br-ex GW 192.168.99.1 SRC 192.168.99.24 local"
struct RouteLine {
  bool user = false, local = false;
  std::string_view destination;
  std::vector<std::pair<std::string_view, std::string_view>> words;  // "dev", "br-ex"; in the order of the dump
};

bool read_route(std::string_view s, RouteLine& l) {
  l.user = consume(s, "User: ");
  if (!l.user && !consume(s, "Cached: ")) return false;
  l.local = s.ends_with(" local");
  if (l.local) s.remove_suffix(6);
  const std::vector<std::string_view> words = split(s, ' ');
  if (words.size() % 2 == 0) return false;
  l.destination = words[0];
  for (std::size_t i = 1; i < words.size(); i += 2) {
    if (words[i].empty() || words[i + 1].empty()) return false;
    l.words.emplace_back(words[i], words[i + 1]);
  }
  std::string_view address = l.destination;
  consume(address, "::ffff:");
  return Prefix::parse(address).has_value();
}

openflow::TunnelRoute route_of(const RouteLine& l, Provenance from) {
  openflow::TunnelRoute r;
  std::string_view destination = l.destination;
  consume(destination, "::ffff:");
  r.destination = Prefix::parse(destination).value_or(Prefix{});
  r.user = l.user;
  r.local = l.local;
  r.from = from;
  for (const auto& [key, value] : l.words) {
    if (key == "dev") r.device = std::string(value);
    if (key == "GW") r.gateway = IpAddr::parse(value);
    if (key == "SRC") r.source = IpAddr::parse(value);
    if (key == "MARK")
      if (const auto mark = parse_decimal(value); mark && *mark <= 0xffffffff) r.mark = static_cast<std::uint32_t>(*mark);
  }
  return r;
}

struct RouteLines {
  using Entry = RouteLine;
  static constexpr const char* kTopic = "tunnel routes";
  static constexpr std::string_view kCommands[] = {"ovs/route/show", "ovs.route.show"};
  static constexpr bool kTitled = true;
  static int quality(std::string_view) { return 0; }
  static bool is_title(std::string_view text) { return text == "Route Table:"; }
  static bool read(std::string_view text, Entry& l) { return read_route(text, l); }
  static void print(const Entry& l, std::string& out) {
    out += fmt::format("{}: {}", l.user ? "User" : "Cached", l.destination);
    for (const auto& [key, value] : l.words) out += fmt::format(" {} {}", key, value);
    if (l.local) out += " local";
  }
  static Json json(const Entry& l) {
    Json j{{"destination", l.destination}, {"user", l.user}, {"local", l.local}};
    for (const auto& [key, value] : l.words) j[std::string(key)] = value;
    return j;
  }
  static void put(const Entry& l, Provenance from, openflow::Datapath& d) { d.routes.push_back(route_of(l, from)); }
  static void looked_at(openflow::Datapath& d) { d.has_routes = true; }
};

}  // namespace

const Format& tunnel_routes_format() {
  static const Format format = line_format<RouteLines>("ovs-appctl ovs/route/show", "ovs-appctl ovs/route/show");
  return format;
}

}  // namespace egt::parsers::appctl
