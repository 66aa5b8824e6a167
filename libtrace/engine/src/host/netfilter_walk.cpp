#include "netfilter_walk.h"

#include <tuple>

namespace egt::engine {
namespace {

using netfilter::Chain;

// The kernel allows 16 jumps inside each other and no loops; a garbled listing may hold any.
constexpr int kMaxJumps = 64;
constexpr std::size_t kMaxRules = 5'000'000;
constexpr std::size_t kMaxCalls = 50'000;  // jumps and gotos of one packet in one base chain

// What makes the kernel route a packet of this host anew when a chain changes it (nf_route_table_hook4(),
// ip6t_mangle_out()): of IPv6 the traffic class and the hop limit as well.
using RoutedBy = std::tuple<IpAddr, IpAddr, std::uint32_t, std::uint8_t, std::uint32_t>;
RoutedBy routed_by(const FlowKey& p) {
  const bool v4 = family_of(p) == Family::v4;
  return {src_ip(p), dst_ip(p), p.u32(FieldId::pkt_mark), tos_of(p), v4 ? 0 : p.u32(FieldId::nw_ttl)};
}

}  // namespace

const Chain* ChainIndex::find(const netfilter::Table& table, const std::string& name) {
  if (!indexed_[&table]) {
    indexed_[&table] = true;
    for (const Chain& c : table.chains) chains_.emplace(std::pair{&table, c.name}, &c);
  }
  const auto found = chains_.find({&table, name});
  return found == chains_.end() ? nullptr : found->second;
}

void ChainWalk::run() {
  const Chain& chain = *base_.chain;
  if (base_.lossy && !chain.rules.empty()) {
    around_.record.assume({Supposition::iptables_tests_shown, {}, {}, {chain.from}});
  }
  const RoutedBy before = routed_by(context_.packet);
  if (!run_chain(chain, 0)) apply_policy();
  if (base_.reroutes && routed_by(context_.packet) != before) result_.mark_changed_in_route_chain = true;
}

void ChainWalk::apply_policy() {
  const Chain& chain = *base_.chain;
  if (!chain.drop_by_default) return;
  position_.move_to(chain, nullptr);
  position_.hit(netfilter::Verdict::Kind::drop);
  conclude(result_, HookResult::Outcome::dropped, {Reason::policy_drops, {chain.name}}, position_);
}

bool ChainWalk::run_chain(const Chain& first, int depth) {
  const Chain* chain = &first;
  std::size_t at = 0;
  if (depth > kMaxJumps) return limit_reached();
  while (at < chain->rules.size()) {
    if (++rules_run_ > kMaxRules || calls_ > kMaxCalls) return limit_reached();
    position_.move_to(*chain, &chain->rules[at++]);
    const RuleEnd end = rule_.run();
    switch (end.next) {
      case RuleEnd::Next::rule: break;
      case RuleEnd::Next::ended: return true;
      case RuleEnd::Next::returned: return false;
      case RuleEnd::Next::jump:
        ++calls_;
        if (run_chain(*end.target, depth + 1)) return true;
        break;
      case RuleEnd::Next::goto_:  // no way back into this chain
        ++calls_;
        chain = end.target;
        at = 0;
        break;
    }
  }
  return false;
}

bool ChainWalk::limit_reached() {
  conclude(result_, HookResult::Outcome::inconclusive, {Reason::chains_loop}, position_);
  return true;
}

}  // namespace egt::engine
