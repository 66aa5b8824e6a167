// Lines of bridge(8) and of ip nexthop.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "egtrace/host/link.h"
#include "egtrace/host/routing.h"
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

// `by_lines`: the entry is text, and what goes on with it stands in the lines below its own.
void lower_bridged_vlans(const Entry& entry, Provenance from, bool by_lines, std::vector<host::BridgedVlans>& out);
std::optional<host::NextHopObject> lower_next_hop(const Entry& entry, Provenance from);

}  // namespace egt::parsers::iproute2
