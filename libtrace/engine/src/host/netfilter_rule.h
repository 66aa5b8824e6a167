// One packet through the statements of one rule: what they test, change and decide.
#pragma once

#include "netfilter_position.h"

namespace egt::engine {

// What a rule leads to.
struct RuleEnd {
  enum class Next : std::uint8_t { rule, ended, returned, jump, goto_ };
  Next next = Next::rule;
  const netfilter::Chain* target = nullptr;  // jump, goto_
};

class RuleExecution {
 public:
  RuleExecution(const ChainSurroundings& around, const PlacedChain& base, NetfilterContext& context, RulePosition& position,
                HookResult& result)
      : around_(around), base_(base), context_(context), position_(position), result_(result) {}

  // Runs the rule at which the position is. The end of the walk is in the result then.
  RuleEnd run();

 private:
  // Each shows whether the next statement of the rule runs; `end_` holds what happens if not.
  bool apply(const netfilter::Test& t);
  bool apply(const netfilter::NatTarget& t);
  bool apply(const netfilter::SetMark& s);
  bool apply(const netfilter::SetCtMark& s);
  bool apply(const netfilter::SetField& s);
  bool apply(const netfilter::CtZone& z);
  bool apply(const netfilter::NoTrack&);
  bool apply(const netfilter::VerdictStatement& v);
  bool apply(const netfilter::VerdictMapStatement& m);
  bool apply(const netfilter::Tproxy& t);
  bool apply(const netfilter::Duplicate& d);
  bool apply(const netfilter::SendFrame& f);
  bool apply(const netfilter::Annotation&) { return true; }
  bool apply(const netfilter::SetUpdate&) { return true; }
  bool apply(const netfilter::OpaqueStatement& o);

  bool is_too_late(bool zone) const;
  bool verdict(const netfilter::Verdict& v, Provenance at);
  bool end(HookResult::Outcome outcome, Cause why);
  bool cannot_decide(const Unknown& what);

  const ChainSurroundings& around_;
  const PlacedChain& base_;
  NetfilterContext& context_;
  RulePosition& position_;
  HookResult& result_;
  RuleEnd end_;
  bool failed_ = false;  // the last test was certainly not met
};

}  // namespace egt::engine
