// Connection tracking: ct_next, ct_commit, NAT, load balancing.
#include <fmt/format.h>

#include "ovn_lang/action_parser.h"

namespace egt::parsers::ovn_lang {

using ovn::ActionList;
using ovn::ConstantFormat;
using ovn::CtZone;
using Type = TokenType;

bool ActionParser::not_in_last_table(std::string_view name) {
  if (context_.table < tables(context_.pipeline)) return true;
  lexer_.error(fmt::format("\"{}\" action not allowed in last table.", name));
  return false;
}

void ActionParser::parse_ct_next(ActionList& out) {
  if (!not_in_last_table("ct_next")) return;
  add_prerequisite("ip");
  ovn::CtNext next{CtZone::dnat, context_.dialect.names_ct_zones, table_after()};
  if (lexer_.match(Type::lparen)) {
    next.names_zone = true;
    if (lexer_.match_id("snat"))
      next.zone = CtZone::snat;
    else if (!lexer_.match_id("dnat"))
      return lexer_.error("\"ct_next\" action accepts only \"dnat\" or \"snat\" parameter.");
    lexer_.force_match(Type::rparen);
  }
  out.push_back({next});
}

void ActionParser::parse_ct_commit_argument(ovn::CtCommit& commit) {
  const bool mark = lexer_.match_id("ct_mark");
  if (!mark && !lexer_.match_id("ct_label")) return lexer_.syntax_error();
  if (!lexer_.force_match(Type::equals)) return;
  const bool masked = lexer_.at(Type::masked_integer);
  if (!masked && !lexer_.at(Type::integer)) return lexer_.syntax_error("expecting integer");
  const Token& token = lexer_.token();
  const U128 mask = masked ? token.mask : ~U128{0};
  if (mark) {
    commit.mark = static_cast<std::uint32_t>(token.value);
    commit.mark_mask = static_cast<std::uint32_t>(mask);
  } else {
    commit.label = token.value;
    commit.label_mask = mask;
  }
  lexer_.advance();
}

void ActionParser::parse_ct_commit(ActionList& out) {
  ovn::CtCommit commit;
  if (lexer_.at(Type::lcurly)) {
    parse_block(commit.actions, "ip", ovn::writable::in_ct_commit);
  } else {
    add_prerequisite("ip");
    if (context_.dialect.commits_in_parentheses && lexer_.match(Type::lparen)) {
      commit.in_parentheses = true;
      while (!lexer_.failed() && !lexer_.match(Type::rparen)) {
        parse_ct_commit_argument(commit);
        lexer_.match(Type::comma);
      }
    }
  }
  out.push_back({std::move(commit)});
}

void ActionParser::parse_ct_commit_to_zone(bool nat, ActionList& out) {
  const std::string_view name = nat ? "ct_commit_nat" : "ct_commit_to_zone";
  add_prerequisite("ip");
  if (!not_in_last_table(name)) return;
  ovn::CtCommitToZone commit{CtZone::dnat, nat, !nat || context_.dialect.names_ct_zones, table_after()};
  const bool arguments = nat ? lexer_.match(Type::lparen) : lexer_.force_match(Type::lparen);
  if (arguments) {
    commit.names_zone = true;
    if (lexer_.match_id("snat"))
      commit.zone = CtZone::snat;
    else if (!lexer_.match_id("dnat"))
      return lexer_.error(fmt::format("\"{}\" action accepts only \"dnat\" or \"snat\" parameter.", name));
    lexer_.force_match(Type::rparen);
  }
  out.push_back({commit});
}

void ActionParser::parse_port_range(ovn::CtNat& nat) {
  if (!lexer_.at(Type::integer) || lexer_.token().format != ConstantFormat::decimal)
    return lexer_.syntax_error("expecting Integer for port range");
  ovn::PortRange range;
  range.low = static_cast<std::uint16_t>(lexer_.token().value);
  if (range.low == 0) lexer_.syntax_error("range can't be 0");
  lexer_.advance();
  if (lexer_.match(Type::hyphen)) {
    if (!lexer_.at(Type::integer)) return lexer_.syntax_error("expecting Integer for port range");
    range.high = static_cast<std::uint16_t>(lexer_.token().value);
    if (range.high <= range.low) lexer_.syntax_error("range high should be greater than range low");
    lexer_.advance();
  }
  nat.ports = range;
}

void ActionParser::parse_ct_nat(std::string_view name, bool destination, bool in_czone, ActionList& out) {
  add_prerequisite("ip");
  if (!not_in_last_table(name)) return;
  ovn::CtNat nat{destination, in_czone, {}, {}, table_after()};
  if (lexer_.match(Type::lparen)) {
    const Token& token = lexer_.token();
    const bool v4 = token.format == ConstantFormat::ipv4;
    if (!lexer_.at(Type::integer) || (!v4 && token.format != ConstantFormat::ipv6))
      return lexer_.syntax_error("expecting IPv4 or IPv6 address");
    nat.address = v4 ? IpAddr::v4(static_cast<std::uint32_t>(token.value)) : IpAddr::v6(token.value);
    lexer_.advance();
    if (lexer_.match(Type::comma)) parse_port_range(nat);
    if (lexer_.failed() || !lexer_.force_match(Type::rparen)) return;
  }
  out.push_back({nat});
}

bool ActionParser::parse_backend(ovn::CtLb::Kind kind, ovn::LbBackend& backend) {
  const auto refuse = [this](std::string_view what) {
    lexer_.syntax_error(what);
    return false;
  };
  if (kind == ovn::CtLb::Kind::mark_local) {
    if (!lexer_.at(Type::string)) return refuse("expecting logical port name for distributed load balancer");
    backend.port_name = lexer_.token().text;
    lexer_.advance();
    if (!lexer_.force_match(Type::colon)) return false;
  }
  const bool brackets = lexer_.match(Type::lsquare);
  const bool v4 = lexer_.at(Type::integer) && lexer_.token().format == ConstantFormat::ipv4;
  const bool v6 = lexer_.at(Type::integer) && lexer_.token().format == ConstantFormat::ipv6;
  if (brackets && !v6) return refuse("expecting IPv6 address");
  if (!v4 && !v6) return refuse("expecting IP address");
  const U128 value = lexer_.token().value;
  backend.address = v4 ? IpAddr::v4(static_cast<std::uint32_t>(value)) : IpAddr::v6(value);
  lexer_.advance();
  if (brackets && !lexer_.match(Type::rsquare)) return refuse("no closing square bracket");
  if (lexer_.match(Type::colon)) {
    if (v6 && !brackets) return refuse("IPv6 address needs square brackets if port is included");
    if (!parse_u16(backend.port, "port number")) return false;
  }
  return true;
}

void ActionParser::parse_lb_arguments(ovn::CtLb& lb) {
  if (!lexer_.match_id("backends") || !lexer_.force_match(Type::equals)) return lexer_.syntax_error("expecting backends");
  while (!lexer_.match(Type::semicolon) && !lexer_.match(Type::rparen)) {
    if (!parse_backend(lb.kind, lb.backends.emplace_back())) return;
    lexer_.match(Type::comma);
  }
  if (lexer_.match_id("hash_fields")) {
    if (!lexer_.match(Type::equals) || !lexer_.at(Type::string)) return lexer_.syntax_error("invalid hash_fields");
    lb.hash_fields = lexer_.token().text;
    lexer_.advance();
    if (!lexer_.match(Type::semicolon)) lexer_.advance();
  }
  if (lexer_.match_id("skip_snat"))
    lb.flag = ovn::CtLb::Flag::skip_snat;
  else if (lexer_.match_id("force_snat"))
    lb.flag = ovn::CtLb::Flag::force_snat;
  else
    return;
  lexer_.advance();
}

void ActionParser::parse_ct_lb(ovn::CtLb::Kind kind, ActionList& out) {
  if (!not_in_last_table("ct_lb")) return;
  add_prerequisite("ip");
  ovn::CtLb lb{kind, {}, {}, ovn::CtLb::Flag::none, table_after()};
  if (lexer_.match(Type::lparen) && !lexer_.match(Type::rparen)) parse_lb_arguments(lb);
  out.push_back({std::move(lb)});
}

}  // namespace egt::parsers::ovn_lang
