// A gateway marks packets of a tenant, and no packet with that mark ever reached the translation that asks for it.
#include <map>
#include <optional>

#include "common/look.h"
#include "egtrace/host/rule_view.h"
#include "triage/checks.h"

namespace egt::assess {
namespace gateway_mark_without_snat {

struct MarkCount {
  std::uint64_t packets = 0;
  Provenance from;
};

std::optional<std::uint64_t> mark_in(const netfilter::ExprPtr& e) {
  const auto n = netfilter::constant(e);
  return n ? std::optional(low64(*n)) : std::nullopt;
}

// The mark that a rule sets, or the one that it asks for before a source translation.
struct MarkUse {
  std::optional<std::uint64_t> sets, translates;
};

MarkUse mark_use(const netfilter::Rule& rule) {
  MarkUse use;
  std::optional<std::uint64_t> asked;
  for (const netfilter::Statement& s : rule.statements) {
    if (const auto* set = std::get_if<netfilter::SetMark>(&s)) use.sets = mark_in(set->value);
    if (const auto* nat = std::get_if<netfilter::NatTarget>(&s); nat != nullptr && netfilter::translates_source(*nat))
      use.translates = asked;
    if (const auto n = netfilter::asked_number(s, {netfilter::Key::mark})) asked = low64(*n);
  }
  return use;
}

void run(const Facts& f, Findings& out) {
  for (const cluster::Node* node : outside_nodes(f.cluster)) {
    std::map<std::uint64_t, MarkCount> marked, translated;
    const host::Host& host = dumped_host(*node);
    for (const auto* part : {&host.iptables_v4, &host.nft})
      for (const netfilter::Table& table : part->value.tables) {
        if (part == &host.nft && table.from_iptables && host.iptables_v4.present) continue;  // listed twice
        for (const netfilter::Chain& chain : table.chains)
          for (const netfilter::Rule& rule : chain.rules) {
            if (!rule.packets) continue;
            const MarkUse use = mark_use(rule);
            if (use.sets) marked[*use.sets] = {marked[*use.sets].packets + *rule.packets, rule.from};
            if (use.translates) translated[*use.translates] = {translated[*use.translates].packets + *rule.packets, rule.from};
          }
      }
    for (const auto& [mark, counted] : marked) {
      const auto snat = translated.find(mark);
      if (counted.packets == 0 || snat == translated.end() || snat->second.packets != 0) continue;
      out.add(Claim::gateway_mark_without_snat, node->name, "", {counted.packets, mark}, {counted.from, snat->second.from});
    }
  }
}

std::optional<Lack> lacks(const Facts& f) { return lack_if(outside_nodes(f.cluster).empty(), Lack::gateway_counters); }

}  // namespace gateway_mark_without_snat

const Check kGatewayMarkWithoutSnat{"gateway-mark-without-snat", Severity::warning, gateway_mark_without_snat::lacks,
                                    gateway_mark_without_snat::run};

}  // namespace egt::assess
