#include "netfilter_position.h"

namespace egt::engine {

RuleHit RulePosition::as_hit(netfilter::Verdict::Kind kind) const {
  return {hook_, base_.front_end, base_.table->name, chain_->name, rule_, kind, chain_};
}

std::vector<Provenance> RulePosition::evidence() const {
  std::vector<Provenance> lines{rule_ != nullptr ? rule_->from : chain_->from};
  if (element_.known() && element_ != lines.front()) lines.push_back(element_);
  return lines;
}

void RulePosition::hit(netfilter::Verdict::Kind kind) { around_.record.add(around_.node, Layer::host, as_hit(kind), evidence()); }

std::size_t RulePosition::ask(ChoicePoint::Kind kind, Statement<Branch> what, std::vector<Option> options) {
  ChoicePoint point;
  point.kind = kind;
  point.node = around_.node;
  point.what = what.kind;
  point.about = place().about;
  point.about.insert(point.about.end(), what.about.begin(), what.about.end());
  point.options = std::move(options);
  point.evidence = evidence();
  return around_.chooser.choose(point);
}

std::size_t RulePosition::split(Property what, std::vector<Option> options) {
  return ask(ChoicePoint::Kind::split, {Branch::test, {what}}, std::move(options));
}

void conclude(HookResult& result, HookResult::Outcome outcome, Cause why, const RulePosition& at) {
  result.outcome = outcome;
  if (outcome == HookResult::Outcome::accepted) return;
  result.where = at.place();
  result.why = std::move(why);
  result.evidence = at.evidence();
}

}  // namespace egt::engine
