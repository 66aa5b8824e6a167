#include "arp_rules.h"

#include <algorithm>
#include <vector>

#include "netfilter_order.h"
#include "netfilter_walk.h"

namespace egt::engine {

bool has_arp_rules(const host::Host& host, netfilter::Hook hook) {
  const std::vector<PlacedChain> all = place_arp_chains(host, hook);
  return std::any_of(all.begin(), all.end(),
                     [](const PlacedChain& place) { return place.chain->drop_by_default || !place.chain->rules.empty(); });
}

HookResult run_arp_rules(const host::Host& host, const std::string& node, netfilter::Hook hook, NetfilterContext& context,
                         Record& record, Chooser& chooser) {
  HookResult result;
  ChainIndex index;
  for (const PlacedChain& place : place_arp_chains(host, hook)) {
    ChainWalk({host, Family::v4, node, record, chooser, index}, hook, place, context, result).run();
    if (!result.goes_on()) break;
  }
  return result;
}

}  // namespace egt::engine
