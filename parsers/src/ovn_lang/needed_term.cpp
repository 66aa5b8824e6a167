#include "ovn_lang/needed_term.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <utility>

#include "egtrace/base/text.h"
#include "ovn_lang/lexer.h"
#include "ovn_lang/symbols.h"

namespace egt::parsers::ovn_lang {
namespace {

constexpr std::size_t kDepth = 32;   // of parentheses; deeper ones are left to the careful reader
constexpr unsigned kLeastBits = 16;  // of a field that distinguishes flows

// How much the kinds of constants distinguish, beside widths of fields in bits.
constexpr unsigned kPortWorth = 64, kGroupWorth = 20, kMaskedWorth = 17;

// FIELD == CONSTANT, not looked into yet.
struct Term {
  const ovn::Symbol* symbol = nullptr;
  std::string_view constant;
  unsigned worth = 0;
};

bool is_name_char(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '.'; }

unsigned worth_of(const ovn::Symbol& symbol, std::string_view constant) {
  switch (constant.front()) {
    case '"': return symbol.is_string() ? kPortWorth : 0;
    case '@': return symbol.is_string() ? kGroupWorth : 0;
    default:
      if (!is_hex_digit(constant.front()) && constant.front() != ':') return 0;
      if (symbol.bits < kLeastBits) return 0;
      return constant.find('/') == std::string_view::npos ? symbol.bits : kMaskedWorth;
  }
}

// Goes once through the text. Terms of a group in parentheses that has an `||` of its own, or a `!` before it, need not
// hold.
class TermFinder {
 public:
  TermFinder(std::string_view text, const SymbolTable& symbols) : text_(text), symbols_(symbols) {}

  // The best term, and the one that comes after it or none; nothing where there is no best one.
  std::optional<std::array<Term, 2>> find() {
    while (skip_blanks())
      if (!take()) return std::nullopt;
    const Group& outer = groups_[0];
    if (depth_ != 0 || outer.alternatives || outer.best[0].symbol == nullptr) return std::nullopt;
    return outer.best;
  }

 private:
  struct Group {
    bool negated = false, alternatives = false;
    std::array<Term, 2> best;
  };

  bool at(std::string_view word) const { return text_.substr(at_).starts_with(word); }
  bool skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    return at_ < text_.size();
  }
  bool take() {
    const char c = text_[at_];
    if (c == '(') return open();
    if (c == ')') return close();
    if (at("&&")) return at_ += 2, true;
    if (at("||")) return at_ += 2, groups_[depth_].alternatives = true;
    if (c == '!') return ++at_, negated_ = !negated_, true;
    return take_term();
  }
  bool open() {
    if (depth_ + 1 == kDepth) return false;
    groups_[++depth_] = {std::exchange(negated_, false), false, {}};
    return ++at_, true;
  }
  bool close() {
    if (depth_ == 0) return false;
    const Group& inner = groups_[depth_--];
    if (!inner.negated && !inner.alternatives)
      for (const Term& term : inner.best) consider(term);
    return ++at_, true;
  }
  void consider(const Term& term) {
    auto& [first, second] = groups_[depth_].best;
    if (term.worth > first.worth)
      second = std::exchange(first, term);
    else if (term.worth > second.worth)
      second = term;
  }
  bool take_term();
  std::size_t end_of_term() const;

  std::string_view text_;
  const SymbolTable& symbols_;
  std::size_t at_ = 0, depth_ = 0;
  bool negated_ = false;
  std::array<Group, kDepth> groups_;
};

// Where the next operator or closing parenthesis stands; npos where a string does not end or a comment begins.
std::size_t TermFinder::end_of_term() const {
  std::size_t open = 0;
  for (std::size_t i = at_; i < text_.size(); ++i) {
    const char c = text_[i], next = i + 1 < text_.size() ? text_[i + 1] : '\0';
    if (c == '"') {
      i = text_.find('"', i + 1);
      if (i == std::string_view::npos || text_[i - 1] == '\\') return std::string_view::npos;
    } else if (c == '(') {
      ++open;
    } else if (c == ')') {
      if (open-- == 0) return i;
    } else if (c == '/' && (next == '/' || next == '*')) {
      return std::string_view::npos;
    } else if ((c == '&' || c == '|') && next == c) {
      return open == 0 ? i : std::string_view::npos;
    }
  }
  return open == 0 ? text_.size() : std::string_view::npos;
}

bool TermFinder::take_term() {
  const std::size_t end = end_of_term();
  if (end == std::string_view::npos || end == at_) return false;
  const std::string_view term = trim_right(text_.substr(at_, end - at_));
  at_ = end;
  if (std::exchange(negated_, false)) return true;
  std::size_t name_end = 0;
  while (name_end < term.size() && is_name_char(term[name_end])) ++name_end;
  std::string_view rest = trim_left(term.substr(name_end));
  if (!consume(rest, "==")) return true;
  rest = trim_left(rest);
  const ovn::Symbol* symbol = rest.empty() ? nullptr : symbols_.find(term.substr(0, name_end));
  if (symbol != nullptr && symbol->field && symbol->parent == nullptr && symbol->predicate.empty())
    consider({symbol, rest, worth_of(*symbol, rest)});
  return true;
}

// As the parser names sets: "KEY_NAME".
const ovn::ValueSet* find_group(std::string_view name, const Environment& environment) {
  if (environment.port_groups == nullptr) return nullptr;
  const auto it = environment.port_groups->find(fmt::format("{}_{}", environment.datapath_key, name));
  return it == environment.port_groups->end() ? nullptr : it->second.get();
}

std::optional<ovn::NeededTerm> understood(const Term& term, const Environment& environment) {
  const Token token = next_token(term.constant, 0);
  if (token.end != term.constant.size()) return std::nullopt;
  const unsigned bits = term.symbol->bits;
  switch (token.type) {
    case TokenType::string: return ovn::NeededTerm{term.symbol, 0, 0, term.constant.substr(1, term.constant.size() - 2), nullptr};
    case TokenType::port_group: {
      const ovn::ValueSet* group = find_group(token.text, environment);
      return group ? std::optional(ovn::NeededTerm{term.symbol, 0, 0, {}, group}) : std::nullopt;
    }
    case TokenType::integer:
    case TokenType::masked_integer: {
      const U128 mask = token.type == TokenType::integer ? ones(bits) : token.mask;
      const bool fits = token.excess == 0 && (token.value & ~ones(bits)) == 0 && (mask & ~ones(bits)) == 0;
      return fits && mask != 0 ? std::optional(ovn::NeededTerm{term.symbol, token.value, mask, {}, nullptr}) : std::nullopt;
    }
    default: return std::nullopt;
  }
}

}  // namespace

std::optional<ovn::NeededTerms> find_needed_terms(std::string_view match, const Environment& environment) {
  if (environment.symbols == nullptr) return std::nullopt;
  const auto found = TermFinder(match, *environment.symbols).find();
  if (!found) return std::nullopt;
  const auto& [best, next] = *found;
  const auto first = understood(best, environment);
  if (!first) return std::nullopt;
  const bool is_number = next.symbol != nullptr && next.worth != kMaskedWorth && !next.symbol->is_string();
  return ovn::NeededTerms{*first, is_number ? understood(next, environment) : std::nullopt};
}

}  // namespace egt::parsers::ovn_lang
