// One line of dump-flows, read in a single pass.
#pragma once

#include <string>
#include <string_view>

#include "egtrace/parsers/ovs_ofctl.h"
#include "ovs_ofctl/match_text.h"

namespace egt::parsers::ofctl {

// Reads `text` into `line`; what is understood is kept even where something is not. True when all of it was; else
// `error` tells of the first thing that was not.
bool read_flow_line(std::string_view text, FlowLine& line, TextError& error);
// Everything of the line but its actions, up to and with "actions=".
void write_flow_head(const FlowLine& line, std::string& out);
// Seconds with the decimals they had, without unit.
void write_duration(const FlowStat& stat, std::string& out);
std::string_view stat_word(const FlowStat& stat);

// The words of the match. `words` holds what can be expressed even where `failed` tells of an item that cannot, or that
// contradicts the ones before it.
struct Collected {
  Added how = Added::yes;
  const MatchItem* failed = nullptr;
};
Collected collect_words(const FlowLine& line, WordSet& words, const PortResolver& ports);
std::string why_not_collected(const Collected& c);

}  // namespace egt::parsers::ofctl
