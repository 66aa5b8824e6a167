#include "iptables/lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "egtrace/base/text.h"
#include "iptables/rule_parser.h"
#include "iptables/schema.h"
#include "iptables/value.h"

namespace egt::parsers::iptables {
namespace {

namespace nf = netfilter;

constexpr std::size_t kMostAlternatives = 64;

// Where the kernel calls the built-in chains (include/uapi/linux/netfilter_ipv4.h).
struct BaseChain {
  std::string_view table, chain;
  nf::Hook hook;
  nf::ChainType type;
  int priority;
};
constexpr BaseChain kBaseChains[] = {
    {"raw", "PREROUTING", nf::Hook::prerouting, nf::ChainType::filter, -300},
    {"raw", "OUTPUT", nf::Hook::output, nf::ChainType::filter, -300},
    {"mangle", "PREROUTING", nf::Hook::prerouting, nf::ChainType::filter, -150},
    {"mangle", "INPUT", nf::Hook::input, nf::ChainType::filter, -150},
    {"mangle", "FORWARD", nf::Hook::forward, nf::ChainType::filter, -150},
    {"mangle", "OUTPUT", nf::Hook::output, nf::ChainType::route, -150},
    {"mangle", "POSTROUTING", nf::Hook::postrouting, nf::ChainType::filter, -150},
    {"nat", "PREROUTING", nf::Hook::prerouting, nf::ChainType::nat, -100},
    {"nat", "INPUT", nf::Hook::input, nf::ChainType::nat, 100},
    {"nat", "OUTPUT", nf::Hook::output, nf::ChainType::nat, -100},
    {"nat", "POSTROUTING", nf::Hook::postrouting, nf::ChainType::nat, 100},
    {"filter", "INPUT", nf::Hook::input, nf::ChainType::filter, 0},
    {"filter", "FORWARD", nf::Hook::forward, nf::ChainType::filter, 0},
    {"filter", "OUTPUT", nf::Hook::output, nf::ChainType::filter, 0},
    {"security", "INPUT", nf::Hook::input, nf::ChainType::filter, 50},
    {"security", "FORWARD", nf::Hook::forward, nf::ChainType::filter, 50},
    {"security", "OUTPUT", nf::Hook::output, nf::ChainType::filter, 50},
};

nf::Atom interface_atom(const std::string& name) {
  const bool wildcard = name.ends_with("+");
  return nf::Text{wildcard ? name.substr(0, name.size() - 1) : name, wildcard};
}

void add_selectors(const Rule& rule, Family family, Tests& tests) {
  if (rule.source) tests.push_back(network_test(nf::Key::ip_saddr, nf::Key::ip6_saddr, rule.source->value, rule.source->negate));
  if (rule.destination)
    tests.push_back(network_test(nf::Key::ip_daddr, nf::Key::ip6_daddr, rule.destination->value, rule.destination->negate));
  if (rule.in_device) tests.push_back(equals(nf::Key::iifname, interface_atom(rule.in_device->value), rule.in_device->negate));
  if (rule.out_device) tests.push_back(equals(nf::Key::oifname, interface_atom(rule.out_device->value), rule.out_device->negate));
  if (rule.protocol) {
    const auto number = protocol_number(rule.protocol->value);
    tests.push_back(number ? equals(nf::Key::l4proto, nf::Number{*number}, rule.protocol->negate)
                           : undecided("-p " + rule.protocol->value));
  }
  if (rule.fragment && family == Family::v4) {
    const nf::Op op = *rule.fragment ? nf::Op::ne : nf::Op::eq;
    tests.push_back(nf::Compare{read_masked(nf::Key::ip_frag_off, 0x1fff), op, nf::Number{0}});
  }
  if (!rule.not_understood.empty())
    tests.push_back(undecided(print_value(OptionSpec{"", "", Shape::text}, Words{rule.not_understood})));
}

// A protocol module tests the protocol even where -p is not given with it.
bool implies_protocol(const Match& m, const Rule& rule) {
  static constexpr std::string_view kModules[] = {"tcp", "udp", "sctp", "dccp", "udplite", "icmp", "icmp6"};
  return !rule.protocol && std::find(std::begin(kModules), std::end(kModules), m.module) != std::end(kModules);
}

std::vector<Tests> combine(std::vector<Tests> left, const std::vector<Tests>& right) {
  if (right.size() == 1) {
    for (Tests& t : left) t.insert(t.end(), right[0].begin(), right[0].end());
    return left;
  }
  std::vector<Tests> out;
  for (const Tests& l : left)
    for (const Tests& r : right) {
      out.push_back(l);
      out.back().insert(out.back().end(), r.begin(), r.end());
    }
  return out;
}

std::string comment_of(const Rule& rule) {
  std::string out;
  for (const Match& m : rule.matches)
    for (const Option& o : m.options)
      if (o.name == "--comment")
        if (const auto* w = std::get_if<Word>(&o.value)) out += (out.empty() ? "" : " ") + w->text;
  return out;
}

// Chains of -S and -L without a shown table: those of one dump are of one table, which its rules betray.
std::string common_table(const Document& document) {
  std::string found;
  for (const TreeLine& line : document.lines) {
    const auto* plain = std::get_if<RuleLine>(&line.item);
    const auto* listed = std::get_if<ListedRuleLine>(&line.item);
    const Rule* rule = plain ? &plain->rule : listed ? &listed->rule : nullptr;
    if (std::holds_alternative<TableLine>(line.item)) return {};
    if (!rule) continue;
    if (!rule->table.empty()) return rule->table;
    const std::string table = infer_table(*rule);
    if (table != "filter") return table;
    found = table;
  }
  return found;
}

}  // namespace

void Lowering::add(const TreeLine& line) {
  from_ = {source_, line.number};
  std::visit([this](const auto& item) { on(item); }, line.item);
}

nf::Ruleset Lowering::take() {
  for (nf::Table& t : ruleset_.tables)
    for (nf::Chain& c : t.chains) c.rules.shrink_to_fit();
  return std::move(ruleset_);
}

std::size_t Lowering::table(const std::string& name) {
  for (std::size_t i = 0; i < ruleset_.tables.size(); ++i)
    if (ruleset_.tables[i].name == name) return i;
  nf::Table t;
  t.family = family_ == Family::v4 ? nf::TableFamily::ip : nf::TableFamily::ip6;
  t.name = name;
  t.from = from_;
  ruleset_.tables.push_back(std::move(t));
  chains_.emplace_back();
  return ruleset_.tables.size() - 1;
}

nf::Chain& Lowering::chain(const std::string& table_name, const std::string& name) {
  const std::size_t at = table(table_name);
  nf::Table& t = ruleset_.tables[at];
  const auto [place, is_new] = chains_[at].try_emplace(name, t.chains.size());
  if (!is_new) return t.chains[place->second];
  nf::Chain c;
  c.name = name;
  c.from = from_;
  for (const BaseChain& b : kBaseChains)
    if (b.table == table_name && b.chain == name) {
      c.hook = b.hook;
      c.type = b.type;
      c.priority = b.priority;
    }
  t.chains.push_back(std::move(c));
  return t.chains.back();
}

void Lowering::add_rule(const Rule& rule) {
  std::string name = rule.table.empty() ? table_ : rule.table;
  if (name.empty()) name = infer_table(rule);
  nf::Chain& c = chain(name, rule.chain);
  for (nf::Rule& r : lower_rule(rule, family_, from_, ruleset_.tables[table(name)])) c.rules.push_back(std::move(r));
}

void Lowering::on(const TableLine& t) {
  table_ = t.name;
  table(t.name);
}

void Lowering::on(const ChainLine& c) { chain(current_table(), c.name).drop_by_default = c.policy == "DROP"; }

void Lowering::on(const PolicyLine& p) { chain(current_table(), p.chain).drop_by_default = p.policy == "DROP"; }

void Lowering::on(const ListedChainLine& c) {
  listed_chain_ = c.name;
  chain(current_table(), c.name).drop_by_default = c.policy == "DROP";
}

// A rule that could not be read: whatever comes after it in its chain is not proven.
void Lowering::on(const UnknownLine& u) {
  std::string name;
  const auto parts = words(u.text);
  for (std::size_t i = 0; i + 1 < parts.size() && name.empty(); ++i)
    if (parts[i] == "-A") name = std::string(parts[i + 1]);
  if (name.empty()) name = listed_chain_;
  if (name.empty()) return;
  nf::Rule r;
  r.statements.push_back(nf::OpaqueStatement{u.text});
  r.from = from_;
  chain(current_table(), name).rules.push_back(std::move(r));
}

nf::ExprPtr read_masked(nf::Key key, nf::Number mask) {
  // Rulesets write their few marks and flags over and over.
  constexpr std::size_t kKept = 16;
  struct KeptExpression {
    nf::Key key;
    nf::Number mask;
    nf::ExprPtr expression;
  };
  thread_local std::vector<KeptExpression> kept;
  for (const KeptExpression& k : kept)
    if (k.key == key && k.mask == mask) return k.expression;
  auto made = std::make_shared<const nf::Expr>(nf::Expr{nf::Masked{nf::read_of(key), mask, 0}});
  if (kept.size() == kKept) kept.erase(kept.begin());
  kept.push_back({key, mask, made});
  return made;
}

nf::ExprPtr constant(nf::Number n) { return std::make_shared<const nf::Expr>(nf::Expr{nf::Constant{nf::Atom{n}}}); }

nf::Test equals(nf::Key key, nf::Atom value, bool negate) {
  return nf::Compare{nf::read_of(key), negate ? nf::Op::ne : nf::Op::eq, std::move(value)};
}

nf::Test undecided(std::string what, std::optional<double> probability) { return nf::Undecided{std::move(what), probability}; }

nf::Test network_test(nf::Key v4, nf::Key v6, const Network& n, bool negate) {
  const nf::Key key = n.address.is_v4() ? v4 : v6;
  const U128 all = ones(address_bits(n.address.family));
  const U128 wild = all ^ n.mask, value = n.address.value & n.mask;
  if (n.mask == all) return equals(key, value, negate);
  if ((wild & (wild + 1)) == 0) return equals(key, nf::NumberRange{value, value | wild}, negate);
  return nf::Compare{read_masked(key, n.mask), negate ? nf::Op::ne : nf::Op::eq, value};
}

std::string infer_table(const Rule& rule) {
  static constexpr std::string_view kNat[] = {"SNAT", "DNAT", "MASQUERADE", "REDIRECT", "NETMAP"};
  static constexpr std::string_view kMangle[] = {"MARK", "CONNMARK", "TPROXY", "TEE",    "CLASSIFY",    "DSCP",
                                                 "TOS",  "TTL",      "HL",     "TCPMSS", "TCPOPTSTRIP", "ECN"};
  static constexpr std::string_view kRaw[] = {"CT", "NOTRACK", "TRACE"};
  const auto has = [&](const auto& names) {
    return rule.target && std::find(std::begin(names), std::end(names), rule.target->name) != std::end(names);
  };
  if (has(kNat)) return "nat";
  if (has(kMangle)) return "mangle";
  if (has(kRaw)) return "raw";
  if (rule.chain == "PREROUTING" || rule.chain == "POSTROUTING") return "nat";
  return "filter";
}

std::vector<nf::Rule> lower_rule(const Rule& rule, Family family, Provenance from, const nf::Table& table) {
  std::vector<Tests> alternatives(1);
  add_selectors(rule, family, alternatives[0]);
  for (const Match& m : rule.matches) {
    if (implies_protocol(m, rule))
      for (Tests& t : alternatives) t.push_back(equals(nf::Key::l4proto, nf::Number{*protocol_number(m.module)}));
    const auto more = lower_match(m, family);
    if (alternatives.size() * more.size() > kMostAlternatives) {
      for (Tests& t : alternatives) t.push_back(undecided(print_match(m)));
    } else {
      alternatives = combine(std::move(alternatives), more);
    }
  }
  const auto effects = rule.target ? lower_target(*rule.target, family, table) : std::vector<nf::Statement>{};
  std::vector<nf::Rule> rules;
  for (Tests& tests : alternatives) {
    nf::Rule r;
    r.statements.reserve(tests.size() + effects.size());
    for (nf::Test& t : tests) r.statements.emplace_back(std::move(t));
    r.statements.insert(r.statements.end(), effects.begin(), effects.end());
    r.comment = comment_of(rule);
    if (rule.counters) r.packets = rule.counters->packets, r.bytes = rule.counters->bytes;
    r.from = from;
    rules.push_back(std::move(r));
  }
  return rules;
}

nf::Ruleset lower(const Document& document, Family family, SourceId source) {
  Lowering lowering(family, source, common_table(document));
  for (const TreeLine& line : document.lines) lowering.add(line);
  return lowering.take();
}

}  // namespace egt::parsers::iptables
