// What tracers saw of a flow: the parts of `egtrace pcap` about events of retis and pwru.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "egtrace/explain/capture.h"
#include "json_parts.h"

namespace egt::render {

Json events_json(const explain::FlowReport& flow);

// A line at a time, with its indent. Verbose: each event; otherwise their number, drops, and those at no hop.
using EventLine = std::function<void(std::size_t indent, const std::string& text)>;
void event_lines(const explain::FlowReport& flow, bool verbose, const EventLine& line);

}  // namespace egt::render
