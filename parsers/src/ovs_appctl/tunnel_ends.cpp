// ovs-appctl tnl/ports/show -v: addresses at which tunnels of the userspace datapath end; without -v their ports alone.
#include <fmt/format.h>

#include <optional>

#include "egtrace/base/text.h"
#include "ovs_appctl/formats.h"
#include "ovs_appctl/line_dump.h"

namespace egt::parsers::appctl {
namespace {

// "genev_sys_6081 (5) : eth(dst=…),eth_type(0x0800),ipv4(dst=…,proto=17,frag=no),udp(dst=6081)", or
// "genev_sys_6081 (5) ref_cnt=1".
struct EndLine {
  std::string_view name;
  std::uint32_t number = 0;
  bool has_match = false;
  std::string_view rest;  // the match, or the number behind "ref_cnt="
};

constexpr std::string_view kTitle = "Listening ports:", kMatch = " : ", kUsers = " ref_cnt=";

bool read_end(std::string_view s, EndLine& l) {
  const std::size_t open = s.find(" ("), close = s.find(')');
  if (open == std::string_view::npos || open == 0 || close == std::string_view::npos || close < open) return false;
  const std::string_view text = s.substr(open + 2, close - open - 2);
  const auto number = parse_decimal(text);
  if (!number || *number > 0xffffffff || fmt::format("{}", *number) != text) return false;
  l.name = s.substr(0, open);
  l.number = static_cast<std::uint32_t>(*number);
  s.remove_prefix(close + 1);
  l.has_match = consume(s, kMatch);
  if (!l.has_match && (!consume(s, kUsers) || !parse_decimal(s))) return false;
  l.rest = s;
  return true;
}

std::string_view behind(std::string_view s, std::string_view key) {
  const std::size_t at = s.find(key);
  if (at == std::string_view::npos) return {};
  s.remove_prefix(at + key.size());
  return s.substr(0, s.find_first_of(",)/"));
}

std::optional<openflow::TunnelEnd> end_of(const EndLine& l, Provenance from) {
  const auto mac = MacAddr::parse(behind(l.rest, "eth(dst="));
  const std::string_view v4 = behind(l.rest, "ipv4(dst="), v6 = behind(l.rest, "ipv6(dst=");
  const auto address = IpAddr::parse(v4.empty() ? v6 : v4);
  const auto proto = parse_decimal(behind(l.rest, "proto="));
  if (!mac || !address || !proto || *proto > 255) return std::nullopt;
  openflow::TunnelEnd end{l.number, *mac, *address, static_cast<std::uint8_t>(*proto), {}, from};
  if (const auto port = parse_decimal(behind(l.rest, "udp(dst=")); port && *port <= 65535)
    end.udp_port = static_cast<std::uint16_t>(*port);
  return end;
}

struct EndLines {
  using Entry = EndLine;
  static constexpr const char* kTopic = "tunnel ends";
  static constexpr std::string_view kCommands[] = {"tnl/ports/show", "tnl.ports.show"};
  static constexpr bool kTitled = true;
  static int quality(std::string_view text) { return text.find(kMatch) != std::string_view::npos ? 1 : 0; }  // of -v
  static bool is_title(std::string_view text) { return text == kTitle; }
  static bool read(std::string_view text, Entry& l) { return read_end(text, l); }
  static void print(const Entry& l, std::string& out) {
    out += fmt::format("{} ({}){}{}", l.name, l.number, l.has_match ? kMatch : kUsers, l.rest);
  }
  static Json json(const Entry& l) {
    return {{"name", l.name}, {"datapath_port", l.number}, {l.has_match ? "match" : "ref_cnt", l.rest}};
  }
  static void put(const Entry& l, Provenance from, openflow::Datapath& d) {
    if (auto end = end_of(l, from)) d.tunnel_ends.push_back(*end);
  }
  static void looked_at(openflow::Datapath&) {}
};

}  // namespace

const Format& tunnel_ends_format() {
  static const Format format = line_format<EndLines>("ovs-appctl tnl/ports/show", "ovs-appctl tnl/ports/show -v");
  return format;
}

}  // namespace egt::parsers::appctl
