// Goes through a dump of flows on several processors: the lines that FlowScanner takes, and the others in between.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "egtrace/parsers/format.h"
#include "ovs_ofctl/flow_scan.h"
#include "support/lines.h"

namespace egt::parsers::ofctl {

// Scans the line from `begin` to `end` of `text` even where nothing may be looked at behind it.
bool scan_guarded(FlowScanner& scanner, std::string_view text, std::size_t begin, std::size_t end, openflow::FlowRef& out);
bool match_guarded(FlowScanner& scanner, std::string_view text, std::size_t begin, std::size_t end,
                   std::vector<openflow::MatchWord>& out);

struct FlowSink {
  // Takes note of the match of another line; returns the number, in the batch, of its shape.
  std::function<std::uint32_t(std::uint8_t table, openflow::MatchView)> note;
  std::vector<openflow::FlowRef>* flows = nullptr;
};

// Format::read_ahead: the lines that the scanner takes, for scan_flows().
std::shared_ptr<void> scan_flows_ahead(const Dump& dump);

// Calls other(line, offset, sink) for lines that the scanner leaves, in order; it may append to the sink. The counts of
// the scanned lines go into `report`. FlowBatch::text stays empty.
using OtherLine = std::function<void(const Line&, std::uint64_t offset, FlowSink&)>;
openflow::FlowBatch scan_flows(const Dump& dump, Report& report, const OtherLine& other);

}  // namespace egt::parsers::ofctl
