// What was found so far, in the order in which it is shown.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "egtrace/explain/lookup.h"

namespace egt::explain {

class MatchList {
 public:
  using Facts = std::vector<std::pair<std::string, std::string>>;

  explicit MatchList(const cluster::Cluster& cluster) : cluster_(cluster) {}

  // Without the facts that have no value. `node`: null where it belongs to none. It stays where it is until the next one is added.
  LookupMatch& add(std::string kind, std::string name, const cluster::Node* node, Facts facts,
                   const std::vector<Provenance>& from);
  void use(LookupMatch& match, std::string what, Provenance from) const;

  const std::vector<LookupMatch>& all() const { return matches_; }
  // Where it stays when others are added.
  std::size_t index_of(const LookupMatch& match) const { return static_cast<std::size_t>(&match - matches_.data()); }
  LookupMatch& operator[](std::size_t index) { return matches_[index]; }
  std::vector<LookupMatch> take() { return std::move(matches_); }

 private:
  Evidence evidence(const std::vector<Provenance>& from) const;

  const cluster::Cluster& cluster_;
  std::vector<LookupMatch> matches_;
};

}  // namespace egt::explain
