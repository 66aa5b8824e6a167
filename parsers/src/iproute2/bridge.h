// Lines of bridge(8) and of ip nexthop.
#pragma once

#include <string_view>
#include <vector>

#include "iproute2/json.h"
#include "iproute2/text.h"

namespace egt::parsers::iproute2 {

// bridge vlan show, bridge vlan tunnelshow, bridge vni show: a table, whose rows begin with a device or go on with the last one;
// bridge fdb show; ip nexthop show.
void parse_bridge_line(std::string_view text, TextLine& out);
bool is_bridge_table_head(std::string_view text);
bool is_forwarding_line(std::string_view text);
bool is_next_hop_line(std::string_view text);

// Of all of these: an entry an object, with what lists in it hold as its continuation.
std::vector<Entry> object_entries(const JsonValue& document, std::uint32_t line, Report& report, SourceId source);

}  // namespace egt::parsers::iproute2
