// iptables text as a whole: lines to tree items and back.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/base/ip.h"
#include "egtrace/parsers/format.h"
#include "iptables/tree.h"

namespace egt::parsers::iptables {

// What the text shows of itself.
struct Traits {
  Family family = Family::v4;
  bool legacy = false;              // the old backend: "iptables-save v1.8.9" without "(nf_tables)", or the command's name
  bool save = false;                // has *table lines
  bool listing = false;             // iptables -L
  bool commands = false;            // iptables -S, or pasted rules: -A, -N, -P without a table line
  bool declares = false;            // -P, -N, or COMMIT: not a mere excerpt
  std::string table;                // of -S and -L: by the command, or by the built-in chains; empty when neither shows
  std::vector<std::string> chains;  // declared by -P, or with a policy in -L
  int rules = 0;
};
Traits traits_of(const Dump& dump);

// Reads the whole text; what was not understood goes to the report and stays in the tree.
Document parse_document(const Dump& dump, const Traits& traits, Report& report);
// The same line by line, for callers that need no line twice.
void for_each_line(const Dump& dump, const Traits& traits, Report& report, const std::function<void(TreeLine&&)>& take);
std::string print_item(const Item& item);
void print_line(const TreeLine& line, std::string& out);
void print_document(const Document& document, std::string& out);

// iptables -L. `columns`: of the last header line.
std::optional<ListedChainLine> parse_listed_chain(std::string_view line);
std::string print_listed_chain(const ListedChainLine& c);
std::optional<ListedColumnsLine> parse_listed_columns(std::string_view line);
struct ListedRule {
  ListedRuleLine line;
  std::string problem;
};
std::optional<ListedRule> parse_listed_rule(std::string_view line, const ListedColumnsLine& columns, Family family,
                                            const std::string& chain);
std::string print_listed_rule(const ListedRuleLine& r);
// What the words behind the columns mean, into matches and options of the target. Returns what stays unexplained.
std::string parse_description(std::string_view description, Family family, Rule& rule);

}  // namespace egt::parsers::iptables
