// The tree of iptables text to netfilter's model: tables with their hooks and priorities, rules as tests and
// statements.
#pragma once

#include <string>
#include <vector>

#include "egtrace/base/ip.h"
#include "egtrace/host/netfilter.h"
#include "egtrace/parsers/format.h"
#include "iptables/tree.h"

namespace egt::parsers::iptables {

// `table`: of lines that stand in no table (-S, -L, pasted rules); empty where each line must tell.
netfilter::Ruleset lower(const Document& document, Family family, SourceId source, const std::string& table);

// The table that a pasted rule is most likely of: its target or chain tells (SNAT → nat); "filter" otherwise.
std::string infer_table(const Rule& rule);

// One line may become several rules where iptables has an "or" that the model lacks; at most one of them applies.
std::vector<netfilter::Rule> lower_rule(const Rule& rule, Family family, Provenance from,
                                        const netfilter::Table& table);

// Pieces of lower_rule. A conjunction of tests; several of them exclude each other.
using Tests = std::vector<netfilter::Test>;
std::vector<Tests> lower_match(const Match& match, Family family);
std::vector<netfilter::Statement> lower_target(const Target& target, Family family, const netfilter::Table& table);

// Small makers of expressions.
netfilter::ExprPtr read(netfilter::Key key);
netfilter::ExprPtr read_masked(netfilter::Key key, netfilter::Number mask);
netfilter::ExprPtr constant(netfilter::Number n);
netfilter::Test equals(netfilter::Key key, netfilter::Atom value, bool negate = false);
netfilter::Test undecided(std::string what, std::optional<double> probability = std::nullopt);
netfilter::Test network_test(netfilter::Key v4, netfilter::Key v6, const Network& n, bool negate);

}  // namespace egt::parsers::iptables
