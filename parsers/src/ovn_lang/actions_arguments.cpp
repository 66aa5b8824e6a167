// Actions with arguments in parentheses.
#include <fmt/format.h>

#include <algorithm>

#include "egtrace/base/text.h"
#include "ovn_lang/action_parser.h"

namespace egt::parsers::ovn_lang {

using ovn::ActionList;
using ovn::ConstantFormat;
using Type = TokenType;

namespace {

constexpr std::uint32_t kMinQueue = 1, kMaxQueue = 0xf000;

std::optional<std::uint8_t> protocol_of(Lexer& lexer) {
  if (lexer.match_id("tcp")) return ip_proto::tcp;
  if (lexer.match_id("udp")) return ip_proto::udp;
  if (lexer.match_id("sctp")) return ip_proto::sctp;
  return std::nullopt;
}

bool is_decimal(const Lexer& lexer) { return lexer.at(Type::integer) && lexer.token().format == ConstantFormat::decimal; }

}  // namespace

bool ActionParser::parse_with_arguments(std::string_view word, ActionList& out) {
  const auto is = [&](std::string_view name) {
    if (word != name) return false;
    lexer_.advance();
    return true;
  };
  if (is("get_arp"))
    parse_get_binding(false, out);
  else if (is("get_nd"))
    parse_get_binding(true, out);
  else if (is("put_arp"))
    parse_put_binding(false, out);
  else if (is("put_nd"))
    parse_put_binding(true, out);
  else if (is("put_fdb"))
    parse_put_fdb(out);
  else if (is("set_queue"))
    parse_set_queue(out);
  else if (is("set_meter"))
    parse_set_meter(out);
  else if (is("log"))
    parse_log(out);
  else if (is("trigger_event"))
    parse_trigger_event(out);
  else if (is("bind_vport"))
    parse_bind_vport(out);
  else if (is("handle_svc_check"))
    parse_service_check(out);
  else if (is("fwd_group"))
    parse_forward_group(out);
  else if (is("commit_ecmp_nh"))
    parse_ecmp_next_hop(out);
  else if (is("commit_lb_aff"))
    parse_lb_affinity(out);
  else if (is("sample"))
    parse_sample(out);
  else if (is("mirror"))
    parse_mirror(out);
  else
    return false;
  return true;
}

void ActionParser::parse_get_binding(bool ipv6, ActionList& out) {
  ovn::GetBinding get{ipv6, {}, {}};
  lexer_.force_match(Type::lparen);
  get.port = parse_field_of(0);
  lexer_.force_match(Type::comma);
  get.ip = parse_field_of(ipv6 ? 128 : 32);
  lexer_.force_match(Type::rparen);
  out.push_back({get});
}

void ActionParser::parse_put_binding(bool ipv6, ActionList& out) {
  ovn::PutBinding put{ipv6, {}, {}, {}};
  lexer_.force_match(Type::lparen);
  put.port = parse_field_of(0);
  lexer_.force_match(Type::comma);
  put.ip = parse_field_of(ipv6 ? 128 : 32);
  lexer_.force_match(Type::comma);
  put.mac = parse_field_of(48);
  lexer_.force_match(Type::rparen);
  out.push_back({put});
}

void ActionParser::parse_put_fdb(ActionList& out) {
  ovn::PutFdb put;
  lexer_.force_match(Type::lparen);
  put.port = parse_field_of(0);
  lexer_.force_match(Type::comma);
  put.mac = parse_field_of(48);
  lexer_.force_match(Type::rparen);
  out.push_back({put});
}

void ActionParser::parse_set_queue(ActionList& out) {
  ovn::SetQueue set;
  if (!lexer_.force_match(Type::lparen) || !lexer_.take_small_integer(set.queue) || !lexer_.force_match(Type::rparen)) return;
  if (set.queue < kMinQueue - 1 || set.queue > kMaxQueue)
    return lexer_.error(
        fmt::format("Queue ID {} for set_queue is not in valid range {} to {}.", set.queue, kMinQueue - 1, kMaxQueue));
  out.push_back({set});
}

void ActionParser::parse_set_meter(ActionList& out) {
  ovn::SetMeter set;
  const auto number = [this] {
    const std::uint64_t value = is_decimal(lexer_) ? low64(lexer_.token().value) : 0;
    lexer_.advance();
    return value;
  };
  lexer_.force_match(Type::lparen);
  set.rate = number();
  if (lexer_.match(Type::comma)) set.burst = number();
  lexer_.force_match(Type::rparen);
  if (set.rate == 0) return lexer_.error("Rate 0 for set_meter is not in valid.");
  out.push_back({set});
}

void ActionParser::parse_log_argument(ovn::Log& log, bool& has_verdict) {
  using V = ovn::Log::Verdict;
  const auto string = [this](std::optional<std::string>& to) {
    if (!lexer_.at(Type::string)) return lexer_.syntax_error("expecting string");
    to = lexer_.token().text;
    lexer_.advance();
  };
  if (lexer_.match_id("verdict")) {
    if (!lexer_.force_match(Type::equals)) return;
    for (const V v : {V::drop, V::reject, V::allow, V::pass}) {
      if (!lexer_.match_id(log_verdict_name(v))) continue;
      log.verdict = v;
      has_verdict = true;
      return;
    }
    lexer_.syntax_error("unknown verdict");
  } else if (lexer_.match_id("name")) {
    if (!lexer_.force_match(Type::equals)) return;
    if (lexer_.at(Type::string) && lexer_.token().text.size() >= 64)
      return lexer_.syntax_error("name must be shorter than 64 characters");
    string(log.name);
  } else if (lexer_.match_id("severity")) {
    if (!lexer_.force_match(Type::equals)) return;
    if (!lexer_.at(Type::id)) return lexer_.syntax_error("expecting severity");
    for (std::uint8_t s = 0; s < 5; ++s)
      if (lexer_.match_id(ovn::log_severity_name(s))) {
        log.severity = s;
        return;
      }
    lexer_.syntax_error("unknown severity");
  } else if (lexer_.match_id("meter")) {
    if (lexer_.force_match(Type::equals)) string(log.meter);
  } else {
    lexer_.syntax_error();
  }
}

void ActionParser::parse_log(ActionList& out) {
  ovn::Log log;
  bool has_verdict = false;
  if (lexer_.match(Type::lparen))
    while (!lexer_.failed() && !lexer_.match(Type::rparen)) {
      parse_log_argument(log, has_verdict);
      if (!lexer_.failed()) lexer_.match(Type::comma);
    }
  if (!has_verdict) lexer_.syntax_error("expecting verdict");
  out.push_back({std::move(log)});
}

void ActionParser::parse_bind_vport(ActionList& out) {
  if (!lexer_.force_match(Type::lparen)) return;
  if (!lexer_.at(Type::string)) return lexer_.syntax_error("expecting port name string");
  ovn::BindVport bind{lexer_.token().text, {}};
  lexer_.advance();
  lexer_.force_match(Type::comma);
  bind.parent = parse_field_of(0);
  lexer_.force_match(Type::rparen);
  out.push_back({std::move(bind)});
}

void ActionParser::parse_service_check(ActionList& out) {
  if (!lexer_.force_match(Type::lparen)) return;
  const ovn::FieldRef port = parse_field_of(0);
  lexer_.force_match(Type::rparen);
  out.push_back({ovn::HandleServiceCheck{port}});
}

void ActionParser::parse_forward_group(ActionList& out) {
  ovn::ForwardGroup group;
  if (lexer_.match(Type::lparen)) {
    if (lexer_.match_id("liveness")) {
      if (!lexer_.force_match(Type::equals) || !parse_bool(group.liveness)) return;
      lexer_.force_match(Type::comma);
    }
    if (lexer_.match_id("childports")) {
      if (!lexer_.force_match(Type::equals)) return;
      while (!lexer_.match(Type::rparen)) {
        if (!lexer_.at(Type::string)) return lexer_.syntax_error("expecting logical switch port");
        group.ports.push_back(lexer_.token().text);
        lexer_.advance();
        lexer_.match(Type::comma);
      }
    }
  }
  out.push_back({std::move(group)});
}

void ActionParser::parse_ecmp_next_hop(ActionList& out) {
  ovn::CommitEcmpNextHop commit;
  lexer_.force_match(Type::lparen);
  if (!force_parameter("ipv6") || !parse_bool(commit.ipv6)) return;
  lexer_.force_match(Type::comma);
  if (!force_parameter("proto")) return;
  const auto protocol = protocol_of(lexer_);
  if (!protocol) return lexer_.syntax_error("invalid protocol");
  commit.protocol = *protocol;
  lexer_.force_match(Type::rparen);
  out.push_back({commit});
}

// "10.0.0.1", "10.0.0.1:80", "[::1]:80"
void ActionParser::parse_affinity_endpoint(std::string_view name, IpAddr& address, std::uint16_t& port) {
  if (!force_parameter(name)) return;
  if (!lexer_.at(Type::string)) return lexer_.syntax_error("invalid parameter");
  std::string_view text = lexer_.token().text;
  auto parsed = IpAddr::parse(text);
  if (!parsed && !text.empty()) {
    const std::size_t colon = text.back() == ']' ? std::string_view::npos : text.rfind(':');
    std::string_view host = text.substr(0, colon);
    if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
    parsed = IpAddr::parse(host);
    const auto number = colon == std::string_view::npos ? std::optional<std::uint64_t>(0) : parse_decimal(text.substr(colon + 1));
    if (!number || *number > 0xffff)
      parsed.reset();
    else
      port = static_cast<std::uint16_t>(*number);
  }
  if (!parsed) return lexer_.syntax_error("invalid parameter");
  address = *parsed;
  lexer_.advance();
  lexer_.force_match(Type::comma);
}

void ActionParser::parse_lb_affinity(ActionList& out) {
  ovn::CommitLbAffinity commit;
  lexer_.force_match(Type::lparen);
  parse_affinity_endpoint("vip", commit.vip, commit.vip_port);
  if (!lexer_.failed()) parse_affinity_endpoint("backend", commit.backend, commit.backend_port);
  if (lexer_.failed()) return;
  if (commit.vip.family != commit.backend.family) return lexer_.syntax_error("invalid protocol family");
  if (commit.vip_port) {
    if (!force_parameter("proto")) return;
    const auto protocol = protocol_of(lexer_);
    if (!protocol) return lexer_.syntax_error("invalid protocol");
    commit.protocol = *protocol;
    lexer_.force_match(Type::comma);
  }
  if (!force_parameter("timeout") || !parse_u16(commit.timeout, "affinity timeout")) return;
  lexer_.force_match(Type::rparen);
  out.push_back({commit});
}

void ActionParser::parse_sample_argument(ovn::Sample& sample) {
  const auto take = [this] {
    const auto value = static_cast<std::uint32_t>(is_decimal(lexer_) ? lexer_.token().value : 0);
    lexer_.advance();
    return value;
  };
  if (lexer_.match_id("probability")) {
    if (lexer_.force_match(Type::equals) && is_decimal(lexer_)) parse_u16(sample.probability, "probability");
  } else if (lexer_.match_id("obs_point")) {
    if (!lexer_.force_match(Type::equals)) return;
    if (lexer_.at(Type::address_set) && lexer_.token().text == "cookie") {
      sample.point_is_cookie = true;
      lexer_.advance();
    } else if (is_decimal(lexer_)) {
      sample.point = take();
    } else if (context_.dialect.samples_fields) {
      sample.point_field = parse_field_of(32);
    } else {
      lexer_.syntax_error("malformed sample observation_point_id");
    }
  } else if (lexer_.match_id("obs_domain")) {
    if (!lexer_.force_match(Type::equals)) return;
    if (is_decimal(lexer_) && static_cast<std::uint32_t>(lexer_.token().value) > 0xff)
      return lexer_.syntax_error("obs_domain must be 8-bit long");
    sample.domain = static_cast<std::uint8_t>(take());
  } else if (lexer_.match_id("collector_set")) {
    if (lexer_.force_match(Type::equals)) sample.collector_set = take();
  } else {
    lexer_.syntax_error("unknown argument");
  }
}

void ActionParser::parse_sample(ActionList& out) {
  ovn::Sample sample;
  if (lexer_.match(Type::lparen))
    while (!lexer_.failed() && !lexer_.match(Type::rparen)) {
      parse_sample_argument(sample);
      if (!lexer_.failed()) lexer_.match(Type::comma);
    }
  if (!lexer_.failed() && sample.probability == 0) return lexer_.error("probability must be greater than zero");
  out.push_back({sample});
}

void ActionParser::parse_mirror(ActionList& out) {
  if (!lexer_.force_match(Type::lparen)) return;
  if (!lexer_.at(Type::string)) return lexer_.syntax_error("expecting port name string");
  ovn::Mirror mirror{lexer_.token().text};
  lexer_.advance();
  lexer_.force_match(Type::rparen);
  out.push_back({std::move(mirror)});
}

}  // namespace egt::parsers::ovn_lang
