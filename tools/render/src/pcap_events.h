// What tracers saw of a flow: the parts of `egtrace pcap` about events of retis and pwru.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "egtrace/explain/capture.h"
#include "json_parts.h"

namespace egt::render {

Json events_json(const explain::FlowReport& flow);

std::string reason_of(const explain::DropReport& drop);     // "openvswitch/OVS_DROP_METER"
std::string traced_words(const explain::FlowReport& flow);  // "12 events, 10 at hops of the predicted path"

// A line at a time, with its indent. Verbose: each event; otherwise their number, drops, and those at no hop.
using EventLine = std::function<void(std::size_t indent, const std::string& text)>;
void event_lines(const explain::FlowReport& flow, bool verbose, const EventLine& line);

}  // namespace egt::render
