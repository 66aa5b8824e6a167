#include "lookup/match_list.h"

namespace egt::explain {

LookupMatch& MatchList::add(std::string kind, std::string name, const cluster::Node* node, Facts facts,
                            const std::vector<Provenance>& from) {
  std::erase_if(facts, [](const auto& fact) { return fact.second.empty(); });
  return matches_.emplace_back(
      LookupMatch{std::move(kind), std::move(name), node ? node->name : std::string(), std::move(facts), evidence(from), {}});
}

void MatchList::use(LookupMatch& match, std::string what, Provenance from) const {
  match.used_by.push_back({std::move(what), evidence({from})});
}

Evidence MatchList::evidence(const std::vector<Provenance>& from) const {
  Evidence lines;
  for (const Provenance& p : from) {
    if (!p.known()) continue;
    lines.push_back(evidence_line(p, *cluster_.sources));
  }
  return lines;
}

}  // namespace egt::explain
