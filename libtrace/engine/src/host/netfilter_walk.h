// One packet through one base chain: rule after rule, jumps, and the policy.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "netfilter_position.h"
#include "netfilter_rule.h"

namespace egt::engine {

// Chains of a table by name; built once, since listings hold thousands.
class ChainIndex {
 public:
  const netfilter::Chain* find(const netfilter::Table& table, const std::string& name);

 private:
  std::map<std::pair<const netfilter::Table*, std::string>, const netfilter::Chain*> chains_;
  std::map<const netfilter::Table*, bool> indexed_;
};

class ChainWalk {
 public:
  ChainWalk(const ChainSurroundings& around, netfilter::Hook hook, const PlacedChain& base, NetfilterContext& context,
            HookResult& result)
      : around_(around),
        base_(base),
        context_(context),
        result_(result),
        position_(around_, hook, base, context),
        rule_(around_, base, context, position_, result) {}
  ChainWalk(const ChainWalk&) = delete;
  ChainWalk& operator=(const ChainWalk&) = delete;

  // Runs the chain; afterwards result.outcome says whether the packet goes on, and result.nat whether it is translated.
  void run();

 private:
  // Both: whether the walk ends there.
  bool run_chain(const netfilter::Chain& first, int depth);
  bool limit_reached();
  void apply_policy();

  ChainSurroundings around_;
  const PlacedChain& base_;
  NetfilterContext& context_;
  HookResult& result_;
  RulePosition position_;
  RuleExecution rule_;
  std::size_t rules_run_ = 0, calls_ = 0;
};

}  // namespace egt::engine
