// Rules, routes, neighbours and devices of ip(8): their lines, and what they mean in the model.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "egtrace/host/link.h"
#include "egtrace/host/routing.h"
#include "iproute2/text.h"
#include "support/room.h"

namespace egt::parsers::iproute2 {

void parse_rule_line(std::string_view text, TextLine& out);
void parse_route_line(std::string_view text, TextLine& out);
void parse_neighbour_line(std::string_view text, TextLine& out);
void parse_link_line(std::string_view text, TextLine& out);
bool is_link_line(std::string_view text);  // whether parse_link_line() knows it

bool is_rule_line(std::string_view text);
bool is_route_line(std::string_view text);
bool is_neighbour_line(std::string_view text);
bool is_link_header(std::string_view text);      // "2: eth0: <UP> mtu …", or of ip -o addr
bool is_brief_link_line(std::string_view text);  // ip -br

// The entries of one dump, in their order. `v6`: of the command; otherwise addresses show.
class RuleList {
 public:
  RuleList(const Dump& dump, bool v6) : source_(dump.source), v6_(v6), room_(dump.text, dump.first_line) {}
  void add(const Entry& entry);
  bool is_v6() const { return v6_; }
  std::vector<host::PolicyRule> take();

 private:
  SourceId source_;
  bool v6_;
  Room room_;
  std::vector<host::PolicyRule> rules_;
};

// `table`: of routes that name none.
class RouteList {
 public:
  RouteList(const Dump& dump, bool v6, std::string table)
      : source_(dump.source), v6_(v6), after_v6_(v6), table_(std::move(table)), room_(dump.text, dump.first_line) {}
  // False for a line of "show cache", which stands in no table.
  bool add(const Entry& entry);

  std::vector<host::Route> v4, v6;
  std::vector<host::PathMtu> path_mtus;  // of "show cache"
  bool shows_local = false;              // names the table of local addresses

 private:
  host::Route lower(const Entry& entry);

  SourceId source_;
  bool v6_;
  bool after_v6_;  // "table all" shows all of IPv4 first
  std::string table_;
  Room room_;
};

std::optional<host::Neighbour> lower_neighbour(const Entry& entry, SourceId source);
std::vector<host::Link> read_link_lines(const Dump& dump, Report& report);

host::LegState leg_state_named(std::string_view word);  // of a bond's leg, as ip -d link prints it
bool has_mode(std::string_view kind);                   // of a device: ip -d link shows its mode
std::uint16_t vlan_protocol(std::string_view word);     // "802.1ad": the EtherType of such tags

std::optional<host::RouteType> route_type(std::string_view word);
bool is_v6_text(std::string_view text);  // an IPv6 address or prefix

}  // namespace egt::parsers::iproute2
