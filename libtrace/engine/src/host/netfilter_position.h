// Where a packet is among the rules of one base chain: what a rule reads there, and the place under which the walk records
// and asks.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "netfilter_match.h"
#include "netfilter_order.h"

namespace egt::engine {

class ChainIndex;

struct ChainSurroundings {
  const host::Host& host;
  Family family;
  const std::string& node;
  Record& record;
  Chooser& chooser;
  ChainIndex& index;
};

class RulePosition : public Splitter {
 public:
  RulePosition(const ChainSurroundings& around, netfilter::Hook hook, const PlacedChain& base, const NetfilterContext& context)
      : around_(around), hook_(hook), base_(base), context_(context) {}

  // `rule` null: at the policy of the base chain.
  void move_to(const netfilter::Chain& chain, const netfilter::Rule* rule) {
    chain_ = &chain;
    rule_ = rule;
    element_ = {};
  }
  // The element of a verdict map or ipset that decided, for evidence.
  void set_element(Provenance element) { element_ = std::move(element); }

  const netfilter::Chain& chain() const { return *chain_; }
  const netfilter::Rule* rule() const { return rule_; }
  ReadFrom reading() const { return {around_.host, around_.family, hook_, context_, base_.front_end != "nft"}; }
  Place place() const { return {PlaceKind::chain, {base_.front_end, base_.table->name, chain_->name}}; }
  RuleHit as_hit(netfilter::Verdict::Kind kind) const;
  std::vector<Provenance> evidence() const;

  // The rule has an effect.
  void hit(netfilter::Verdict::Kind kind = netfilter::Verdict::Kind::continue_);
  std::size_t ask(ChoicePoint::Kind kind, Statement<Branch> what, std::vector<Option> options);
  std::size_t split(Property what, std::vector<Option> options) override;

 private:
  const ChainSurroundings& around_;
  netfilter::Hook hook_;
  const PlacedChain& base_;
  const NetfilterContext& context_;
  const netfilter::Chain* chain_ = nullptr;
  const netfilter::Rule* rule_ = nullptr;
  Provenance element_;
};

// The hook's outcome is decided here.
void conclude(HookResult& result, HookResult::Outcome outcome, Cause why, const RulePosition& at);

}  // namespace egt::engine
