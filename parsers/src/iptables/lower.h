// The tree of iptables text to netfilter's model: tables with their hooks and priorities, rules as tests and
// statements.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "egtrace/base/ip.h"
#include "egtrace/host/netfilter.h"
#include "egtrace/parsers/format.h"
#include "iptables/tree.h"

namespace egt::parsers::iptables {

// Gathers tables and chains while the lines go by.
class Lowering {
 public:
  // `table`: of lines that stand in no table (-S, -L, pasted rules); empty where each line must show.
  Lowering(Family family, SourceId source, std::string table)
      : family_(family), source_(source), given_(std::move(table)), table_(given_) {}

  void add(const TreeLine& line);
  netfilter::Ruleset take();

 private:
  std::size_t table(const std::string& name);  // its place, made where it is new
  netfilter::Chain& chain(const std::string& table_name, const std::string& name);
  std::string current_table() const { return table_.empty() ? "filter" : table_; }
  void add_rule(const Rule& rule);
  void on(const CommentLine&) {}
  void on(const BlankLine&) {}
  void on(const ListedColumnsLine&) {}
  void on(const TableLine& t);
  void on(const CommitLine&) { table_ = given_; }
  void on(const ChainLine& c);
  void on(const PolicyLine& p);
  void on(const NewChainLine& n) { chain(current_table(), n.chain); }
  void on(const RuleLine& r) { add_rule(r.rule); }
  void on(const ListedChainLine& c);
  void on(const ListedRuleLine& r) { add_rule(r.rule); }
  void on(const UnknownLine& u);

  Family family_;
  SourceId source_;
  std::string given_, table_;
  Provenance from_;
  netfilter::Ruleset ruleset_;
  std::vector<std::unordered_map<std::string, std::size_t>> chains_;  // of each table: where a chain stands
  std::string listed_chain_;                                          // of iptables -L, whose lines do not name their chain
};

// Of lines in no table, which their rules betray.
netfilter::Ruleset lower(const Document& document, Family family, SourceId source);

// The table that a pasted rule is most likely of: its target or chain shows (SNAT → nat); "filter" otherwise.
std::string infer_table(const Rule& rule);

// One line may become several rules where iptables has an "or" that the model lacks; at most one of them applies.
std::vector<netfilter::Rule> lower_rule(const Rule& rule, Family family, Provenance from, const netfilter::Table& table);

// Pieces of lower_rule. A conjunction of tests; several of them exclude each other.
using Tests = std::vector<netfilter::Test>;
std::vector<Tests> lower_match(const Match& match, Family family);
std::vector<netfilter::Statement> lower_target(const Target& target, Family family, const netfilter::Table& table);

// Small makers of expressions.
netfilter::ExprPtr read_masked(netfilter::Key key, netfilter::Number mask);
netfilter::ExprPtr constant(netfilter::Number n);
netfilter::Test equals(netfilter::Key key, netfilter::Atom value, bool negate = false);
netfilter::Test undecided(std::string what, std::optional<double> probability = std::nullopt);
netfilter::Test network_test(netfilter::Key v4, netfilter::Key v6, const Network& n, bool negate);

}  // namespace egt::parsers::iptables
