// vtysh -c "show ip route" and "show ipv6 route" (FRR, zebra/zebra_vty.c).
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "egtrace/base/text.h"
#include "frr/formats.h"
#include "support/lines.h"

namespace egt::parsers::frr {
namespace {

using Json = nlohmann::ordered_json;

bool is_code_letter(char c) { return (c >= 'A' && c <= 'Z') || c == 'v' || c == 'f' || c == 't'; }

bool is_state(char c) { return c == '>' || c == '*' || c == 'q' || c == 'r' || c == 'b' || c == 't' || c == 'o' || c == ' '; }

// The lines that explain the codes, and headings of tables and VRFs.
bool is_heading(std::string_view line) {
  if (trim(line).empty() || line.starts_with("Codes:") || line.starts_with("#") || line.starts_with("VRF ")) return true;
  if (line.starts_with("IPv4 ") || line.starts_with("IPv6 ")) return line.ends_with(":");
  return line.starts_with("       ") && (line.find(" - ") != std::string_view::npos);
}

std::vector<std::string> split_rest(std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(", ", at), text.size());
    parts.emplace_back(text.substr(at, comma - at));
    at = comma + 2;
  }
  return parts;
}

bool begins_hop(std::string_view text) {
  return text.starts_with("via ") || text.starts_with("is directly connected") || text.starts_with("unreachable") ||
         text.starts_with("inactive") || text.starts_with("onlink");
}

// "[110/20]" behind the prefix.
bool take_distance(std::string_view& text, RouteLine& out) {
  if (!text.starts_with("[")) return true;
  const std::size_t slash = text.find('/'), close = text.find("] ");
  if (slash == std::string_view::npos || close == std::string_view::npos || slash > close) return false;
  const auto distance = parse_decimal(text.substr(1, slash - 1)),
             metric = parse_decimal(text.substr(slash + 1, close - slash - 1));
  if (!distance || !metric) return false;
  out.distance = static_cast<std::uint32_t>(*distance);
  out.metric = static_cast<std::uint32_t>(*metric);
  text.remove_prefix(close + 2);
  return true;
}

Json json_of(const RouteLine& line) {
  Json j = {{"code", line.code}};
  if (line.to) j["prefix"] = line.prefix_text;
  if (line.distance) j["distance"] = *line.distance;
  if (line.metric) j["metric"] = *line.metric;
  j["rest"] = line.rest;
  return j;
}

// "VRF red:", "VRF default table 200:", "IPv4 unicast VRF red:": where the routes below belong.
struct Section {
  std::string vrf, table = "main";
};

std::optional<Section> section_of(std::string_view line) {
  const std::size_t at = line.find("VRF ");
  if (!line.ends_with(":") || at == std::string_view::npos || (at != 0 && !line.starts_with("IPv"))) return std::nullopt;
  std::string_view text = line.substr(at + 4, line.size() - at - 5);
  const std::size_t blank = text.find(' ');
  Section section;
  if (const std::string_view name = text.substr(0, blank); name != "default") section.vrf = name;
  if (blank != std::string_view::npos && consume(text = text.substr(blank + 1), "table "))
    section.table = host::canonical_table(text);
  return section;
}

// Calls take(line, tree) for each line that mentions a route; counts all.
template <class Take>
void read_lines(const Dump& dump, Report& report, Take take) {
  LineReport lines(dump, report);
  LineReader reader(dump);
  bool under_route = false;
  for (Line line; reader.next(line);) {
    auto tree = parse_route_line(line.text);
    if (tree && (tree->to || under_route)) {
      lines.understood();
      under_route = true;
    } else if (is_heading(line.text)) {
      lines.ignored();
      tree.reset();
      under_route = false;
    } else {
      lines.not_understood(line, 1, "no route as FRR prints them");
      tree.reset();
    }
    take(line, tree);
  }
}

bool is_narrow(const Dump& dump) {
  for (const char* command : {"show ip route ", "show ipv6 route "})
    for (const char* word : {"bgp", "kernel", "static", "connected", "ospf", "vrf", "summary", "table"})
      if (command_has(dump, std::string(command) + word)) return true;
  return dump.partial;
}

Recognition recognise(const Dump& dump) {
  const std::string_view head = dump.text.substr(0, 8000);
  const bool codes = head.find("Codes: K - kernel route") != std::string_view::npos;
  const bool by_name = command_has(dump, "show ip route") || command_has(dump, "show ipv6 route");
  if (trim_left(head).starts_with("{")) return {};
  std::size_t routes = 0, other = 0;
  for (std::string_view rest = head; !rest.empty();) {
    const std::string_view line = next_line(rest);
    const auto tree = parse_route_line(line);
    if (tree && tree->to)
      ++routes;
    else if (!is_heading(line) && !tree)
      ++other;
  }
  if (!codes && (routes == 0 || other > routes)) return {};
  const bool v6 = head.find("::") != std::string_view::npos && head.find("via ::") == std::string_view::npos;
  const std::string topic = v6 ? "frr routes v6" : "frr routes v4";
  return {codes     ? 98
          : by_name ? 90
                    : 75,
          is_narrow(dump) ? fmt::format("{} {}:{}", topic, dump.path, dump.first_line) : topic, is_narrow(dump) ? 10 : 90};
}

void reprint(const Dump& dump, std::string& out, Report& report) {
  read_lines(dump, report, [&](const Line& line, const std::optional<RouteLine>& tree) {
    const std::string printed = tree ? print_route_line(*tree) : std::string();
    out += tree && printed == line.text ? std::string_view(printed) : line.text;
    out += line.end;
  });
}

void to_json(const Dump& dump, std::string& out, Report& report) {
  Json document{{"routes", Json::array()}};
  read_lines(dump, report, [&](const Line&, const std::optional<RouteLine>& tree) {
    if (tree) document["routes"].push_back(json_of(*tree));
  });
  out += document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

// What the kernel has of a line: it keeps each of several connected routes to one prefix (fe80::/64), of which zebra selects
// one. A recursive next hop is not in the FIB itself, what it resolves to is.
bool is_in_kernel(const RouteLine& line) { return line.selected() || (line.code.front() == 'C' && line.installed()); }

host::DaemonRoute route_of(const RouteLine& line, host::RouteType type, const Section& section, Provenance from) {
  host::DaemonRoute d;
  d.vrf = section.vrf;
  d.distance = line.distance.value_or(0);
  d.route.table = section.table;
  d.route.family = line.to->address.family;
  d.route.to = line.to->network();
  d.route.type = type;
  d.route.protocol = protocol_of(line.code.front());
  if (line.code.front() == 'C') d.route.scope = "link";
  // Routes of the kernel keep their metric, zebra gives its own one.
  d.route.metric = d.route.protocol == "kernel" ? line.metric.value_or(0) : 20;
  d.route.from = from;
  return d;
}

void load(const Dump& dump, cluster::Cluster&, cluster::Node& node, Report& report) {
  std::vector<host::DaemonRoute> routes, shadowed;
  std::vector<host::DaemonRoute>* into = nullptr;  // where the route above went: in the kernel, of BGP and shadowed, neither
  Section section;
  read_lines(dump, report, [&](const Line& line, const std::optional<RouteLine>& tree) {
    if (!tree) {
      if (const auto begins = section_of(line.text)) section = *begins;
      return;
    }
    const ParsedHop parsed = parse_hop(tree->rest);
    if (tree->to) {
      into = is_in_kernel(*tree) ? &routes : tree->code.front() == 'B' ? &shadowed : nullptr;
      if (into != nullptr) into->push_back(route_of(*tree, parsed.type, section, {dump.source, line.number}));
    }
    if (into == nullptr || parsed.inactive || parsed.type != host::RouteType::unicast) return;
    if (into == &shadowed || tree->installed()) into->back().route.next_hops.push_back(parsed.hop);
  });
  std::erase_if(routes, [](const host::DaemonRoute& d) {
    return d.route.type == host::RouteType::unicast && d.route.next_hops.empty();  // selected, and not in the FIB
  });
  for (host::DaemonRoute& d : shadowed) d.bgp = d.distance == 20 ? host::BgpPeer::external : host::BgpPeer::internal;
  std::move(shadowed.begin(), shadowed.end(), std::back_inserter(node.host.routing_daemon.offers));
  put_table(node, std::move(routes), !is_narrow(dump));
}

}  // namespace

const char* protocol_of(char code) {
  switch (code) {
    case 'K':
    case 'C':
    case 'L': return "kernel";
    case 'S': return "static";
    case 'R': return "rip";
    case 'O': return "ospf";
    case 'I': return "isis";
    case 'B': return "bgp";
    case 'E': return "eigrp";
    case 'A': return "babel";
    case 'N': return "nhrp";
    case 'F': return "pbr";
    case 'f': return "openfabric";
    default: return "";
  }
}

std::optional<RouteLine> parse_route_line(std::string_view line) {
  while (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  RouteLine out;
  std::size_t at = 0;
  if (!line.empty() && is_code_letter(line[0])) {
    at = 1;
    while (at < line.size() && at < 5 && is_state(line[at])) ++at;  // "B>* ", "K * ", "S   "
    if (at < 2) return std::nullopt;
    out.code = line.substr(0, at);
    std::string_view rest = line.substr(at);
    const std::size_t blank = rest.find(' ');
    if (blank == std::string_view::npos) return std::nullopt;
    out.prefix_text = rest.substr(0, blank);
    out.to = Prefix::parse(out.prefix_text);
    if (!out.to || out.prefix_text.find('/') == std::string::npos) return std::nullopt;
    rest.remove_prefix(blank + 1);
    if (!take_distance(rest, out) || !begins_hop(rest)) return std::nullopt;
    out.rest = split_rest(rest);
    return out;
  }
  // A further next hop: "  *                    via 10.0.0.2, eth0, weight 1, 00:00:08"
  if (!line.starts_with("  ")) return std::nullopt;
  at = 2;
  while (at < line.size() && at < 4 && is_state(line[at]) && line[at] != ' ') ++at;
  out.code = line.substr(0, at);
  const std::size_t hop = line.find_first_not_of(' ', at);
  if (hop == std::string_view::npos || !begins_hop(line.substr(hop))) return std::nullopt;
  out.padding = hop - at;
  out.rest = split_rest(line.substr(hop));
  return out;
}

std::string print_route_line(const RouteLine& line) {
  std::string s = line.code;
  if (line.to) {
    s += line.prefix_text + " ";
    if (line.distance) s += fmt::format("[{}/{}] ", *line.distance, line.metric.value_or(0));
  } else {
    s.append(line.padding, ' ');
  }
  return s + fmt::format("{}", fmt::join(line.rest, ", "));
}

ParsedHop parse_hop(const std::vector<std::string>& rest) {
  ParsedHop p;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    std::string_view part = rest[i];
    if (part.find("inactive") != std::string_view::npos || part.find("duplicate") != std::string_view::npos) p.inactive = true;
    if (part.starts_with("unreachable"))
      p.type = part.find("(ICMP unreachable)") != std::string_view::npos        ? host::RouteType::unreachable
               : part.find("(ICMP admin-prohibited)") != std::string_view::npos ? host::RouteType::prohibit
                                                                                : host::RouteType::blackhole;
    if (part.find("onlink") != std::string_view::npos) p.hop.onlink = true;
    if (consume(part, "weight ")) {
      if (const auto weight = parse_decimal(part)) p.hop.weight = static_cast<std::uint32_t>(*weight);
      continue;
    }
    if (i == 0 && consume(part, "via ")) {
      p.hop.via = IpAddr::parse(part.substr(0, part.find(' ')));
      continue;
    }
    // The device follows the next hop, or stands alone: "via 10.0.0.1, eth0", "is directly connected, eth0".
    if (i == 1) p.hop.device = part.substr(0, part.find(' '));
  }
  return p;
}

void put_table(cluster::Node& node, std::vector<host::DaemonRoute> routes, bool all) {
  host::RoutingDaemon& daemon = node.host.routing_daemon;
  for (const host::DaemonRoute& d : routes)
    if (all && d.route.protocol == "kernel" && d.route.scope == "link")
      (d.route.family == Family::v4 ? daemon.whole_v4 : daemon.whole_v6) = true;
  std::move(routes.begin(), routes.end(), std::back_inserter(daemon.table));
}

const Format& route_text_format() {
  static const Format format{"vtysh show ip route", "vtysh -c 'show ip route'", recognise, reprint, to_json, load};
  return format;
}

}  // namespace egt::parsers::frr
