#include "ovn_lang/action_parser.h"

#include <fmt/format.h>

#include <algorithm>

#include "ovn_lang/action_words.h"

namespace egt::parsers::ovn_lang {

using ovn::ActionList;
using ovn::Nested;
using ovn::PlainAction;
using Type = TokenType;
namespace writable = ovn::writable;

namespace {

constexpr unsigned kMaxNesting = 32;

bool parse_plain(ActionOperands& in, std::string_view word, ActionList& out) {
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
    in.lexer.advance();
    out.push_back({PlainAction{known->second}});
  } else if (word == "ip.ttl") {
    in.lexer.advance();
    in.lexer.force_match(Type::decrement);
    out.push_back({PlainAction{K::decrement_ttl}});
    in.add_prerequisite("ip");
  } else if (word == "handle_bfd_msg") {
    in.lexer.advance();
    if (in.lexer.force_match(Type::lparen)) in.lexer.force_match(Type::rparen);
    out.push_back({PlainAction{K::bfd_message}});
  } else {
    return false;
  }
  return true;
}

void parse_next_arguments(ActionOperands& in, ovn::NextTable& next) {
  std::uint32_t table = 0;
  if (in.lexer.take_small_integer(table)) {
    next.table = static_cast<std::uint16_t>(std::min(table, 0xffffu));
    return;
  }
  do {
    if (in.lexer.match_id("pipeline")) {
      if (!in.lexer.force_match(Type::equals)) return;
      if (in.lexer.match_id("ingress"))
        next.pipeline = ovn::Pipeline::ingress;
      else if (in.lexer.match_id("egress"))
        next.pipeline = ovn::Pipeline::egress;
      else
        return in.lexer.syntax_error("expecting \"ingress\" or \"egress\"");
    } else if (in.lexer.match_id("table")) {
      if (!in.lexer.force_match(Type::equals) || !in.lexer.force_small_integer(table)) return;
      next.table = static_cast<std::uint16_t>(std::min(table, 0xffffu));
    } else {
      return in.lexer.syntax_error("expecting \"pipeline\" or \"table\"");
    }
  } while (in.lexer.match(Type::comma));
}

void parse_next(ActionOperands& in, ActionList& out) {
  ovn::NextTable next{in.context.pipeline, in.table_after(), false, false};
  if (in.lexer.match(Type::lparen)) {
    parse_next_arguments(in, next);
    if (in.lexer.failed() || !in.lexer.force_match(Type::rparen)) return;
  }
  if (next.table >= in.tables(next.pipeline))
    return in.lexer.error(fmt::format("\"next\" action cannot advance beyond table {}.", in.tables(next.pipeline)));
  next.other_pipeline = next.pipeline != in.context.pipeline;
  next.skips = next.table != in.table_after();
  out.push_back({next});
}

}  // namespace

bool ActionParser::parse_nested_word(std::string_view word, ActionList& out) {
  using K = Nested::Kind;
  const std::string_view arp = in_.context.dialect.answers_any_family ? "ip" : "ip4";
  const std::string_view nd = in_.context.dialect.answers_any_family ? "ip" : "ip6";
  struct NestedWord {
    std::string_view word;
    K kind;
    std::string_view prerequisite;
  };
  const NestedWord rows[] = {
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
  const auto* row = std::find_if(std::begin(rows), std::end(rows), [&](const NestedWord& r) { return r.word == word; });
  if (row == std::end(rows)) return false;
  in_.lexer.advance();
  Nested nested{row->kind, {}};
  parse_block(nested.actions, row->prerequisite, row->kind == K::clone ? writable::by_default : in_.scope());
  out.push_back({std::move(nested)});
  return true;
}

// The prerequisites of the inner actions are about the packet that they make; only those of a clone hold outside.
void ActionParser::parse_block(ActionList& out, std::string_view prerequisite, std::uint8_t scope) {
  if (!in_.lexer.force_match(Type::lcurly)) return;
  if (depth_ + 1 == kMaxNesting) return in_.lexer.error("maximum depth of nested actions reached");
  auto outer = in_.take_prerequisites();
  const std::uint8_t outer_scope = in_.scope();
  in_.set_scope(scope);
  ++depth_;
  parse_list(out, Type::rcurly);
  --depth_;
  in_.set_scope(outer_scope);
  auto inner = in_.take_prerequisites();
  if (prerequisite.empty() && inner) in_.add_prerequisite(std::move(*inner));
  if (outer) in_.add_prerequisite(std::move(*outer));
  if (!prerequisite.empty()) in_.add_prerequisite(prerequisite);
}

void ActionParser::parse_commit(ActionList& out) {
  ovn::CtCommit commit;
  if (in_.lexer.at(Type::lcurly))
    parse_block(commit.actions, "ip", writable::in_ct_commit);
  else
    parse_ct_commit(in_, commit);
  out.push_back({std::move(commit)});
}

bool ActionParser::parse_word(std::string_view word, ActionList& out) {
  if (word == "next") {
    in_.lexer.advance();
    parse_next(in_, out);
    return true;
  }
  if (word == "push" || word == "pop") {
    const bool push = word == "push";
    in_.lexer.advance();
    parse_push_pop(in_, push, out);
    return true;
  }
  if (word == "ct_commit") {
    in_.lexer.advance();
    parse_commit(out);
    return true;
  }
  return parse_plain(in_, word, out) || parse_ct_word(in_, word, out) || parse_nested_word(word, out) ||
         parse_with_arguments(in_, word, out);
}

bool ActionParser::parse_action(ActionList& out) {
  if (in_.lexer.at(Type::template_variable)) {
    in_.lexer.error("Unexpanded template.");
    return false;
  }
  if (!in_.lexer.at(Type::id)) {
    in_.lexer.syntax_error();
    return false;
  }
  const TokenType ahead = in_.lexer.lookahead();
  const std::string word = in_.lexer.token().text;
  if (ahead == Type::equals || ahead == Type::exchange || ahead == Type::lsquare)
    parse_assignment(in_, out);
  else if (!parse_word(word, out))
    in_.lexer.syntax_error("expecting action");
  in_.lexer.force_match(Type::semicolon);
  return !in_.lexer.failed();
}

void ActionParser::parse_list(ActionList& out, TokenType sentinel) {
  if (in_.lexer.at_id("drop") && in_.lexer.lookahead() == Type::semicolon) {
    in_.lexer.advance();
    in_.lexer.advance();
    in_.lexer.force_match(sentinel);
    return;
  }
  // The end of the input is not consumed, so it must not be asked for by matching.
  while (!(sentinel == Type::end ? in_.lexer.at(Type::end) : in_.lexer.match(sentinel)))
    if (!parse_action(out)) return;
}

Result<ParsedActions, TextError> parse_actions(std::string_view text, const SymbolTable& symbols, const ActionContext& context) {
  Lexer lexer(text);
  ActionOperands operands(lexer, symbols, context);
  ParsedActions parsed;
  ActionParser(operands).parse_all(parsed.actions);
  if (lexer.failed()) return TextError{lexer.message(), lexer.column()};
  if (auto prerequisites = operands.take_prerequisites()) parsed.prerequisites = std::move(*prerequisites);
  return parsed;
}

}  // namespace egt::parsers::ovn_lang
