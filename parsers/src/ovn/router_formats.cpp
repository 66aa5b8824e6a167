// `ovn-nbctl lr-policy-list`, `lr-route-list` and `acl-list`, `ovn-appctl -t ovn-controller ct-zone-list`: recognition,
// reprint, JSON and model. All are lists of lines with a few headings between them.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "egtrace/base/text.h"
#include "ovn/formats.h"
#include "ovn/router_lines.h"
#include "ovsdb/load.h"

namespace egt::parsers::ovn_text {
namespace {

using Json = nlohmann::ordered_json;

bool is_skipped(std::string_view text) {
  const std::string_view trimmed = trim(text);
  return trimmed.empty() || trimmed.front() == '#' || trimmed == "--";
}

// Walks over a list. `heading`: whether a line is one; `row` is given each parsed line.
template <class Parse, class Heading, class Row>
void read_rows(const Dump& dump, Report& report, const char* problem, Parse parse, Heading heading, Row row) {
  LineReport lines(dump, report);
  LineReader reader(dump);
  for (Line line; reader.next(line);) {
    if (is_skipped(line.text) || heading(line.text)) {
      lines.ignored();
    } else if (const auto parsed = parse(line.text)) {
      lines.understood();
      row(*parsed, lines.at(line));
    } else {
      lines.not_understood(line, 1, problem);
    }
  }
}

template <class Parse, class Heading, class Print>
void reprint_rows(const Dump& dump, std::string& out, Report& report, const char* problem, Parse parse, Heading heading,
                  Print print) {
  reprint_lines(dump, out, report, [&](const Line& line, std::string& canonical, LineReport& lines) {
    if (is_skipped(line.text) || heading(line.text)) return lines.ignored(), false;
    const auto parsed = parse(line.text);
    if (!parsed) return lines.not_understood(line, 1, problem), false;
    lines.understood();
    print(*parsed, canonical);
    return true;
  });
}

// Share of rows, in percent, among the first lines that are neither blank nor heading; 0 when there are none.
template <class Parse, class Heading, class Print>
int share_of_rows(const Dump& dump, Parse parse, Heading heading, Print print, bool exact) {
  int rows = 0, all = 0;
  LineReader reader(dump);
  Line line;
  for (int n = 0; n < 60 && reader.next(line); ++n) {
    if (is_skipped(line.text) || heading(line.text)) continue;
    ++all;
    const auto parsed = parse(line.text);
    std::string canonical;
    if (parsed) print(*parsed, canonical);
    rows += parsed && (!exact || canonical == line.text);
  }
  return all == 0 ? 0 : rows * 100 / all;
}

bool has_line(const Dump& dump, std::initializer_list<std::string_view> wanted) {
  LineReader reader(dump);
  Line line;
  for (int n = 0; n < 200 && reader.next(line); ++n)
    for (const std::string_view w : wanted)
      if (trim(line.text).starts_with(w)) return true;
  return false;
}

// With a heading, or the command's name, rows may be spelt freely; without both they must be exactly as printed.
Recognition recognised(const Dump& dump, std::string topic, bool heading, bool command, int share) {
  Recognition how{0, std::move(topic), dump.partial ? 1 : 2};
  if (is_blank_dump(dump))
    how.confidence = command ? 60 : 0;
  else if (heading && share > 0)
    how.confidence = 96;
  else if (heading)
    how.confidence = 70;
  else if (command && share >= 30)
    how.confidence = 90;
  else if (share >= 60)
    how.confidence = 75;
  return how;
}

void add_owner(ovn::Row& row, const char* column, const std::string& owner) {
  if (!owner.empty()) row.columns.set(column, printed(owner));
}

// The router that the command names. Of several listings below each other, as a loop prints them, it names one only.
std::string router_of(const Dump& dump, std::string_view verb, std::initializer_list<std::string_view> headings) {
  for (const std::string_view heading : headings) {
    LineReader reader(dump);
    std::size_t times = 0;
    for (Line line; reader.next(line);) times += trim(line.text) == heading;
    if (times > 1) return {};
  }
  return argument_after(dump, verb);
}

// What was asked of one router or switch was shown completely: "NB NAT of GR_node".
void note_complete(const Dump& dump, const Report& report, const char* table, const std::string& owner, cluster::Node& node) {
  if (owner.empty() || dump.partial || !report.not_understood.empty()) return;
  node.ovn.complete_tables.emplace(fmt::format("NB {} of {}", table, owner), Provenance{dump.source, dump.first_line});
}

// ---- policies

constexpr const char* kNoPolicy = "not \"PRIORITY MATCH ACTION [NEXTHOPS] [OPTIONS]\"";

bool is_policy_heading(std::string_view text) {
  return trim(text) == "Routing Policies" || parse_chain_heading(text).has_value();
}

Recognition recognise_policies(const Dump& dump) {
  const bool heading = has_line(dump, {"Routing Policies"});
  return recognised(dump, topic_of(dump, "router policies", "lr-policy-list"), heading,
                    command_has(dump, "ovn-nbctl lr-policy-list"),
                    share_of_rows(dump, parse_policy_line, is_policy_heading, print_policy_line, !heading));
}

void reprint_policies(const Dump& dump, std::string& out, Report& report) {
  reprint_rows(dump, out, report, kNoPolicy, parse_policy_line, is_policy_heading, print_policy_line);
}

void policies_to_json(const Dump& dump, std::string& out, Report& report) {
  Json doc{{"router", router_of(dump, "lr-policy-list", {"Routing Policies"})}, {"policies", Json::array()}};
  std::string chain;
  const auto heading = [&](std::string_view text) {
    const auto named = parse_chain_heading(text);
    if (named) chain = *named;
    return named || is_policy_heading(text);
  };
  read_rows(dump, report, kNoPolicy, parse_policy_line, heading, [&](const PolicyLine& p, Provenance) {
    Json j{{"priority", p.priority}, {"match", p.match}, {"action", p.action}, {"nexthops", p.nexthops}};
    if (!chain.empty()) j["chain"] = chain;
    if (!p.jump_chain.empty()) j["jump_chain"] = p.jump_chain;
    if (!p.output_port.empty()) j["output_port"] = p.output_port;
    if (p.has_bfd()) j["bfd"] = true;
    for (const auto& [key, value] : p.option_list()) j["options"][key] = value;
    doc["policies"].push_back(std::move(j));
  });
  append_json(doc.dump(2, ' ', false, Json::error_handler_t::replace), out);
}

std::string printed_options(const PolicyLine& policy) {
  ovsdb::Datum map;
  map.shape = ovsdb::Datum::Shape::map;
  for (const auto& [key, value] : policy.option_list()) {
    map.keys.push_back(ovsdb::string_atom(key));
    map.values.push_back(ovsdb::string_atom(value));
  }
  return ovsdb::to_text(map);
}

ovn::Row row_of(const PolicyLine& policy, const std::string& chain, Provenance from) {
  ovn::Row row;
  row.from = from;
  row.columns.set("priority", std::to_string(policy.priority));
  row.columns.set("match", printed(policy.match));
  row.columns.set("action", printed(policy.action));
  row.columns.set("nexthops", printed_set(policy.nexthops));
  row.columns.set("options", printed_options(policy));
  if (!chain.empty()) row.columns.set("chain", printed(chain));
  if (!policy.jump_chain.empty()) row.columns.set("jump_chain", printed(policy.jump_chain));
  return row;
}

void load_policies(const Dump& dump, cluster::Cluster&, cluster::Node& node, Report& report) {
  const std::string router = router_of(dump, "lr-policy-list", {"Routing Policies"});
  ovsdb::RowMerger rows(node.ovn.rows, "NB", "Logical_Router_Policy", ovsdb::key_columns("Logical_Router_Policy"));
  std::string chain;
  const auto heading = [&](std::string_view text) {
    const auto named = parse_chain_heading(text);
    if (named) chain = *named;
    return named || is_policy_heading(text);
  };
  read_rows(dump, report, kNoPolicy, parse_policy_line, heading, [&](const PolicyLine& p, Provenance from) {
    ovn::Row row = row_of(p, chain, from);
    add_owner(row, "router", router);
    rows.add(std::move(row));
  });
  note_complete(dump, report, "Logical_Router_Policy", router, node);
}

// ---- routes

constexpr const char* kNoRoute = "not \"PREFIX [NEXTHOP] dst-ip|src-ip [PORT] [FLAGS]\"";

bool is_route_heading(std::string_view text) {
  const std::string_view trimmed = trim(text);
  return trimmed == "IPv4 Routes" || trimmed == "IPv6 Routes" || parse_route_table_heading(text).has_value();
}

Recognition recognise_routes(const Dump& dump) {
  const bool heading = has_line(dump, {"IPv4 Routes", "IPv6 Routes", "Route Table "});
  const int share = share_of_rows(dump, parse_route_line, is_route_heading, print_route_line, false);
  return recognised(dump, topic_of(dump, "router routes", "lr-route-list"), heading && share > 0,
                    command_has(dump, "ovn-nbctl lr-route-list"), share);
}

void reprint_routes(const Dump& dump, std::string& out, Report& report) {
  reprint_rows(dump, out, report, kNoRoute, parse_route_line, is_route_heading, print_route_line);
}

// Gives each route with its table.
template <class Take>
void read_routes(const Dump& dump, Report& report, Take take) {
  std::string table;
  const auto heading = [&](std::string_view text) {
    const auto named = parse_route_table_heading(text);
    if (named) table = *named;
    return named || is_route_heading(text);
  };
  read_rows(dump, report, kNoRoute, parse_route_line, heading,
            [&](const RouteLine& route, Provenance from) { take(route, table, from); });
}

void routes_to_json(const Dump& dump, std::string& out, Report& report) {
  Json doc{{"router", router_of(dump, "lr-route-list", {"IPv4 Routes", "IPv6 Routes"})}, {"routes", Json::array()}};
  read_routes(dump, report, [&](const RouteLine& route, const std::string& table, Provenance) {
    Json j{{"prefix", route.prefix}, {"nexthop", route.nexthop}, {"policy", route.policy}, {"table", table}};
    if (!route.output_port.empty()) j["output_port"] = route.output_port;
    if (!route.flags.empty()) j["flags"] = route.flags;
    doc["routes"].push_back(std::move(j));
  });
  append_json(doc.dump(2, ' ', false, Json::error_handler_t::replace), out);
}

ovn::Row row_of(const RouteLine& route, const std::string& table, Provenance from) {
  ovn::Row row;
  row.from = from;
  row.columns.set("ip_prefix", printed(route.prefix));
  row.columns.set("nexthop", printed(route.nexthop));
  // An absent policy prints as dst-ip here and as an empty set in `list`.
  row.columns.set("policy", route.policy == "dst-ip" ? "[]" : printed(route.policy));
  row.columns.set("output_port", route.output_port.empty() ? "[]" : printed(route.output_port));
  row.columns.set("route_table", printed(table));
  return row;
}

void load_routes(const Dump& dump, cluster::Cluster&, cluster::Node& node, Report& report) {
  const std::string router = router_of(dump, "lr-route-list", {"IPv4 Routes", "IPv6 Routes"});
  constexpr const char* kTable = "Logical_Router_Static_Route";
  ovsdb::RowMerger rows(node.ovn.rows, "NB", kTable, ovsdb::key_columns(kTable));
  read_routes(dump, report, [&](const RouteLine& route, const std::string& table, Provenance from) {
    ovn::Row row = row_of(route, table, from);
    add_owner(row, "router", router);
    rows.add(std::move(row));
  });
  note_complete(dump, report, kTable, router, node);
}

// ---- access lists

constexpr const char* kNoAcl = "not \"DIRECTION PRIORITY (MATCH) ACTION\"";

bool is_no_heading(std::string_view) { return false; }

Recognition recognise_acls(const Dump& dump) {
  return recognised(dump, topic_of(dump, "ACLs", "acl-list"), false, command_has(dump, "ovn-nbctl acl-list"),
                    share_of_rows(dump, parse_acl_line, is_no_heading, print_acl_line, false));
}

void reprint_acls(const Dump& dump, std::string& out, Report& report) {
  reprint_rows(dump, out, report, kNoAcl, parse_acl_line, is_no_heading, print_acl_line);
}

void acls_to_json(const Dump& dump, std::string& out, Report& report) {
  Json doc{{"entity", argument_after(dump, "acl-list")}, {"acls", Json::array()}};
  read_rows(dump, report, kNoAcl, parse_acl_line, is_no_heading, [&](const AclLine& acl, Provenance) {
    Json j{{"direction", acl.direction}, {"priority", acl.priority}, {"match", acl.match}, {"action", acl.action}};
    if (!acl.extras.empty()) j["extras"] = trim(acl.extras);
    doc["acls"].push_back(std::move(j));
  });
  append_json(doc.dump(2, ' ', false, Json::error_handler_t::replace), out);
}

void load_acls(const Dump& dump, cluster::Cluster&, cluster::Node& node, Report& report) {
  const std::string owner = argument_after(dump, "acl-list");
  ovsdb::RowMerger rows(node.ovn.rows, "NB", "ACL", ovsdb::key_columns("ACL"));
  read_rows(dump, report, kNoAcl, parse_acl_line, is_no_heading, [&](const AclLine& acl, Provenance from) {
    ovn::Row row;
    row.from = from;
    row.columns.set("direction", printed(acl.direction));
    row.columns.set("priority", std::to_string(acl.priority));
    row.columns.set("match", printed(acl.match));
    row.columns.set("action", printed(acl.action));
    add_owner(row, "entity", owner);
    rows.add(std::move(row));
  });
  note_complete(dump, report, "ACL", owner, node);
}

// ---- conntrack zones

constexpr const char* kNoZone = "not \"NAME ZONE\"";

Recognition recognise_zones(const Dump& dump) {
  const int share = share_of_rows(dump, parse_zone_line, is_no_heading, print_zone_line, true);
  const bool command = command_has(dump, "ct-zone-list");
  // Two words of which one is a number are common; names of NAT zones are not.
  bool has_nat_zone = false;
  LineReader reader(dump);
  Line line;
  for (int n = 0; n < 60 && reader.next(line); ++n)
    if (const auto zone = parse_zone_line(line.text))
      has_nat_zone |= zone->name.ends_with("_snat") || zone->name.ends_with("_dnat");
  if (!command && !has_nat_zone && !is_blank_dump(dump)) return {};
  return recognised(dump, dump.partial ? fmt::format("ct zones {}:{}", dump.path, dump.first_line) : "ct zones", false, command,
                    share);
}

void reprint_zones(const Dump& dump, std::string& out, Report& report) {
  reprint_rows(dump, out, report, kNoZone, parse_zone_line, is_no_heading, print_zone_line);
}

void zones_to_json(const Dump& dump, std::string& out, Report& report) {
  Json doc{{"zones", Json::object()}};
  read_rows(dump, report, kNoZone, parse_zone_line, is_no_heading,
            [&](const ZoneLine& zone, Provenance) { doc["zones"][zone.name] = zone.zone; });
  append_json(doc.dump(2, ' ', false, Json::error_handler_t::replace), out);
}

void load_zones(const Dump& dump, cluster::Cluster&, cluster::Node& node, Report& report) {
  read_rows(dump, report, kNoZone, parse_zone_line, is_no_heading,
            [&](const ZoneLine& zone, Provenance) { node.ovn.ct_zones[zone.name] = zone.zone; });
}

}  // namespace

const Format& policy_format() {
  static constexpr Format kFormat = {"ovn-nbctl lr-policy-list",
                                     "ovn-nbctl lr-policy-list ROUTER",
                                     recognise_policies,
                                     reprint_policies,
                                     policies_to_json,
                                     load_policies,
                                     nullptr,
                                     "OVN_Northbound"};
  return kFormat;
}

const Format& route_format() {
  static constexpr Format kFormat = {"ovn-nbctl lr-route-list",
                                     "ovn-nbctl lr-route-list ROUTER",
                                     recognise_routes,
                                     reprint_routes,
                                     routes_to_json,
                                     load_routes,
                                     nullptr,
                                     "OVN_Northbound"};
  return kFormat;
}

const Format& acl_format() {
  static constexpr Format kFormat = {
      "ovn-nbctl acl-list", "ovn-nbctl acl-list SWITCH", recognise_acls, reprint_acls, acls_to_json, load_acls, nullptr,
      "OVN_Northbound"};
  return kFormat;
}

const Format& zone_format() {
  static constexpr Format kFormat = {"ovn-appctl ct-zone-list",
                                     "ovn-appctl -t ovn-controller ct-zone-list",
                                     recognise_zones,
                                     reprint_zones,
                                     zones_to_json,
                                     load_zones};
  return kFormat;
}

}  // namespace egt::parsers::ovn_text
