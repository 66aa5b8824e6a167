// Connection tracking: ct_next, ct_commit, NAT, load balancing.
#include <fmt/format.h>

#include "ovn_lang/action_words.h"

namespace egt::parsers::ovn_lang {

using ovn::ActionList;
using ovn::ConstantFormat;
using ovn::CtZone;
using Type = TokenType;

namespace {

void parse_ct_next(ActionOperands& in, ActionList& out) {
  if (!in.not_in_last_table("ct_next")) return;
  in.add_prerequisite("ip");
  ovn::CtNext next{CtZone::dnat, in.context.dialect.names_ct_zones, in.table_after()};
  if (in.lexer.match(Type::lparen)) {
    next.names_zone = true;
    if (in.lexer.match_id("snat"))
      next.zone = CtZone::snat;
    else if (!in.lexer.match_id("dnat"))
      return in.lexer.error("\"ct_next\" action accepts only \"dnat\" or \"snat\" parameter.");
    in.lexer.force_match(Type::rparen);
  }
  out.push_back({next});
}

void parse_ct_commit_argument(ActionOperands& in, ovn::CtCommit& commit) {
  const bool mark = in.lexer.match_id("ct_mark");
  if (!mark && !in.lexer.match_id("ct_label")) return in.lexer.syntax_error();
  if (!in.lexer.force_match(Type::equals)) return;
  const bool masked = in.lexer.at(Type::masked_integer);
  if (!masked && !in.lexer.at(Type::integer)) return in.lexer.syntax_error("expecting integer");
  const Token& token = in.lexer.token();
  const U128 mask = masked ? token.mask : ~U128{0};
  if (mark) {
    commit.mark = static_cast<std::uint32_t>(token.value);
    commit.mark_mask = static_cast<std::uint32_t>(mask);
  } else {
    commit.label = token.value;
    commit.label_mask = mask;
  }
  in.lexer.advance();
}

void parse_ct_commit_to_zone(ActionOperands& in, bool nat, ActionList& out) {
  const std::string_view name = nat ? "ct_commit_nat" : "ct_commit_to_zone";
  in.add_prerequisite("ip");
  if (!in.not_in_last_table(name)) return;
  ovn::CtCommitToZone commit{CtZone::dnat, nat, !nat || in.context.dialect.names_ct_zones, in.table_after()};
  const bool arguments = nat ? in.lexer.match(Type::lparen) : in.lexer.force_match(Type::lparen);
  if (arguments) {
    commit.names_zone = true;
    if (in.lexer.match_id("snat"))
      commit.zone = CtZone::snat;
    else if (!in.lexer.match_id("dnat"))
      return in.lexer.error(fmt::format("\"{}\" action accepts only \"dnat\" or \"snat\" parameter.", name));
    in.lexer.force_match(Type::rparen);
  }
  out.push_back({commit});
}

void parse_port_range(ActionOperands& in, ovn::CtNat& nat) {
  if (!in.lexer.at(Type::integer) || in.lexer.token().format != ConstantFormat::decimal)
    return in.lexer.syntax_error("expecting Integer for port range");
  ovn::PortRange range;
  range.low = static_cast<std::uint16_t>(in.lexer.token().value);
  if (range.low == 0) in.lexer.syntax_error("range can't be 0");
  in.lexer.advance();
  if (in.lexer.match(Type::hyphen)) {
    if (!in.lexer.at(Type::integer)) return in.lexer.syntax_error("expecting Integer for port range");
    range.high = static_cast<std::uint16_t>(in.lexer.token().value);
    if (range.high <= range.low) in.lexer.syntax_error("range high should be greater than range low");
    in.lexer.advance();
  }
  nat.ports = range;
}

void parse_ct_nat(ActionOperands& in, std::string_view name, bool destination, bool in_czone, ActionList& out) {
  in.add_prerequisite("ip");
  if (!in.not_in_last_table(name)) return;
  ovn::CtNat nat{destination, in_czone, {}, {}, in.table_after()};
  if (in.lexer.match(Type::lparen)) {
    const Token& token = in.lexer.token();
    const bool v4 = token.format == ConstantFormat::ipv4;
    if (!in.lexer.at(Type::integer) || (!v4 && token.format != ConstantFormat::ipv6))
      return in.lexer.syntax_error("expecting IPv4 or IPv6 address");
    nat.address = v4 ? IpAddr::v4(static_cast<std::uint32_t>(token.value)) : IpAddr::v6(token.value);
    in.lexer.advance();
    if (in.lexer.match(Type::comma)) parse_port_range(in, nat);
    if (in.lexer.failed() || !in.lexer.force_match(Type::rparen)) return;
  }
  out.push_back({nat});
}

bool parse_backend(ActionOperands& in, ovn::CtLb::Kind kind, ovn::LbBackend& backend) {
  const auto refuse = [&in](std::string_view what) {
    in.lexer.syntax_error(what);
    return false;
  };
  if (kind == ovn::CtLb::Kind::mark_local) {
    if (!in.lexer.at(Type::string)) return refuse("expecting logical port name for distributed load balancer");
    backend.port_name = in.lexer.token().text;
    in.lexer.advance();
    if (!in.lexer.force_match(Type::colon)) return false;
  }
  const bool brackets = in.lexer.match(Type::lsquare);
  const bool v4 = in.lexer.at(Type::integer) && in.lexer.token().format == ConstantFormat::ipv4;
  const bool v6 = in.lexer.at(Type::integer) && in.lexer.token().format == ConstantFormat::ipv6;
  if (brackets && !v6) return refuse("expecting IPv6 address");
  if (!v4 && !v6) return refuse("expecting IP address");
  const U128 value = in.lexer.token().value;
  backend.address = v4 ? IpAddr::v4(static_cast<std::uint32_t>(value)) : IpAddr::v6(value);
  in.lexer.advance();
  if (brackets && !in.lexer.match(Type::rsquare)) return refuse("no closing square bracket");
  if (in.lexer.match(Type::colon)) {
    if (v6 && !brackets) return refuse("IPv6 address needs square brackets if port is included");
    if (!in.parse_u16(backend.port, "port number")) return false;
  }
  return true;
}

void parse_lb_arguments(ActionOperands& in, ovn::CtLb& lb) {
  if (!in.lexer.match_id("backends") || !in.lexer.force_match(Type::equals)) return in.lexer.syntax_error("expecting backends");
  while (!in.lexer.match(Type::semicolon) && !in.lexer.match(Type::rparen)) {
    if (!parse_backend(in, lb.kind, lb.backends.emplace_back())) return;
    in.lexer.match(Type::comma);
  }
  if (in.lexer.match_id("hash_fields")) {
    if (!in.lexer.match(Type::equals) || !in.lexer.at(Type::string)) return in.lexer.syntax_error("invalid hash_fields");
    lb.hash_fields = in.lexer.token().text;
    in.lexer.advance();
    if (!in.lexer.match(Type::semicolon)) in.lexer.advance();
  }
  if (in.lexer.match_id("skip_snat"))
    lb.flag = ovn::CtLb::Flag::skip_snat;
  else if (in.lexer.match_id("force_snat"))
    lb.flag = ovn::CtLb::Flag::force_snat;
  else
    return;
  in.lexer.advance();
}

void parse_ct_lb(ActionOperands& in, ovn::CtLb::Kind kind, ActionList& out) {
  if (!in.not_in_last_table("ct_lb")) return;
  in.add_prerequisite("ip");
  ovn::CtLb lb{kind, {}, {}, ovn::CtLb::Flag::none, in.table_after()};
  if (in.lexer.match(Type::lparen) && !in.lexer.match(Type::rparen)) parse_lb_arguments(in, lb);
  out.push_back({std::move(lb)});
}

}  // namespace

void parse_ct_commit(ActionOperands& in, ovn::CtCommit& commit) {
  in.add_prerequisite("ip");
  if (!in.context.dialect.commits_in_parentheses || !in.lexer.match(Type::lparen)) return;
  commit.in_parentheses = true;
  while (!in.lexer.failed() && !in.lexer.match(Type::rparen)) {
    parse_ct_commit_argument(in, commit);
    in.lexer.match(Type::comma);
  }
}

bool parse_ct_word(ActionOperands& in, std::string_view word, ActionList& out) {
  if (!word.starts_with("ct_")) return false;
  using K = ovn::CtLb::Kind;
  const auto is = [&](std::string_view name) {
    if (word != name) return false;
    in.lexer.advance();
    return true;
  };
  if (is("ct_next"))
    parse_ct_next(in, out);
  else if (is("ct_commit_to_zone"))
    parse_ct_commit_to_zone(in, false, out);
  else if (is("ct_commit_nat"))
    parse_ct_commit_to_zone(in, true, out);
  else if (is("ct_dnat"))
    parse_ct_nat(in, "ct_dnat", true, false, out);
  else if (is("ct_snat"))
    parse_ct_nat(in, "ct_snat", false, false, out);
  else if (is("ct_dnat_in_czone"))
    parse_ct_nat(in, "ct_dnat_in_czone", true, true, out);
  else if (is("ct_snat_in_czone"))
    parse_ct_nat(in, "ct_snat_in_czone", false, true, out);
  else if (is("ct_lb"))
    parse_ct_lb(in, K::label, out);
  else if (is("ct_lb_mark"))
    parse_ct_lb(in, K::mark, out);
  else if (is("ct_lb_mark_local"))
    parse_ct_lb(in, K::mark_local, out);
  else
    return false;
  return true;
}

}  // namespace egt::parsers::ovn_lang
