// What reading, printing and loading dumps of flows share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "egtrace/parsers/format.h"
#include "ovs_ofctl/reply.h"

namespace egt::parsers::ofctl {

// What a line of the dump is.
enum class LineKind : std::uint8_t { header, filler, flow };
LineKind kind_of(std::string_view text, ReplyHeader& h);

inline bool is_flow_reply(const ReplyHeader& h) { return h.message == "NXST_FLOW" || h.message == "OFPST_FLOW"; }
std::string bridge_by_command(const Dump& dump);
// Whether the command prints no header, so that its lack means nothing.
bool lacks_headers(const Dump& dump);

void load_flows(const Dump& dump, cluster::Cluster& cluster, cluster::Node& node, Report& report);

}  // namespace egt::parsers::ofctl
