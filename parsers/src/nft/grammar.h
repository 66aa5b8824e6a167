// The grammar of nft rules: expressions and statements, from text to tree (nft(8), "EXPRESSIONS" and "STATEMENTS").
//
// All functions take [first, last), advance `first` behind what they understood and leave it alone when they fail. Blanks
// before the construct are skipped. Recursion is bounded by the nesting of braces and parentheses, which callers check
// with nesting_is_sane().
#pragma once

#include <string_view>

#include "nft/tree.h"

namespace egt::parsers::nft {

using Position = const char*;

// Whether braces, brackets and parentheses nest at most 32 deep.
bool nesting_is_sane(std::string_view text);

// "ip saddr", "meta mark", "fib daddr . iif type", "jhash ip saddr mod 2" …
bool parse_selector(Position& first, Position last, Expression& out);
// What is tested: selectors with concatenation and binary operators.
bool parse_tested(Position& first, Position last, Expression& out);
// What a test compares with: literal, range, list, set, @set. No selectors: "ip" is the symbol here.
bool parse_operand(Position& first, Position last, Expression& out);
// What a statement writes: selectors or literals, binary operators, `… map { … }`.
bool parse_value(Position& first, Position last, Expression& out);
// "{ a, b : c }" and the inside of it; `with_selectors`: keys may be selectors, as in `add @s { ip saddr }`.
bool parse_set(Position& first, Position last, Expression& out);
bool parse_elements(Position& first, Position last, std::vector<Element>& out);
bool parse_dynamic_element(Position& first, Position last, Element& out);
// One literal: a word, a quoted string, or a range of words.
bool parse_literal(Position& first, Position last, Expression& out);
// counter, quota, limit, last, ct count: what elements and sets may carry, and rules too.
bool parse_stateful(Position& first, Position last, Statement& out);
// snat, dnat, masquerade, redirect, tproxy, dup, fwd.
bool parse_translation(Position& first, Position last, Statement& out);
// Any one statement.
bool parse_statement(Position& first, Position last, Statement& out);
// The common ones, quickly, with the same result; false where the grammar has to look.
bool parse_common_statement(Position& first, Position last, Statement& out);
bool parse_common_elements(Position& first, Position last, std::vector<Element>& out);

// A literal by its spelling (without quotes).
Literal classify(std::string_view word);

// A whole rule: statements, comment, handle. What cannot be understood becomes an OpaqueStatement up to the comment or
// handle; Rule::opaque_column shows where it starts.
Rule parse_rule(std::string_view text);

}  // namespace egt::parsers::nft
