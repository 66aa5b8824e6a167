// ovs-appctl ofproto/list-tunnels: tunnel ports of the bridges and the datapath ports that carry them.
#include <fmt/format.h>

#include <optional>

#include "egtrace/base/text.h"
#include "ovs_appctl/formats.h"
#include "ovs_appctl/line_dump.h"

namespace egt::parsers::appctl {
namespace {

// "port 5: ovn-b7b3f2-0 (geneve: 192.168.99.24->192.168.99.23, key=flow, legacy_l2, dp port=5, ttl=64)"
struct TunnelLine {
  std::uint32_t number = 0;
  std::string_view name, type, settings;
  std::uint32_t datapath_port = 0;
};

std::optional<std::uint32_t> number_of(std::string_view s) {
  const auto n = parse_decimal(s);
  return n && *n <= 0xffffffff && fmt::format("{}", *n) == s ? std::optional(static_cast<std::uint32_t>(*n)) : std::nullopt;
}

bool read_tunnel(std::string_view s, TunnelLine& l) {
  if (!consume(s, "port ") || !s.ends_with(')')) return false;
  const std::size_t colon = s.find(": "), open = s.find(" (");
  if (colon == std::string_view::npos || open == std::string_view::npos || open < colon + 3) return false;
  const auto number = number_of(s.substr(0, colon));
  const std::string_view inside = s.substr(open + 2, s.size() - open - 3);
  const std::size_t type = inside.find(": ");
  if (!number || type == std::string_view::npos) return false;
  l.number = *number;
  l.name = s.substr(colon + 2, open - colon - 2);
  l.type = inside.substr(0, type);
  l.settings = inside.substr(type + 2);
  constexpr std::string_view kPort = "dp port=";
  const std::size_t at = l.settings.find(kPort);
  if (at == std::string_view::npos) return false;
  const std::string_view port = l.settings.substr(at + kPort.size());
  const auto datapath_port = number_of(port.substr(0, port.find_first_of(", ")));
  if (datapath_port) l.datapath_port = *datapath_port;
  return datapath_port.has_value();
}

struct TunnelLines {
  using Entry = TunnelLine;
  static constexpr const char* kTopic = "tunnels";
  static constexpr std::string_view kCommands[] = {"ofproto/list-tunnels", "ofproto.list-tunnels"};
  static constexpr bool kTitled = false;
  static int quality(std::string_view) { return 0; }
  static bool is_title(std::string_view) { return false; }
  static bool read(std::string_view text, Entry& l) { return read_tunnel(text, l); }
  static void print(const Entry& l, std::string& out) {
    out += fmt::format("port {}: {} ({}: {})", l.number, l.name, l.type, l.settings);
  }
  static Json json(const Entry& l) {
    return {{"port", l.number}, {"name", l.name}, {"type", l.type}, {"settings", l.settings}, {"datapath_port", l.datapath_port}};
  }
  static void put(const Entry& l, Provenance from, openflow::Datapath& d) {
    d.tunnels.push_back({std::string(l.name), l.datapath_port, from});
  }
  static void looked_at(openflow::Datapath&) {}
};

}  // namespace

const Format& tunnels_format() {
  static const Format format = line_format<TunnelLines>("ovs-appctl ofproto/list-tunnels", "ovs-appctl ofproto/list-tunnels");
  return format;
}

}  // namespace egt::parsers::appctl
