#include "ovn_lang/action_parser.h"

#include <fmt/format.h>

#include <algorithm>

namespace egt::parsers::ovn_lang {

using ovn::ActionList;
using ovn::FieldRef;
using ovn::Nested;
using ovn::PlainAction;
using Type = TokenType;
namespace writable = ovn::writable;

namespace {

constexpr unsigned kMaxNesting = 32;

}  // namespace

void ActionParser::add_prerequisite(ovn::Expression e) {
  prerequisites_ = prerequisites_ ? combine(true, std::move(*prerequisites_), std::move(e)) : std::move(e);
}

void ActionParser::add_prerequisite(std::string_view symbol) {
  if (auto e = parse_expression(symbol, environment_)) add_prerequisite(std::move(*e));
}

std::optional<FieldRef> ActionParser::parse_target() {
  const auto f = fields_.parse_field();
  if (f && !f->symbol->predicate.empty())
    lexer_.error(fmt::format("Predicate symbol {} used where lvalue required.", f->symbol->name));
  if (!f || lexer_.failed()) return std::nullopt;
  for (const ovn::Symbol* s = f->symbol; s != nullptr; s = s->parent) {
    if (s->prerequisites.empty()) continue;
    if (!s->prerequisite_tree) {
      lexer_.error(s->prerequisite_error);
      return std::nullopt;
    }
    add_prerequisite(*s->prerequisite_tree);
  }
  return f;
}

bool ActionParser::check_field(const FieldRef& f, unsigned bits, bool to_write) {
  const std::string& name = f.symbol->name;
  if (bits != f.bits) {
    if (bits && f.bits)
      lexer_.error(fmt::format("Cannot use {}-bit field {}[{}..{}] where {}-bit field is required.", f.bits, name, f.first,
                               f.first + f.bits - 1, bits));
    else
      lexer_.error(fmt::format("Cannot use {} field {} where {} field is required.", bits ? "string" : "numeric", name,
                               bits ? "numeric" : "string"));
    return false;
  }
  if (to_write && !(f.symbol->writable & scope_)) {
    lexer_.error(fmt::format("Field {} is not modifiable.", name));
    return false;
  }
  return true;
}

// Errors are in the lexer; a field is handed back in any case, so that what follows need not ask.
FieldRef ActionParser::parse_field_of(unsigned bits, bool to_write) {
  const auto f = lexer_.failed() ? std::nullopt : parse_target();
  if (!f) return {};
  check_field(*f, bits, to_write);
  return *f;
}

bool ActionParser::parse_u16(std::uint16_t& value, std::string_view what) {
  if (lexer_.is_small_integer() && lexer_.token().value <= 0xffff) {
    value = static_cast<std::uint16_t>(lexer_.token().value);
    lexer_.advance();
    return true;
  }
  lexer_.syntax_error(fmt::format("expecting {}", what));
  return false;
}

bool ActionParser::parse_bool(bool& value) {
  for (const bool candidate : {true, false}) {
    const std::string_view word = candidate ? "true" : "false";
    if (!lexer_.match_string(word) && !lexer_.match_id(word)) continue;
    value = candidate;
    return true;
  }
  lexer_.syntax_error("expecting true or false");
  return false;
}

bool ActionParser::force_parameter(std::string_view name) {
  if (lexer_.match_id(name)) return lexer_.force_match(Type::equals);
  lexer_.syntax_error("invalid parameter");
  return false;
}

bool ActionParser::parse_plain(std::string_view word, ActionList& out) {
  using K = PlainAction::Kind;
  static constexpr std::pair<std::string_view, K> kWords[] = {
      {"output", K::output},
      {"ct_clear", K::ct_clear},
      {"igmp", K::igmp},
      {"ct_snat_to_vip", K::ct_snat_to_vip},
      {"handle_dhcpv6_reply", K::dhcpv6_reply},
      {"mac_cache_use", K::mac_cache_use},
      {"flood_remote", K::flood_remote},
  };
  const auto* known = std::find_if(std::begin(kWords), std::end(kWords), [&](const auto& w) { return w.first == word; });
  if (known != std::end(kWords)) {
    lexer_.advance();
    out.push_back({PlainAction{known->second}});
  } else if (word == "ip.ttl") {
    lexer_.advance();
    lexer_.force_match(Type::decrement);
    out.push_back({PlainAction{K::decrement_ttl}});
    add_prerequisite("ip");
  } else if (word == "handle_bfd_msg") {
    lexer_.advance();
    if (lexer_.force_match(Type::lparen)) lexer_.force_match(Type::rparen);
    out.push_back({PlainAction{K::bfd_message}});
  } else {
    return false;
  }
  return true;
}

bool ActionParser::parse_ct_word(std::string_view word, ActionList& out) {
  if (!word.starts_with("ct_")) return false;
  using K = ovn::CtLb::Kind;
  const auto is = [&](std::string_view name) {
    if (word != name) return false;
    lexer_.advance();
    return true;
  };
  if (is("ct_next"))
    parse_ct_next(out);
  else if (is("ct_commit"))
    parse_ct_commit(out);
  else if (is("ct_commit_to_zone"))
    parse_ct_commit_to_zone(false, out);
  else if (is("ct_commit_nat"))
    parse_ct_commit_to_zone(true, out);
  else if (is("ct_dnat"))
    parse_ct_nat("ct_dnat", true, false, out);
  else if (is("ct_snat"))
    parse_ct_nat("ct_snat", false, false, out);
  else if (is("ct_dnat_in_czone"))
    parse_ct_nat("ct_dnat_in_czone", true, true, out);
  else if (is("ct_snat_in_czone"))
    parse_ct_nat("ct_snat_in_czone", false, true, out);
  else if (is("ct_lb"))
    parse_ct_lb(K::label, out);
  else if (is("ct_lb_mark"))
    parse_ct_lb(K::mark, out);
  else if (is("ct_lb_mark_local"))
    parse_ct_lb(K::mark_local, out);
  else
    return false;
  return true;
}

bool ActionParser::parse_nested_word(std::string_view word, ActionList& out) {
  using K = Nested::Kind;
  const std::string_view arp = context_.dialect.answers_any_family ? "ip" : "ip4";
  const std::string_view nd = context_.dialect.answers_any_family ? "ip" : "ip6";
  struct Row {
    std::string_view word;
    K kind;
    std::string_view prerequisite;
  };
  const Row rows[] = {
      {"clone", K::clone, ""},
      {"arp", K::arp, arp},
      {"icmp4", K::icmp4, "ip4"},
      {"icmp4_error", K::icmp4_error, "ip4"},
      {"icmp6", K::icmp6, "ip6"},
      {"icmp6_error", K::icmp6_error, "ip6"},
      {"tcp_reset", K::tcp_reset, "tcp"},
      {"sctp_abort", K::sctp_abort, "sctp"},
      {"reject", K::reject, ""},
      {"nd_na", K::nd_na, "nd_ns"},
      {"nd_na_router", K::nd_na_router, "nd_ns"},
      {"nd_ns", K::nd_ns, nd},
  };
  const auto* row = std::find_if(std::begin(rows), std::end(rows), [&](const Row& r) { return r.word == word; });
  if (row == std::end(rows)) return false;
  lexer_.advance();
  Nested nested{row->kind, {}};
  parse_block(nested.actions, row->prerequisite, row->kind == K::clone ? writable::by_default : scope_);
  out.push_back({std::move(nested)});
  return true;
}

// The prerequisites of the inner actions are about the packet that they make; only those of a clone hold outside.
void ActionParser::parse_block(ActionList& out, std::string_view prerequisite, std::uint8_t scope) {
  if (!lexer_.force_match(Type::lcurly)) return;
  if (depth_ + 1 == kMaxNesting) return lexer_.error("maximum depth of nested actions reached");
  auto outer = std::exchange(prerequisites_, std::nullopt);
  const std::uint8_t outer_scope = std::exchange(scope_, scope);
  ++depth_;
  parse_list(out, Type::rcurly);
  --depth_;
  scope_ = outer_scope;
  auto inner = std::exchange(prerequisites_, std::nullopt);
  if (!prerequisite.empty()) {
    prerequisites_ = std::move(outer);
    add_prerequisite(prerequisite);
  } else {
    prerequisites_ = std::move(inner);
    if (outer) add_prerequisite(std::move(*outer));
  }
}

void ActionParser::parse_next_arguments(ovn::NextTable& next) {
  std::uint32_t table = 0;
  if (lexer_.take_small_integer(table)) {
    next.table = static_cast<std::uint16_t>(std::min(table, 0xffffu));
    return;
  }
  do {
    if (lexer_.match_id("pipeline")) {
      if (!lexer_.force_match(Type::equals)) return;
      if (lexer_.match_id("ingress"))
        next.pipeline = ovn::Pipeline::ingress;
      else if (lexer_.match_id("egress"))
        next.pipeline = ovn::Pipeline::egress;
      else
        return lexer_.syntax_error("expecting \"ingress\" or \"egress\"");
    } else if (lexer_.match_id("table")) {
      if (!lexer_.force_match(Type::equals) || !lexer_.force_small_integer(table)) return;
      next.table = static_cast<std::uint16_t>(std::min(table, 0xffffu));
    } else {
      return lexer_.syntax_error("expecting \"pipeline\" or \"table\"");
    }
  } while (lexer_.match(Type::comma));
}

void ActionParser::parse_next(ActionList& out) {
  ovn::NextTable next{context_.pipeline, table_after(), false, false};
  if (lexer_.match(Type::lparen)) {
    parse_next_arguments(next);
    if (lexer_.failed() || !lexer_.force_match(Type::rparen)) return;
  }
  if (next.table >= tables(next.pipeline))
    return lexer_.error(fmt::format("\"next\" action cannot advance beyond table {}.", tables(next.pipeline)));
  next.other_pipeline = next.pipeline != context_.pipeline;
  next.skips = next.table != table_after();
  out.push_back({next});
}

bool ActionParser::parse_word(std::string_view word, ActionList& out) {
  if (word == "next") {
    lexer_.advance();
    parse_next(out);
    return true;
  }
  if (word == "push" || word == "pop") {
    const bool push = word == "push";
    lexer_.advance();
    parse_push_pop(push, out);
    return true;
  }
  return parse_plain(word, out) || parse_ct_word(word, out) || parse_nested_word(word, out) || parse_with_arguments(word, out);
}

bool ActionParser::parse_action(ActionList& out) {
  if (lexer_.at(Type::template_variable)) {
    lexer_.error("Unexpanded template.");
    return false;
  }
  if (!lexer_.at(Type::id)) {
    lexer_.syntax_error();
    return false;
  }
  const TokenType ahead = lexer_.lookahead();
  const std::string word = lexer_.token().text;
  if (ahead == Type::equals || ahead == Type::exchange || ahead == Type::lsquare)
    parse_assignment(out);
  else if (!parse_word(word, out))
    lexer_.syntax_error("expecting action");
  lexer_.force_match(Type::semicolon);
  return !lexer_.failed();
}

void ActionParser::parse_list(ActionList& out, TokenType sentinel) {
  if (lexer_.at_id("drop") && lexer_.lookahead() == Type::semicolon) {
    lexer_.advance();
    lexer_.advance();
    lexer_.force_match(sentinel);
    return;
  }
  // The end of the input is not consumed, so it must not be asked for by matching.
  while (!(sentinel == Type::end ? lexer_.at(Type::end) : lexer_.match(sentinel)))
    if (!parse_action(out)) return;
}

Result<ParsedActions, TextError> parse_actions(std::string_view text, const SymbolTable& symbols, const ActionContext& context) {
  Lexer lexer(text);
  ActionParser parser(lexer, symbols, context);
  ParsedActions parsed;
  parser.parse_all(parsed.actions);
  if (lexer.failed()) return TextError{lexer.message(), lexer.column()};
  if (auto prerequisites = parser.take_prerequisites()) parsed.prerequisites = std::move(*prerequisites);
  return parsed;
}

}  // namespace egt::parsers::ovn_lang
