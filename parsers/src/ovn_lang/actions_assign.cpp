// Assignments: values, fields, and the results of functions.
#include <fmt/format.h>

#include <algorithm>

#include "ovn_lang/action_parser.h"

namespace egt::parsers::ovn_lang {

using ovn::ActionList;
using ovn::FieldRef;
using Type = TokenType;

void ActionParser::parse_assignment(ActionList& out) {
  const auto to = parse_target();
  if (!to) return;
  if (lexer_.match(Type::exchange)) return parse_move(*to, true, out);
  if (!lexer_.match(Type::equals)) return lexer_.syntax_error("expecting `=' or `<->'");
  if (!lexer_.at(Type::id)) return parse_load(*to, out);
  if (lexer_.lookahead() == Type::lparen && parse_function(*to, out)) return;
  parse_move(*to, false, out);
}

bool ActionParser::parse_function(const FieldRef& to, ActionList& out) {
  using K = Result;
  struct Row {
    std::string_view name;
    K kind;
    unsigned bits;
  };
  static constexpr Row kResults[] = {
      {"dns_lookup", K::dns_lookup, 1},
      {"chk_lb_hairpin", K::chk_lb_hairpin, 1},
      {"chk_lb_hairpin_reply", K::chk_lb_hairpin_reply, 1},
      {"check_in_port_sec", K::check_in_port_sec, 1},
      {"check_out_port_sec", K::check_out_port_sec, 1},
      {"chk_ecmp_nh_mac", K::chk_ecmp_nh_mac, 1},
      {"chk_ecmp_nh", K::chk_ecmp_nh, 1},
      {"chk_lb_aff", K::chk_lb_aff, 1},
      {"ct_nw_dst", K::ct_nw_dst, 32},
      {"ct_ip6_dst", K::ct_ip6_dst, 128},
      {"ct_tp_dst", K::ct_tp_dst, 16},
      {"ct_proto", K::ct_proto, 8},
      {"ct_state_save", K::ct_state_save, 8},
  };
  const std::string& name = lexer_.token().text;
  const auto* row = std::find_if(std::begin(kResults), std::end(kResults), [&](const Row& r) { return r.name == name; });
  if (row != std::end(kResults))
    parse_result(to, row->kind, row->name, row->bits, out);
  else if (name == "select")
    parse_select(to, out);
  else if (name == "put_dhcp_opts")
    parse_put_options(to, ovn::PutOptions::Kind::dhcpv4, out);
  else if (name == "put_dhcpv6_opts")
    parse_put_options(to, ovn::PutOptions::Kind::dhcpv6, out);
  else if (name == "put_nd_ra_opts")
    parse_put_options(to, ovn::PutOptions::Kind::nd_ra, out);
  else if (name == "check_pkt_larger")
    parse_check_length(to, out);
  else if (name == "lookup_arp")
    parse_lookup(to, false, true, out);
  else if (name == "lookup_nd")
    parse_lookup(to, true, true, out);
  else if (name == "lookup_arp_ip")
    parse_lookup(to, false, false, out);
  else if (name == "lookup_nd_ip")
    parse_lookup(to, true, false, out);
  else if (name == "get_fdb")
    parse_get_fdb(to, false, out);
  else if (name == "get_remote_fdb")
    parse_get_fdb(to, true, out);
  else if (name == "lookup_fdb")
    parse_lookup_fdb(to, out);
  else if (name == "chk_evpn_arp")
    parse_check_evpn(to, out);
  else if (name == "dhcp_relay_req_chk")
    parse_dhcp_relay(to, false, out);
  else if (name == "dhcp_relay_resp_chk")
    parse_dhcp_relay(to, true, out);
  else
    return false;
  return true;
}

void ActionParser::parse_load(const FieldRef& to, ActionList& out) {
  if (!check_field(to, to.bits, true)) return;
  if (auto value = fields_.parse_constant_for(to)) out.push_back({ovn::Load{to, std::move(*value)}});
}

void ActionParser::parse_move(const FieldRef& to, bool exchange, ActionList& out) {
  const auto from = parse_target();
  if (!from) return;
  const ovn::Symbol &l = *to.symbol, &r = *from->symbol;
  const auto kind = [](const ovn::Symbol& s) { return s.is_string() ? "string" : "integer"; };
  if (l.is_string() != r.is_string()) {
    if (exchange)
      return lexer_.error(fmt::format("Can't exchange {} field ({}) with {} field ({}).", kind(l), l.name, kind(r), r.name));
    return lexer_.error(fmt::format("Can't assign {} field ({}) to {} field ({}).", kind(r), r.name, kind(l), l.name));
  }
  if (to.bits != from->bits) {
    if (exchange) return lexer_.error(fmt::format("Can't exchange {}-bit field with {}-bit field.", to.bits, from->bits));
    return lexer_.error(fmt::format("Can't assign {}-bit value to {}-bit destination.", from->bits, to.bits));
  }
  if (l.is_string() && l.field && r.field && field(*l.field).bits != field(*r.field).bits)
    return lexer_.error(
        fmt::format("String fields {} and {} are incompatible for {}.", l.name, r.name, exchange ? "exchange" : "assignment"));
  if (!check_field(to, to.bits, true) || !check_field(*from, from->bits, exchange)) return;
  if (exchange)
    out.push_back({ovn::Exchange{to, *from}});
  else
    out.push_back({ovn::Move{to, *from}});
}

void ActionParser::parse_push_pop(bool push, ActionList& out) {
  lexer_.force_match(Type::lparen);
  if (lexer_.failed()) return;
  const auto f = parse_target();
  if (!f || !check_field(*f, f->bits, !push)) return;
  lexer_.force_match(Type::rparen);
  if (push)
    out.push_back({ovn::Push{*f}});
  else
    out.push_back({ovn::Pop{*f}});
}

void ActionParser::parse_result(const FieldRef& to, Result kind, std::string_view name, unsigned bits, ActionList& out) {
  lexer_.advance();
  lexer_.advance();
  if (!lexer_.match(Type::rparen)) return lexer_.error(fmt::format("{} doesn't take any parameters", name));
  if (!check_field(to, bits, true)) return;
  out.push_back({ovn::ResultAction{kind, to}});
  if (kind == Result::dns_lookup) add_prerequisite("udp");
}

bool ActionParser::parse_select_members(ovn::Select& select) {
  while (!lexer_.match(Type::rparen)) {
    ovn::Select::Member member;
    if (!parse_u16(member.id, "id")) return false;
    if (lexer_.match(Type::equals)) {
      if (!parse_u16(member.weight, "weight")) return false;
      if (member.weight == 0) lexer_.syntax_error("weight can't be 0");
    }
    lexer_.match(Type::comma);
    select.members.push_back(member);
  }
  if (select.members.size() > 1) return true;
  lexer_.syntax_error("expecting at least 2 group members");
  return false;
}

void ActionParser::parse_select(const FieldRef& to, ActionList& out) {
  if (!check_field(to, to.bits, true)) return;
  if (to.bits < 16)
    return lexer_.error(fmt::format("cannot use {}-bit field {}[{}..{}] for \"select\", which requires at least 16 bits.",
                                    to.bits, to.symbol->name, to.first, to.first + to.bits - 1));
  if (!not_in_last_table("select")) return;
  lexer_.advance();
  lexer_.advance();
  ovn::Select select{to, {}, {}, table_after()};
  const bool named = lexer_.match_id("values");
  if (named) {
    lexer_.force_match(Type::equals);
    lexer_.force_match(Type::lparen);
    if (lexer_.failed()) return;
  }
  if (!parse_select_members(select)) return;
  if (named) {
    lexer_.force_match(Type::semicolon);
    if (!lexer_.match_id("hash_fields")) return lexer_.syntax_error("expecting hash_fields");
    if (!lexer_.match(Type::equals) || !lexer_.at(Type::string) || lexer_.lookahead() != Type::rparen)
      return lexer_.syntax_error("invalid hash_fields");
    select.hash_fields = lexer_.token().text;
    lexer_.advance();
    lexer_.force_match(Type::rparen);
  }
  out.push_back({std::move(select)});
}

void ActionParser::parse_lookup(const FieldRef& to, bool ipv6, bool with_mac, ActionList& out) {
  if (!check_field(to, 1, true)) return;
  lexer_.advance();
  lexer_.force_match(Type::lparen);
  ovn::LookupBinding lookup{ipv6, to, {}, {}, {}};
  lookup.port = parse_field_of(0);
  lexer_.force_match(Type::comma);
  lookup.ip = parse_field_of(ipv6 ? 128 : 32);
  if (with_mac) {
    lexer_.force_match(Type::comma);
    lookup.mac = parse_field_of(48);
  }
  lexer_.force_match(Type::rparen);
  out.push_back({std::move(lookup)});
}

void ActionParser::parse_get_fdb(const FieldRef& to, bool remote, ActionList& out) {
  lexer_.advance();
  lexer_.advance();
  if (to.bits && !check_field(to, 32, true)) return;
  const FieldRef mac = parse_field_of(48);
  lexer_.force_match(Type::rparen);
  out.push_back({ovn::GetFdb{remote, to, mac}});
}

void ActionParser::parse_lookup_fdb(const FieldRef& to, ActionList& out) {
  lexer_.advance();
  lexer_.advance();
  if (!check_field(to, 1, true)) return;
  ovn::LookupFdb lookup{to, {}, {}};
  lookup.port = parse_field_of(0);
  lexer_.force_match(Type::comma);
  lookup.mac = parse_field_of(48);
  lexer_.force_match(Type::rparen);
  out.push_back({lookup});
}

void ActionParser::parse_check_length(const FieldRef& to, ActionList& out) {
  if (!check_field(to, 1, true)) return;
  lexer_.advance();
  ovn::CheckPacketLarger check{to, 0};
  if (lexer_.force_match(Type::lparen) && lexer_.take_small_integer(check.length)) lexer_.force_match(Type::rparen);
  out.push_back({check});
}

void ActionParser::parse_check_evpn(const FieldRef& to, ActionList& out) {
  if (!check_field(to, 1, true)) return;
  lexer_.advance();
  lexer_.advance();
  const auto ip = parse_target();
  if (!ip) return;
  if (ip->bits != 32 && ip->bits != 128) return lexer_.error("chk_evpn_arp requires a 32-bit or 128-bit IP field");
  lexer_.force_match(Type::rparen);
  out.push_back({ovn::CheckEvpnArp{to, *ip}});
}

void ActionParser::parse_dhcp_relay(const FieldRef& to, bool response, ActionList& out) {
  lexer_.advance();
  lexer_.force_match(Type::lparen);
  if (!check_field(to, 1, true)) return;
  ovn::DhcpRelayCheck check{response, to, 0, 0};
  const auto address = [this](std::uint32_t& value) {
    if (!lexer_.at(Type::integer) || lexer_.token().format != ovn::ConstantFormat::ipv4) return false;
    value = static_cast<std::uint32_t>(lexer_.token().value);
    lexer_.advance();
    return true;
  };
  if (!address(check.relay)) return lexer_.syntax_error("expecting IPv4 dhcp relay and server ips");
  lexer_.match(Type::comma);
  if (!address(check.server)) return lexer_.syntax_error("expecting IPv4 dhcp server ip");
  lexer_.force_match(Type::rparen);
  out.push_back({check});
}

}  // namespace egt::parsers::ovn_lang
