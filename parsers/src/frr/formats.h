// What FRR's vtysh prints, as formats of the registry: routes (text and JSON), BGP (text and JSON), the configuration.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/host/routing.h"
#include "egtrace/parsers/format.h"

namespace egt::parsers::frr {

const Format& route_text_format();
const Format& route_json_format();
const Format& bgp_text_format();
const Format& bgp_json_format();
const Format& config_format();

// One line of "show ip route", as zebra_vty.c prints it. What stands before a next hop is kept as columns, so that the
// line prints back as it was.
struct RouteLine {
  std::string code;          // "B>*", "K * ", "  *": up to the prefix, or up to the next hop
  std::optional<Prefix> to;  // absent on a line that adds a next hop
  std::string prefix_text;
  std::optional<std::uint32_t> distance, metric;
  std::size_t padding = 0;        // blanks before the next hop of a line that adds one
  std::vector<std::string> rest;  // "via 10.0.0.1", "eth0", "weight 1", "00:00:05": what commas part

  bool selected() const { return code.find('>') != std::string::npos; }
  bool installed() const { return code.find('*') != std::string::npos; }
};
std::optional<RouteLine> parse_route_line(std::string_view line);
std::string print_route_line(const RouteLine& line);

// A next hop of the text after the prefix. `type`: unicast, or what becomes of packets that have none.
struct ParsedHop {
  host::NextHop hop;
  host::RouteType type = host::RouteType::unicast;
  bool inactive = false;
};
ParsedHop parse_hop(const std::vector<std::string>& rest);

const char* protocol_of(char code);  // 'B' → "bgp"; empty for what is unknown

// Routes that FRR's table shows as selected and installed. `all`: of every protocol. A table without a single connected
// route counts as a part, whatever the command was.
void put_table(cluster::Node& node, std::vector<host::DaemonRoute> routes, bool all);

// A path that BGP uses (the best one, and those of a multipath).
// `refused`: FRR's table has a better route to the prefix than BGP's ("r", RIB-failure), which BGP does not show.
struct BgpPath {
  Prefix to;
  IpAddr next_hop;
  bool internal = false;
  std::string vrf;
  Provenance from;
  bool refused = false;
};
// As offers to FRR's table: BGP shows by which next hop a prefix is reached, not whether a better source of routes (a static
// one) has another.
void put_bgp(cluster::Node& node, const std::vector<BgpPath>& paths);

// A line "ip route …" or "ipv6 route …" of the configuration.
std::optional<host::DaemonRoute> static_route(std::string_view command);

}  // namespace egt::parsers::frr
