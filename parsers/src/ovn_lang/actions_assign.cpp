// Assignments: values, fields, and the results of functions.
#include <fmt/format.h>

#include <algorithm>

#include "ovn_lang/action_words.h"

namespace egt::parsers::ovn_lang {

using ovn::ActionList;
using ovn::FieldRef;
using Type = TokenType;

namespace {

using ResultKind = ovn::ResultAction::Kind;

void parse_load(ActionOperands& in, const FieldRef& to, ActionList& out) {
  if (!in.check_field(to, to.bits, true)) return;
  if (auto value = in.parse_constant_for(to)) out.push_back({ovn::Load{to, std::move(*value)}});
}

void parse_move(ActionOperands& in, const FieldRef& to, bool exchange, ActionList& out) {
  const auto from = in.parse_target();
  if (!from) return;
  const ovn::Symbol &l = *to.symbol, &r = *from->symbol;
  const auto kind = [](const ovn::Symbol& s) { return s.is_string() ? "string" : "integer"; };
  if (l.is_string() != r.is_string()) {
    if (exchange)
      return in.lexer.error(fmt::format("Can't exchange {} field ({}) with {} field ({}).", kind(l), l.name, kind(r), r.name));
    return in.lexer.error(fmt::format("Can't assign {} field ({}) to {} field ({}).", kind(r), r.name, kind(l), l.name));
  }
  if (to.bits != from->bits) {
    if (exchange) return in.lexer.error(fmt::format("Can't exchange {}-bit field with {}-bit field.", to.bits, from->bits));
    return in.lexer.error(fmt::format("Can't assign {}-bit value to {}-bit destination.", from->bits, to.bits));
  }
  if (l.is_string() && l.field && r.field && field(*l.field).bits != field(*r.field).bits)
    return in.lexer.error(
        fmt::format("String fields {} and {} are incompatible for {}.", l.name, r.name, exchange ? "exchange" : "assignment"));
  if (!in.check_field(to, to.bits, true) || !in.check_field(*from, from->bits, exchange)) return;
  if (exchange)
    out.push_back({ovn::Exchange{to, *from}});
  else
    out.push_back({ovn::Move{to, *from}});
}

void parse_result(ActionOperands& in, const FieldRef& to, ResultKind kind, std::string_view name, unsigned bits,
                  ActionList& out) {
  in.lexer.advance();
  in.lexer.advance();
  if (!in.lexer.match(Type::rparen)) return in.lexer.error(fmt::format("{} doesn't take any parameters", name));
  if (!in.check_field(to, bits, true)) return;
  out.push_back({ovn::ResultAction{kind, to}});
  if (kind == ResultKind::dns_lookup) in.add_prerequisite("udp");
}

bool parse_select_members(ActionOperands& in, ovn::Select& select) {
  while (!in.lexer.match(Type::rparen)) {
    ovn::Select::Member member;
    if (!in.parse_u16(member.id, "id")) return false;
    if (in.lexer.match(Type::equals)) {
      if (!in.parse_u16(member.weight, "weight")) return false;
      if (member.weight == 0) in.lexer.syntax_error("weight can't be 0");
    }
    in.lexer.match(Type::comma);
    select.members.push_back(member);
  }
  if (select.members.size() > 1) return true;
  in.lexer.syntax_error("expecting at least 2 group members");
  return false;
}

void parse_select(ActionOperands& in, const FieldRef& to, ActionList& out) {
  if (!in.check_field(to, to.bits, true)) return;
  if (to.bits < 16)
    return in.lexer.error(fmt::format("cannot use {}-bit field {}[{}..{}] for \"select\", which requires at least 16 bits.",
                                      to.bits, to.symbol->name, to.first, to.first + to.bits - 1));
  if (!in.not_in_last_table("select")) return;
  in.lexer.advance();
  in.lexer.advance();
  ovn::Select select{to, {}, {}, in.table_after()};
  const bool named = in.lexer.match_id("values");
  if (named) {
    in.lexer.force_match(Type::equals);
    in.lexer.force_match(Type::lparen);
    if (in.lexer.failed()) return;
  }
  if (!parse_select_members(in, select)) return;
  if (named) {
    in.lexer.force_match(Type::semicolon);
    if (!in.lexer.match_id("hash_fields")) return in.lexer.syntax_error("expecting hash_fields");
    if (!in.lexer.match(Type::equals) || !in.lexer.at(Type::string) || in.lexer.lookahead() != Type::rparen)
      return in.lexer.syntax_error("invalid hash_fields");
    select.hash_fields = in.lexer.token().text;
    in.lexer.advance();
    in.lexer.force_match(Type::rparen);
  }
  out.push_back({std::move(select)});
}

void parse_lookup(ActionOperands& in, const FieldRef& to, bool ipv6, bool with_mac, ActionList& out) {
  if (!in.check_field(to, 1, true)) return;
  in.lexer.advance();
  in.lexer.force_match(Type::lparen);
  ovn::LookupBinding lookup{ipv6, to, {}, {}, {}};
  lookup.port = in.parse_field_of(0);
  in.lexer.force_match(Type::comma);
  lookup.ip = in.parse_field_of(ipv6 ? 128 : 32);
  if (with_mac) {
    in.lexer.force_match(Type::comma);
    lookup.mac = in.parse_field_of(48);
  }
  in.lexer.force_match(Type::rparen);
  out.push_back({std::move(lookup)});
}

void parse_get_fdb(ActionOperands& in, const FieldRef& to, bool remote, ActionList& out) {
  in.lexer.advance();
  in.lexer.advance();
  if (to.bits && !in.check_field(to, 32, true)) return;
  const FieldRef mac = in.parse_field_of(48);
  in.lexer.force_match(Type::rparen);
  out.push_back({ovn::GetFdb{remote, to, mac}});
}

void parse_lookup_fdb(ActionOperands& in, const FieldRef& to, ActionList& out) {
  in.lexer.advance();
  in.lexer.advance();
  if (!in.check_field(to, 1, true)) return;
  ovn::LookupFdb lookup{to, {}, {}};
  lookup.port = in.parse_field_of(0);
  in.lexer.force_match(Type::comma);
  lookup.mac = in.parse_field_of(48);
  in.lexer.force_match(Type::rparen);
  out.push_back({lookup});
}

void parse_check_length(ActionOperands& in, const FieldRef& to, ActionList& out) {
  if (!in.check_field(to, 1, true)) return;
  in.lexer.advance();
  ovn::CheckPacketLarger check{to, 0};
  if (in.lexer.force_match(Type::lparen) && in.lexer.take_small_integer(check.length)) in.lexer.force_match(Type::rparen);
  out.push_back({check});
}

void parse_check_evpn(ActionOperands& in, const FieldRef& to, ActionList& out) {
  if (!in.check_field(to, 1, true)) return;
  in.lexer.advance();
  in.lexer.advance();
  const auto ip = in.parse_target();
  if (!ip) return;
  if (ip->bits != 32 && ip->bits != 128) return in.lexer.error("chk_evpn_arp requires a 32-bit or 128-bit IP field");
  in.lexer.force_match(Type::rparen);
  out.push_back({ovn::CheckEvpnArp{to, *ip}});
}

void parse_dhcp_relay(ActionOperands& in, const FieldRef& to, bool response, ActionList& out) {
  in.lexer.advance();
  in.lexer.force_match(Type::lparen);
  if (!in.check_field(to, 1, true)) return;
  ovn::DhcpRelayCheck check{response, to, 0, 0};
  const auto address = [&in](std::uint32_t& value) {
    if (!in.lexer.at(Type::integer) || in.lexer.token().format != ovn::ConstantFormat::ipv4) return false;
    value = static_cast<std::uint32_t>(in.lexer.token().value);
    in.lexer.advance();
    return true;
  };
  if (!address(check.relay)) return in.lexer.syntax_error("expecting IPv4 dhcp relay and server ips");
  in.lexer.match(Type::comma);
  if (!address(check.server)) return in.lexer.syntax_error("expecting IPv4 dhcp server ip");
  in.lexer.force_match(Type::rparen);
  out.push_back({check});
}

bool parse_function(ActionOperands& in, const FieldRef& to, ActionList& out) {
  using K = ResultKind;
  struct FunctionResult {
    std::string_view name;
    K kind;
    unsigned bits;
  };
  static constexpr FunctionResult kResults[] = {
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
  const std::string& name = in.lexer.token().text;
  const auto* row =
      std::find_if(std::begin(kResults), std::end(kResults), [&](const FunctionResult& r) { return r.name == name; });
  if (row != std::end(kResults))
    parse_result(in, to, row->kind, row->name, row->bits, out);
  else if (name == "select")
    parse_select(in, to, out);
  else if (name == "put_dhcp_opts")
    parse_put_options(in, to, ovn::PutOptions::Kind::dhcpv4, out);
  else if (name == "put_dhcpv6_opts")
    parse_put_options(in, to, ovn::PutOptions::Kind::dhcpv6, out);
  else if (name == "put_nd_ra_opts")
    parse_put_options(in, to, ovn::PutOptions::Kind::nd_ra, out);
  else if (name == "check_pkt_larger")
    parse_check_length(in, to, out);
  else if (name == "lookup_arp")
    parse_lookup(in, to, false, true, out);
  else if (name == "lookup_nd")
    parse_lookup(in, to, true, true, out);
  else if (name == "lookup_arp_ip")
    parse_lookup(in, to, false, false, out);
  else if (name == "lookup_nd_ip")
    parse_lookup(in, to, true, false, out);
  else if (name == "get_fdb")
    parse_get_fdb(in, to, false, out);
  else if (name == "get_remote_fdb")
    parse_get_fdb(in, to, true, out);
  else if (name == "lookup_fdb")
    parse_lookup_fdb(in, to, out);
  else if (name == "chk_evpn_arp")
    parse_check_evpn(in, to, out);
  else if (name == "dhcp_relay_req_chk")
    parse_dhcp_relay(in, to, false, out);
  else if (name == "dhcp_relay_resp_chk")
    parse_dhcp_relay(in, to, true, out);
  else
    return false;
  return true;
}

}  // namespace

void parse_assignment(ActionOperands& in, ActionList& out) {
  const auto to = in.parse_target();
  if (!to) return;
  if (in.lexer.match(Type::exchange)) return parse_move(in, *to, true, out);
  if (!in.lexer.match(Type::equals)) return in.lexer.syntax_error("expecting `=' or `<->'");
  if (!in.lexer.at(Type::id)) return parse_load(in, *to, out);
  if (in.lexer.lookahead() == Type::lparen && parse_function(in, *to, out)) return;
  parse_move(in, *to, false, out);
}

void parse_push_pop(ActionOperands& in, bool push, ActionList& out) {
  in.lexer.force_match(Type::lparen);
  if (in.lexer.failed()) return;
  const auto f = in.parse_target();
  if (!f || !in.check_field(*f, f->bits, !push)) return;
  in.lexer.force_match(Type::rparen);
  if (push)
    out.push_back({ovn::Push{*f}});
  else
    out.push_back({ovn::Pop{*f}});
}

}  // namespace egt::parsers::ovn_lang
