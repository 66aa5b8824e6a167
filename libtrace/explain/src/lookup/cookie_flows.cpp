#include "lookup/cookie_flows.h"

#include "in_pieces.h"
#include "phrases/lookups.h"

namespace egt::explain {

void CookieFlows::want(std::uint32_t cookie, const LookupMatch& match) {
  if (cookie != 0) wanted_[cookie].push_back(matches_.index_of(match));
}

void CookieFlows::find(const cluster::Node& node) {
  if (wanted_.empty()) return;
  for (const openflow::Bridge& b : node.bridges) {
    if (!b.flows) continue;
    const auto pieces = in_pieces<std::vector<openflow::FlowIndex>>(
        *b.flows, [&](openflow::FlowIndex begin, openflow::FlowIndex end, std::vector<openflow::FlowIndex>& found) {
          for (openflow::FlowIndex i = begin; i < end; ++i)
            if (wanted_.contains(b.flows->cookie_of(i))) found.push_back(i);
        });
    for (const auto& found : pieces)
      for (const openflow::FlowIndex i : found) {
        const openflow::FlowEntry& flow = b.flows->flow(i);
        for (const std::size_t match : wanted_.at(flow.cookie))
          matches_.use(matches_[match], phrase(FoundFact::flow, {b.name, flow.table, flow.priority}), flow.from);
      }
  }
}

}  // namespace egt::explain
