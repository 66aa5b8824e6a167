// One line of dump-flows, read in a single pass.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "egtrace/parsers/ovs_ofctl.h"
#include "ovs_ofctl/match_text.h"

namespace egt::parsers::ofctl {

// A message of OpenFlow has 64 kB; no text of a flow or group in it is as long as this.
constexpr std::size_t kLongestFlow = std::size_t{1} << 20;
constexpr std::size_t kLongestShownFlow = std::size_t{1} << 12;  // of what is longer
constexpr const char* kTooLong = "longer than 1 MB, which no flow or group of a switch is";

// Reads `text` into `line`; what is understood is kept even where something is not. True when all of it was; else
// `error` mentions the first thing that was not.
bool read_flow_line(std::string_view text, FlowLine& line, TextError& error);
// Everything of the line but its actions, up to and with "actions=".
void write_flow_head(const FlowLine& line, std::string& out);
// Seconds with the decimals they had, without unit.
void write_duration(const FlowStat& stat, std::string& out);
std::string_view stat_word(const FlowStat& stat);

// The words of the match. `words` holds what can be expressed even where `failed` says of an item that cannot, or that
// conflicts with the ones before it.
struct Collected {
  Added how = Added::yes;
  const MatchItem* failed = nullptr;
};
Collected collect_words(const FlowLine& line, WordSet& words, const PortResolver& ports);
std::string why_not_collected(const Collected& c);

}  // namespace egt::parsers::ofctl
