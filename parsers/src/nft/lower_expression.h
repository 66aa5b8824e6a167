// Expressions of the tree as reads, constants and lookups of the rule model.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "egtrace/host/netfilter.h"
#include "nft/datatype.h"
#include "nft/tree.h"

namespace egt::parsers::nft {

// What lowering an expression needs to know of its table.
struct TableScope {
  netfilter::TableFamily family = netfilter::TableFamily::ip;
  std::map<std::string, netfilter::SetPtr> sets;
  SourceId source = kNoSource;
  std::uint32_t line = 0;  // of the rule: anonymous sets stand there
};

// Something that a rule reads. `implied`: tests that nft does not print because the selector implies them.
struct Tested {
  netfilter::ExprPtr expr;
  Datatype type = Datatype::unknown;
  std::vector<netfilter::Test> implied;
};

// One part of a test's left side; empty when the model has no key for it.
std::optional<Tested> lower_tested(const Expression& e, const TableScope& scope);
// All parts of a concatenation.
std::optional<std::vector<Tested>> lower_parts(const Expression& e, const TableScope& scope);

// What the headers that an expression reads say of the packet, whether or not the model has keys for their fields.
void imply_headers(const Expression& e, const TableScope& scope, std::vector<netfilter::Test>& out);

// A literal, range or list of flags of that type.
std::optional<netfilter::Atom> lower_atom(const Expression& e, Datatype type);
std::optional<netfilter::Concat> lower_concat(const Expression& e, const std::vector<Datatype>& types);

// What a statement writes; `types`: of its parts.
netfilter::ExprPtr lower_value(const Expression& e, const std::vector<Datatype>& types, const TableScope& scope);

// An anonymous set or map, or the named one; null when it is neither. `key` and `data`: types of the parts.
netfilter::SetPtr lower_set(const Expression& e, const std::vector<Datatype>& key, const std::vector<Datatype>& data,
                            const TableScope& scope);
// Adds elements to `set`; false when one was not understood.
bool lower_elements(const std::vector<Element>& elements, const std::vector<Datatype>& key, const std::vector<Datatype>& data,
                    SourceId source, std::uint32_t first_line, netfilter::Set& set);

std::optional<netfilter::Verdict> lower_verdict(const VerdictExpr& v);
netfilter::Test implied_protocol(std::uint8_t protocol);
netfilter::Test implied_family(Family family, netfilter::TableFamily table);

}  // namespace egt::parsers::nft
