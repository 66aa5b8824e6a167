// Rules, routes, neighbours and devices of ip(8): their lines, and what they mean in the model.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "egtrace/host/link.h"
#include "egtrace/host/routing.h"
#include "iproute2/text.h"

namespace egt::parsers::iproute2 {

void parse_rule_line(std::string_view text, TextLine& out);
void parse_route_line(std::string_view text, TextLine& out);
void parse_neighbour_line(std::string_view text, TextLine& out);
void parse_link_line(std::string_view text, TextLine& out);

bool is_rule_line(std::string_view text);
bool is_route_line(std::string_view text);
bool is_neighbour_line(std::string_view text);
bool is_link_header(std::string_view text);      // "2: eth0: <UP> mtu …", or of ip -o addr
bool is_brief_link_line(std::string_view text);  // ip -br

// The entries of one dump. `v6`: of the command; otherwise addresses tell.
std::vector<host::PolicyRule> lower_rules(const std::vector<Entry>& entries, SourceId source, bool v6);
// Of "show cache".
std::vector<host::PathMtu> lower_path_mtus(const std::vector<Entry>& entries, SourceId source);
// `table`: of routes that name none.
std::vector<host::Route> lower_routes(const std::vector<Entry>& entries, SourceId source, bool v6,
                                      std::string_view table);
std::vector<host::Neighbour> lower_neighbours(const std::vector<Entry>& entries, SourceId source);
std::vector<host::Link> lower_links(const TextDocument& document, SourceId source);

std::optional<host::RouteType> route_type(std::string_view word);
bool is_v6_text(std::string_view text);  // an IPv6 address or prefix

}  // namespace egt::parsers::iproute2
