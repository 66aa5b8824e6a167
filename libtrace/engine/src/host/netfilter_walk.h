// One packet through one base chain: rules, jumps, statements, and what they decide.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "netfilter_match.h"
#include "netfilter_order.h"

namespace egt::engine {

// Chains of a table by name; built once, since listings hold thousands.
class ChainIndex {
 public:
  const netfilter::Chain* find(const netfilter::Table& table, const std::string& name);

 private:
  std::map<std::pair<const netfilter::Table*, std::string>, const netfilter::Chain*> chains_;
  std::map<const netfilter::Table*, bool> indexed_;
};

class ChainWalk : private Splitter {
 public:
  struct Surroundings {
    const host::Host& host;
    Family family;
    const std::string& node;
    Record& record;
    Chooser& chooser;
    ChainIndex& index;
  };

  ChainWalk(const Surroundings& around, netfilter::Hook hook, const PlacedChain& place, NetfilterContext& context,
            HookResult& result)
      : around_(around), hook_(hook), place_(place), context_(context), result_(result) {}

  // Runs the chain; afterwards result.outcome says whether the packet goes on, and result.nat whether it is translated.
  void run();

 private:
  // What a rule or chain leads to.
  enum class Next : std::uint8_t { rule, ended, returned };

  Next run_chain(const netfilter::Chain& chain, int depth);
  Next run_rule(const netfilter::Chain& chain, const netfilter::Rule& rule, int depth, const netfilter::Chain*& go_to);
  bool rests_on_presumption(const netfilter::Rule& rule, std::size_t at) const;
  void note_miss(const netfilter::Rule& rule, std::size_t failed);
  void apply_policy();

  // Each shows whether the next statement of the rule runs; `next_` holds what happens if not.
  bool apply(const netfilter::Test& t);
  bool apply(const netfilter::NatTarget& t);
  bool apply(const netfilter::SetMark& s);
  bool apply(const netfilter::SetCtMark& s);
  bool apply(const netfilter::SetField& s);
  bool is_too_late(bool zone) const;
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

  bool verdict(const netfilter::Verdict& v, Provenance at);
  bool end(HookResult::Outcome outcome, Cause why);
  bool cannot_decide(const Unknown& what);
  // What an expression could not show, or what it was asked for.
  bool cannot_decide(const Evaluated& e, Property asked);
  bool hit(netfilter::Verdict::Kind kind = netfilter::Verdict::Kind::continue_);
  Next limit_reached();

  // NAT, in netfilter_nat.cpp.
  struct Chosen {
    std::optional<IpAddr> address;
    bool failed = false;
  };
  bool translate(const netfilter::NatTarget& t, NatDecision& d);
  Chosen choose_address(const netfilter::NatTarget& t, const netfilter::Concat& data);
  IpAddr pick(const IpRange& range);
  void choose_port(const netfilter::NatTarget& t, std::uint16_t first, std::uint16_t last, NatDecision& d);
  IpAddr mapped(const Prefix& to, bool source) const;

  std::size_t ask(ChoicePoint::Kind kind, Statement<Branch> what, std::vector<Option> options);
  std::size_t split(Property what, std::vector<Option> options) override;
  ReadFrom reading() const { return {around_.host, around_.family, hook_, context_, place_.front_end != "nft"}; }
  Place place() const;  // of the chain where the walk is
  std::vector<Provenance> evidence() const;

  Surroundings around_;
  netfilter::Hook hook_;
  const PlacedChain& place_;
  NetfilterContext& context_;
  HookResult& result_;
  const netfilter::Chain* chain_ = nullptr;  // where the walk is
  const netfilter::Rule* rule_ = nullptr;
  Provenance element_;  // of the verdict map or ipset that decided, for evidence
  Next next_ = Next::rule;
  bool failed_ = false;  // the last test was certainly not met
  const netfilter::Chain* call_ = nullptr;
  const netfilter::Chain* go_to_ = nullptr;
  std::size_t rules_run_ = 0, calls_ = 0;
};

}  // namespace egt::engine
