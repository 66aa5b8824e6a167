#include "nft/lower.h"

#include <fmt/format.h>

#include <algorithm>

#include "egtrace/base/text.h"
#include "nft/grammar.h"
#include "nft/lower_statement.h"

namespace egt::parsers::nft {
namespace {

namespace nf = netfilter;
using nf::ChainType;
using nf::Hook;
using nf::TableFamily;

template <class Value>
struct Keyword {
  std::string_view word;
  Value value;
};

template <class Value, std::size_t N>
std::optional<Value> find(const Keyword<Value> (&keywords)[N], std::string_view word) {
  for (const auto& k : keywords) {
    if (k.word == word) return k.value;
  }
  return std::nullopt;
}

constexpr Keyword<TableFamily> kFamilies[] = {{"ip", TableFamily::ip},         {"ip6", TableFamily::ip6},
                                              {"inet", TableFamily::inet},     {"arp", TableFamily::arp},
                                              {"bridge", TableFamily::bridge}, {"netdev", TableFamily::netdev}};
constexpr Keyword<Hook> kHooks[] = {
    {"ingress", Hook::ingress}, {"prerouting", Hook::prerouting},   {"input", Hook::input},  {"forward", Hook::forward},
    {"output", Hook::output},   {"postrouting", Hook::postrouting}, {"egress", Hook::egress}};
constexpr Keyword<ChainType> kChainTypes[] = {
    {"filter", ChainType::filter}, {"nat", ChainType::nat}, {"route", ChainType::route}};

// --- tables of iptables-nft ----------------------------------------------------------------------------------------
struct BuiltIn {
  std::string_view table, chain;
  Hook hook;
  ChainType type;
  int priority;
};
constexpr BuiltIn kBuiltIn[] = {
    {"filter", "INPUT", Hook::input, ChainType::filter, 0},
    {"filter", "FORWARD", Hook::forward, ChainType::filter, 0},
    {"filter", "OUTPUT", Hook::output, ChainType::filter, 0},
    {"nat", "PREROUTING", Hook::prerouting, ChainType::nat, -100},
    {"nat", "INPUT", Hook::input, ChainType::nat, 100},
    {"nat", "OUTPUT", Hook::output, ChainType::nat, -100},
    {"nat", "POSTROUTING", Hook::postrouting, ChainType::nat, 100},
    {"mangle", "PREROUTING", Hook::prerouting, ChainType::filter, -150},
    {"mangle", "INPUT", Hook::input, ChainType::filter, -150},
    {"mangle", "FORWARD", Hook::forward, ChainType::filter, -150},
    {"mangle", "OUTPUT", Hook::output, ChainType::route, -150},
    {"mangle", "POSTROUTING", Hook::postrouting, ChainType::filter, -150},
    {"raw", "PREROUTING", Hook::prerouting, ChainType::filter, -300},
    {"raw", "OUTPUT", Hook::output, ChainType::filter, -300},
    {"security", "INPUT", Hook::input, ChainType::filter, 50},
    {"security", "FORWARD", Hook::forward, ChainType::filter, 50},
    {"security", "OUTPUT", Hook::output, ChainType::filter, 50},
    // So iptables 1.8.9 places them (xtables_ipv4[] of iptables/nft.c).
    {"security", "INPUT", Hook::input, ChainType::filter, 150},
    {"security", "FORWARD", Hook::forward, ChainType::filter, 150},
    {"security", "OUTPUT", Hook::output, ChainType::filter, 150},
};

bool is_built_in(std::string_view table, const nf::Chain& c) {
  return std::any_of(std::begin(kBuiltIn), std::end(kBuiltIn), [&](const BuiltIn& b) {
    return b.table == table && b.chain == c.name && b.hook == *c.hook && b.type == c.type && b.priority == c.priority;
  });
}

bool has_iptables_shape(const nf::Table& t) {
  if (t.family != TableFamily::ip && t.family != TableFamily::ip6) return false;
  if (!t.sets.empty()) return false;  // iptables has no named sets
  bool any = false;
  for (const nf::Chain& c : t.chains) {
    if (!c.hook) continue;
    if (!is_built_in(t.name, c)) return false;
    any = true;
  }
  return any;
}

bool uses_xt(const Table& tree) {
  for (const TableItem& item : tree.items) {
    const auto* chain = std::get_if<Chain>(&item);
    if (chain == nullptr) continue;
    if (chain->more_use_xt) return true;
    for (const auto& r : chain->rules)
      if (const auto* rule = std::get_if<Rule>(&r); rule != nullptr && uses_xt(*rule)) return true;
  }
  return false;
}

// --- sets ----------------------------------------------------------------------------------------------------------
Datatype datatype_of(const std::string& word, bool by_expression, const TableScope& scope) {
  if (!by_expression) return datatype_named(word);
  if (word == "verdict") return Datatype::verdict;
  Expression e;
  Position at = word.data();
  if (!parse_tested(at, word.data() + word.size(), e)) return Datatype::unknown;
  const auto tested = lower_tested(e, scope);
  return tested ? tested->type : Datatype::unknown;
}

std::vector<Datatype> datatypes_of(const std::vector<std::string>& words, bool by_expression, const TableScope& scope) {
  std::vector<Datatype> out;
  for (const std::string& w : words) out.push_back(datatype_of(w, by_expression, scope));
  return out;
}

// --- tables --------------------------------------------------------------------------------------------------------
class TableLowering {
 public:
  TableLowering(Table& tree, SourceId source, Lowered& out) : tree_(tree), out_(out) { scope_.source = source; }

  void run() {
    const auto family = find(kFamilies, tree_.family);
    if (!family) {
      say(tree_.line, "unknown table family " + tree_.family);
      out_.incomplete = true;
      return;
    }
    scope_.family = table_.family = *family;
    table_.name = tree_.name;
    table_.from = at(tree_.line);
    table_.dormant = std::any_of(tree_.properties.begin(), tree_.properties.end(), [](const std::string& p) {
      return p.substr(0, 6) == "flags " && p.find("dormant") != std::string::npos;
    });
    if (!tree_.closed) out_.incomplete = true;
    for (const TableItem& item : tree_.items) {
      if (const auto* set = std::get_if<Set>(&item)) add_set(*set);
      if (const auto* line = std::get_if<OpaqueLine>(&item)) note_opaque(*line);
      const auto* object = std::get_if<Object>(&item);
      if (object != nullptr && (!object->known || !object->closed)) out_.incomplete = true;
    }
    const bool from_iptables = tree_.iptables_warning || uses_xt(tree_);
    for (TableItem& item : tree_.items) {
      if (auto* chain = std::get_if<Chain>(&item)) add_chain(*chain);
    }
    for (nf::Chain& c : blocks_) table_.chains.push_back(std::move(c));
    table_.from_iptables = from_iptables || has_iptables_shape(table_);
    out_.rules.tables.push_back(std::move(table_));
  }

 private:
  Provenance at(std::uint32_t line) const { return {scope_.source, line}; }
  void say(std::uint32_t line, std::string message) {
    out_.diagnostics.push_back({Diagnostic::Severity::warning, at(line), 0, std::move(message), {}});
  }
  void note_opaque(const OpaqueLine& line) {
    const std::string_view text = trim(line.text);
    if (!text.empty() && text.front() != '#') out_.incomplete = true;
  }

  void add_set(const Set& s) {
    auto set = std::make_shared<nf::Set>();
    set->name = s.name;
    set->from = at(s.line);
    const auto has = [&](std::string_view flag) { return std::find(s.flags.begin(), s.flags.end(), flag) != s.flags.end(); };
    set->dynamic = has("dynamic");
    set->has_timeout = has("timeout");
    const auto keys = datatypes_of(s.type.key, s.type.by_expression, scope_);
    const auto data = datatypes_of(s.type.data, s.type.by_expression, scope_);
    const bool guarded = std::any_of(s.properties.begin(), s.properties.end(), [](const std::string& p) {
      return p.substr(0, 6) == "limit " || p.substr(0, 6) == "quota " || p.substr(0, 3) == "ct ";
    });
    const bool all = lower_elements(s.elements, keys, data, scope_.source, 0, *set);
    set->contents_unknown = !all || guarded || !s.opaque.empty() || !s.closed;
    if (!all) say(s.line, fmt::format("not all elements of {} are understood", s.name));
    scope_.sets[s.name] = set;
    table_.sets[s.name] = set;
  }

  void add_chain(Chain& c) {
    nf::Chain chain;
    chain.name = c.name;
    chain.from = at(c.base ? c.base->line : c.line);
    if (c.base) set_base(*c.base, chain);
    chain.rules.reserve(c.rules.size() + c.more_rules.size());
    for (auto& item : c.rules) {
      if (const auto* rule = std::get_if<Rule>(&item)) {
        add_rule(*rule, chain);
        item = OpaqueLine{};
      } else {
        note_opaque(std::get<OpaqueLine>(item));
      }
    }
    for (const auto& later : c.more_rules) {
      if (const auto* text = std::get_if<RuleText>(&later)) {
        Rule rule = parse_rule(text->text);
        rule.line = text->line;
        add_rule(rule, chain);
      } else {
        add_rule(*std::get<Boxed<Rule>>(later), chain);
      }
    }
    if (!c.closed) out_.incomplete = true;
    const std::vector<std::string> devices = c.base ? c.base->devices : std::vector<std::string>{};
    for (std::size_t i = 1; i < devices.size(); ++i) {
      nf::Chain copy = chain;
      copy.device = devices[i];
      table_.chains.push_back(std::move(copy));
    }
    if (!devices.empty()) chain.device = devices.front();
    table_.chains.push_back(std::move(chain));
  }
  void set_base(const BaseHeader& b, nf::Chain& chain) {
    const auto type = find(kChainTypes, b.type);
    const auto hook = find(kHooks, b.hook);
    const auto priority = priority_value(b.priority, table_.family);
    if (!type || !hook || !priority || (b.policy && *b.policy != "accept" && *b.policy != "drop")) {
      say(b.line, "header of chain " + chain.name + " not understood");
      out_.incomplete = true;
    }
    if (!hook) return;
    chain.hook = hook;
    chain.type = type.value_or(ChainType::filter);
    chain.priority = priority.value_or(0);
    chain.drop_by_default = b.policy == "drop";
  }
  void add_rule(const Rule& rule, nf::Chain& chain) {
    scope_.line = rule.line;
    LoweredRule lowered = lower_rule(rule, scope_, blocks_);
    lowered.rule.statements.shrink_to_fit();
    chain.rules.push_back(std::move(lowered.rule));
  }

  Table& tree_;
  Lowered& out_;
  TableScope scope_;
  nf::Table table_;
  std::vector<nf::Chain> blocks_;
};

}  // namespace

Lowered lower(Document&& document, SourceId source) {
  Lowered out;
  for (auto& item : document.items) {
    if (auto* table = std::get_if<Table>(&item)) {
      TableLowering(*table, source, out).run();
    } else {
      const std::string_view text = trim(std::get<OpaqueLine>(item).text);
      if (!text.empty() && text.front() != '#') out.incomplete = true;
    }
  }
  return out;
}

}  // namespace egt::parsers::nft
