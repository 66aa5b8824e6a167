// Lines of `ovn-nbctl lr-policy-list`, `lr-route-list` and `acl-list`, and of `ovn-appctl ct-zone-list`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace egt::parsers::ovn_text {

// "%10d %50s %15s[ -> CHAIN][ %25s[, %s]…][ PORT][%15s[bfd,]KEY=VALUE,…]"
struct PolicyLine {
  std::int64_t priority = 0;
  std::string match, action;
  std::string jump_chain;
  std::vector<std::string> nexthops;
  std::string output_port;
  std::string options;  // "bfd,pkt_mark=1008" as printed; empty when there are none
  std::vector<std::pair<std::string, std::string>> option_list() const;  // without "bfd"
  bool has_bfd() const;
};
std::optional<PolicyLine> parse_policy_line(std::string_view text);
void print_policy_line(const PolicyLine& policy, std::string& out);
// The chain of a "Chain NAME:" heading; empty for "<Default>", absent when it is no such line.
std::optional<std::string> parse_chain_heading(std::string_view text);

// "%25s %25s POLICY[ PORT][ (learned)][ ecmp]…"
struct RouteLine {
  std::string prefix, nexthop;  // nexthop empty where the output port alone decides; or "discard"
  std::string policy;           // "dst-ip", "src-ip"
  std::string output_port;
  std::vector<std::string> flags;  // "(learned)", "ecmp", "ecmp-symmetric-reply", "override-connected", "bfd"
};
std::optional<RouteLine> parse_route_line(std::string_view text);
void print_route_line(const RouteLine& route, std::string& out);
// The table of a "Route Table NAME:" heading; empty for "<main>", absent when it is no such line.
std::optional<std::string> parse_route_table_heading(std::string_view text);

// "%10s %5d (MATCH) ACTION[ EXTRAS]"
struct AclLine {
  std::string direction;  // "from-lport", "to-lport"
  std::int64_t priority = 0;
  std::string match, action;
  std::string extras;  // " log(…)", " [after-lb]", … with their blank
};
std::optional<AclLine> parse_acl_line(std::string_view text);
void print_acl_line(const AclLine& acl, std::string& out);

// "NAME ZONE"
struct ZoneLine {
  std::string name;
  std::uint16_t zone = 0;
};
std::optional<ZoneLine> parse_zone_line(std::string_view text);
void print_zone_line(const ZoneLine& zone, std::string& out);

}  // namespace egt::parsers::ovn_text
