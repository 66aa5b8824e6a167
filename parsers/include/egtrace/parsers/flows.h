// What listings of flows are asked with and made of.
#pragma once

#include <string_view>

#include "egtrace/base/result.h"
#include "egtrace/openflow/flow_filter.h"
#include "egtrace/openflow/flow_words.h"

namespace egt::parsers {

// The filter language of ovs-flowviz(8): [!|not] KEY[.SUBKEY] [= | != | < | > | ~= VALUE], joined by && (and), || (or) and
// brackets. Values with other characters than letters, digits and ._:/+*-[] stand in quotes. The error names the column.
Result<openflow::FlowFilter> parse_flow_filter(std::string_view text);

// Takes a line of ovs-ofctl dump-flows, or of dpctl/dump-flows, apart. False where it is none.
bool read_flow_words(std::string_view line, openflow::FlowWords& out);
// A list of keys and values, such as what stands in brackets behind an action.
std::vector<openflow::FlowWord> read_word_list(std::string_view list, openflow::FlowWord::Section section);

}  // namespace egt::parsers
