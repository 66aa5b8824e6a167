#include "egtrace/openflow/datapath_chain.h"

#include <algorithm>
#include <set>

namespace egt::openflow {
namespace {

// Puts the chain together from its end; `seen`: recirculations that lead nowhere, or into themselves.
bool complete(const Datapath& datapath, std::uint32_t recirc_id, std::set<std::uint32_t>& seen,
              std::vector<const DatapathFlow*>& chain) {
  if (recirc_id == 0) return true;
  if (!seen.insert(recirc_id).second) return false;
  for (const DatapathFlow& flow : datapath.flows) {
    if (std::find(flow.recirculates_to.begin(), flow.recirculates_to.end(), recirc_id) == flow.recirculates_to.end()) continue;
    if (!complete(datapath, flow.recirc_id, seen, chain)) continue;
    chain.push_back(&flow);
    return true;
  }
  return false;
}

}  // namespace

std::optional<std::vector<const DatapathFlow*>> chain_to(const Datapath& datapath, std::uint32_t recirc_id) {
  std::set<std::uint32_t> seen;
  std::vector<const DatapathFlow*> chain;
  if (!complete(datapath, recirc_id, seen, chain)) return std::nullopt;
  return chain;
}

}  // namespace egt::openflow
