// Rules of iptables and nft.
#include "catalogue.h"
#include "egtrace/base/text.h"
#include "gaps.h"
#include "values.h"

namespace egt::sql {
namespace {

using cluster::Node;
namespace nf = netfilter;

struct FilterRow {
  const Node* node;
  const char* tool;
  const nf::Table* table;
  const nf::Chain* chain;
  std::size_t position;
  const nf::Rule& rule() const { return chain->rules[position]; }
};

using C = const Context&;
using FilterRef = const FilterRow&;

std::string_view name_of(nf::TableFamily family) {
  constexpr std::string_view kNames[] = {"ip", "ip6", "inet", "arp", "bridge", "netdev"};
  return kNames[static_cast<std::size_t>(family)];
}
std::string_view name_of(nf::Hook hook) {
  constexpr std::string_view kNames[] = {"ingress", "prerouting", "input", "forward", "output", "postrouting", "egress"};
  return kNames[static_cast<std::size_t>(hook)];
}
std::string verdict_words(const nf::Verdict& v) {
  constexpr std::string_view kNames[] = {"accept", "drop", "continue", "return", "jump", "goto", "queue", "reject"};
  const std::string name(kNames[static_cast<std::size_t>(v.kind)]);
  return v.chain.empty() ? name : name + " " + v.chain;
}
std::string_view name_of(nf::NatTarget::Kind kind) {
  constexpr std::string_view kNames[] = {"snat", "dnat", "masquerade", "redirect", "netmap"};
  return kNames[static_cast<std::size_t>(kind)];
}

// What the rule decides: the last verdict or translation.
Value verdict_of(const nf::Rule& rule) {
  Value out;
  for (const nf::Statement& s : rule.statements) {
    if (const auto* verdict = std::get_if<nf::VerdictStatement>(&s)) out = text(verdict_words(verdict->verdict));
    if (std::holds_alternative<nf::VerdictMapStatement>(s)) out = text("vmap");
    if (const auto* nat = std::get_if<nf::NatTarget>(&s)) out = text(name_of(nat->kind));
  }
  return out;
}

std::string range_text(Family family, nf::Number first, nf::Number last) {
  const IpAddr from{family, first}, to{family, last};
  if (first == last) return from.to_string();
  for (unsigned length = 0; length <= address_bits(family); ++length) {
    const Prefix prefix{from, static_cast<std::uint8_t>(length)};
    const U128 host = ~prefix.mask() & Prefix::host(from).mask();
    if (prefix.network().address == from && (first | host) == last) return prefix.to_string();
  }
  return from.to_string() + "-" + to.to_string();
}

Value nat_address(const nf::Rule& rule) {
  for (const nf::Statement& s : rule.statements) {
    const auto* nat = std::get_if<nf::NatTarget>(&s);
    if (nat == nullptr) continue;
    if (const auto* range = get_if_boxed<IpRange>(&nat->address))
      return text(range_text(range->first.family, range->first.value, range->last.value));
    if (const auto* prefix = get_if_boxed<Prefix>(&nat->address)) return text(prefix->to_string());
  }
  return {};
}

// The address that a test of the rule wants exactly; other tests (sets, negation) are in its text alone.
Value wanted_address(const nf::Rule& rule, nf::Key v4, nf::Key v6) {
  for (const nf::Statement& s : rule.statements) {
    const auto* test = std::get_if<nf::Test>(&s);
    const auto* compare = test != nullptr ? std::get_if<nf::Compare>(test) : nullptr;
    if (compare == nullptr || compare->op != nf::Op::eq || !compare->left) continue;
    const auto* read = std::get_if<nf::Read>(&compare->left->node);
    if (read == nullptr || (read->key != v4 && read->key != v6)) continue;
    const Family family = read->key == v4 ? Family::v4 : Family::v6;
    if (const auto* one = std::get_if<nf::Number>(&compare->right)) return text(range_text(family, *one, *one));
    if (const auto* range = get_if_boxed<nf::NumberRange>(&compare->right))
      return text(range_text(family, range->first, range->last));
  }
  return {};
}

void add_rules(const Node& node, const char* tool, const nf::Ruleset& ruleset, std::vector<FilterRow>& out) {
  for (const nf::Table& table : ruleset.tables)
    for (const nf::Chain& chain : table.chains)
      for (std::size_t i = 0; i < chain.rules.size(); ++i) out.push_back({&node, tool, &table, &chain, i});
}

void filter_rows(C context, std::vector<FilterRow>& out) {
  for (const auto& node : context.cluster().nodes) {
    const host::Host& host = node->host;
    add_rules(*node, "iptables", host.iptables_v4.value, out);
    add_rules(*node, "ip6tables", host.iptables_v6.value, out);
    add_rules(*node, "iptables-legacy", host.iptables_legacy_v4.value, out);
    add_rules(*node, "ip6tables-legacy", host.iptables_legacy_v6.value, out);
    add_rules(*node, "nft", host.nft.value, out);
  }
}

std::vector<Gap> filter_gaps(C context) {
  return gaps_of_nodes(context, "netfilter rules", "nft -s list ruleset; iptables-save -c", [](const Node& n) {
    const Lack nft = lack_of_part(n.host.nft), iptables = lack_of_part(n.host.iptables_v4);
    return nft == Lack::all && iptables == Lack::all     ? Lack::all
           : nft == Lack::rest || iptables == Lack::rest ? Lack::rest
                                                         : Lack::nothing;
  });
}

Definition<FilterRow> netfilter_rules() {
  return {
      "netfilter_rules",
      "rules of iptables-save and nft list ruleset",
      {{"node", "TEXT", "node", [](C, FilterRef r) { return text(r.node->name); }},
       {"tool", "TEXT", "iptables, ip6tables, iptables-legacy, ip6tables-legacy, nft",
        [](C, FilterRef r) { return text(r.tool); }},
       {"family", "TEXT", "ip, ip6, inet, ...", [](C, FilterRef r) { return text(name_of(r.table->family)); }},
       {"table_name", "TEXT", "table", [](C, FilterRef r) { return text(r.table->name); }},
       {"chain", "TEXT", "chain", [](C, FilterRef r) { return text(r.chain->name); }},
       {"hook", "TEXT", "of a base chain",
        [](C, FilterRef r) { return r.chain->hook ? text(name_of(*r.chain->hook)) : Value(); }},
       {"position", "INTEGER", "in the chain, from 0", [](C, FilterRef r) { return number(r.position); }},
       {"packets", "INTEGER", "NULL: dumped without counters", [](C, FilterRef r) { return number(r.rule().packets); }},
       {"bytes", "INTEGER", "bytes", [](C, FilterRef r) { return number(r.rule().bytes); }},
       {"source", "TEXT", "address or network that it wants; NULL: none, or a set",
        [](C, FilterRef r) { return wanted_address(r.rule(), nf::Key::ip_saddr, nf::Key::ip6_saddr); }},
       {"destination", "TEXT", "likewise",
        [](C, FilterRef r) { return wanted_address(r.rule(), nf::Key::ip_daddr, nf::Key::ip6_daddr); }},
       {"verdict", "TEXT", "accept, drop, jump CHAIN, snat, dnat, masquerade, ...",
        [](C, FilterRef r) { return verdict_of(r.rule()); }},
       {"nat_to", "TEXT", "address that it translates to", [](C, FilterRef r) { return nat_address(r.rule()); }},
       {"comment", "TEXT", "comment", [](C, FilterRef r) { return text(r.rule().comment); }},
       {"rule", "TEXT", "the line", [](C c, FilterRef r) { return text(trim(c.cluster().sources->line_text(r.rule().from))); }}},
      filter_rows,
      [](C, FilterRef r) { return r.rule().from; },
      filter_gaps};
}

}  // namespace

void add_netfilter_tables(Tables& all) { all.push_back(make_table(netfilter_rules())); }

}  // namespace egt::sql
