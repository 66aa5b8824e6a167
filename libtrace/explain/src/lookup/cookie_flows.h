// The OpenFlow flows of a node with the cookies of rows and logical flows that were found on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "lookup/match_list.h"

namespace egt::explain {

class CookieFlows {
 public:
  explicit CookieFlows(MatchList& matches) : matches_(matches) {}

  void want(std::uint32_t cookie, const LookupMatch& match);
  // All of them in one pass: a node may have a million flows.
  void find(const cluster::Node& node);

 private:
  MatchList& matches_;
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> wanted_;  // the matches whose flows have it
};

}  // namespace egt::explain
