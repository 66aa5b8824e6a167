// The lines of a dump that are flows.
#pragma once

#include <algorithm>
#include <string_view>

#include "egtrace/explain/flows.h"

namespace egt::explain {

// `use` is given the line's number, its text and its words.
template <class Use>
void for_each_flow(const Source& source, const FlowReader& reader, const Use& use) {
  openflow::FlowWords words;
  std::uint32_t line = source.first_line;
  for (std::size_t at = 0; at < source.text.size(); ++line) {
    const std::size_t end = std::min(source.text.find('\n', at), source.text.size());
    const std::string_view text = source.text.substr(at, end - at);
    if (reader.words(text, words)) use(line, text, words);
    at = end + 1;
  }
}

// n_packets and n_bytes of OpenFlow, packets and bytes of the datapath; 0 where the flow has none.
FlowCounters counters_of(const openflow::FlowWords& flow);

}  // namespace egt::explain
