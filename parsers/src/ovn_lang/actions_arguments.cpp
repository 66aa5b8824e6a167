// Actions with arguments in parentheses.
#include <fmt/format.h>

#include <algorithm>

#include "egtrace/base/text.h"
#include "ovn_lang/action_words.h"

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

void parse_get_binding(ActionOperands& in, bool ipv6, ActionList& out) {
  ovn::GetBinding get{ipv6, {}, {}};
  in.lexer.force_match(Type::lparen);
  get.port = in.parse_field_of(0);
  in.lexer.force_match(Type::comma);
  get.ip = in.parse_field_of(ipv6 ? 128 : 32);
  in.lexer.force_match(Type::rparen);
  out.push_back({get});
}

void parse_put_binding(ActionOperands& in, bool ipv6, ActionList& out) {
  ovn::PutBinding put{ipv6, {}, {}, {}};
  in.lexer.force_match(Type::lparen);
  put.port = in.parse_field_of(0);
  in.lexer.force_match(Type::comma);
  put.ip = in.parse_field_of(ipv6 ? 128 : 32);
  in.lexer.force_match(Type::comma);
  put.mac = in.parse_field_of(48);
  in.lexer.force_match(Type::rparen);
  out.push_back({put});
}

void parse_put_fdb(ActionOperands& in, ActionList& out) {
  ovn::PutFdb put;
  in.lexer.force_match(Type::lparen);
  put.port = in.parse_field_of(0);
  in.lexer.force_match(Type::comma);
  put.mac = in.parse_field_of(48);
  in.lexer.force_match(Type::rparen);
  out.push_back({put});
}

void parse_set_queue(ActionOperands& in, ActionList& out) {
  ovn::SetQueue set;
  if (!in.lexer.force_match(Type::lparen) || !in.lexer.take_small_integer(set.queue) || !in.lexer.force_match(Type::rparen))
    return;
  if (set.queue < kMinQueue - 1 || set.queue > kMaxQueue)
    return in.lexer.error(
        fmt::format("Queue ID {} for set_queue is not in valid range {} to {}.", set.queue, kMinQueue - 1, kMaxQueue));
  out.push_back({set});
}

void parse_set_meter(ActionOperands& in, ActionList& out) {
  ovn::SetMeter set;
  const auto number = [&in] {
    const std::uint64_t value = is_decimal(in.lexer) ? low64(in.lexer.token().value) : 0;
    in.lexer.advance();
    return value;
  };
  in.lexer.force_match(Type::lparen);
  set.rate = number();
  if (in.lexer.match(Type::comma)) set.burst = number();
  in.lexer.force_match(Type::rparen);
  if (set.rate == 0) return in.lexer.error("Rate 0 for set_meter is not in valid.");
  out.push_back({set});
}

void parse_log_argument(ActionOperands& in, ovn::Log& log, bool& has_verdict) {
  using V = ovn::Log::Verdict;
  const auto string = [&in](std::optional<std::string>& to) {
    if (!in.lexer.at(Type::string)) return in.lexer.syntax_error("expecting string");
    to = in.lexer.token().text;
    in.lexer.advance();
  };
  if (in.lexer.match_id("verdict")) {
    if (!in.lexer.force_match(Type::equals)) return;
    for (const V v : {V::drop, V::reject, V::allow, V::pass}) {
      if (!in.lexer.match_id(log_verdict_name(v))) continue;
      log.verdict = v;
      has_verdict = true;
      return;
    }
    in.lexer.syntax_error("unknown verdict");
  } else if (in.lexer.match_id("name")) {
    if (!in.lexer.force_match(Type::equals)) return;
    if (in.lexer.at(Type::string) && in.lexer.token().text.size() >= 64)
      return in.lexer.syntax_error("name must be shorter than 64 characters");
    string(log.name);
  } else if (in.lexer.match_id("severity")) {
    if (!in.lexer.force_match(Type::equals)) return;
    if (!in.lexer.at(Type::id)) return in.lexer.syntax_error("expecting severity");
    for (std::uint8_t s = 0; s < 5; ++s)
      if (in.lexer.match_id(ovn::log_severity_name(s))) {
        log.severity = s;
        return;
      }
    in.lexer.syntax_error("unknown severity");
  } else if (in.lexer.match_id("meter")) {
    if (in.lexer.force_match(Type::equals)) string(log.meter);
  } else {
    in.lexer.syntax_error();
  }
}

void parse_log(ActionOperands& in, ActionList& out) {
  ovn::Log log;
  bool has_verdict = false;
  if (in.lexer.match(Type::lparen))
    while (!in.lexer.failed() && !in.lexer.match(Type::rparen)) {
      parse_log_argument(in, log, has_verdict);
      if (!in.lexer.failed()) in.lexer.match(Type::comma);
    }
  if (!has_verdict) in.lexer.syntax_error("expecting verdict");
  out.push_back({std::move(log)});
}

void parse_bind_vport(ActionOperands& in, ActionList& out) {
  if (!in.lexer.force_match(Type::lparen)) return;
  if (!in.lexer.at(Type::string)) return in.lexer.syntax_error("expecting port name string");
  ovn::BindVport bind{in.lexer.token().text, {}};
  in.lexer.advance();
  in.lexer.force_match(Type::comma);
  bind.parent = in.parse_field_of(0);
  in.lexer.force_match(Type::rparen);
  out.push_back({std::move(bind)});
}

void parse_service_check(ActionOperands& in, ActionList& out) {
  if (!in.lexer.force_match(Type::lparen)) return;
  const ovn::FieldRef port = in.parse_field_of(0);
  in.lexer.force_match(Type::rparen);
  out.push_back({ovn::HandleServiceCheck{port}});
}

void parse_forward_group(ActionOperands& in, ActionList& out) {
  ovn::ForwardGroup group;
  if (in.lexer.match(Type::lparen)) {
    if (in.lexer.match_id("liveness")) {
      if (!in.lexer.force_match(Type::equals) || !in.parse_bool(group.liveness)) return;
      in.lexer.force_match(Type::comma);
    }
    if (in.lexer.match_id("childports")) {
      if (!in.lexer.force_match(Type::equals)) return;
      while (!in.lexer.match(Type::rparen)) {
        if (!in.lexer.at(Type::string)) return in.lexer.syntax_error("expecting logical switch port");
        group.ports.push_back(in.lexer.token().text);
        in.lexer.advance();
        in.lexer.match(Type::comma);
      }
    }
  }
  out.push_back({std::move(group)});
}

void parse_ecmp_next_hop(ActionOperands& in, ActionList& out) {
  ovn::CommitEcmpNextHop commit;
  in.lexer.force_match(Type::lparen);
  if (!in.force_parameter("ipv6") || !in.parse_bool(commit.ipv6)) return;
  in.lexer.force_match(Type::comma);
  if (!in.force_parameter("proto")) return;
  const auto protocol = protocol_of(in.lexer);
  if (!protocol) return in.lexer.syntax_error("invalid protocol");
  commit.protocol = *protocol;
  in.lexer.force_match(Type::rparen);
  out.push_back({commit});
}

// "10.0.0.1", "10.0.0.1:80", "[::1]:80"
void parse_affinity_endpoint(ActionOperands& in, std::string_view name, IpAddr& address, std::uint16_t& port) {
  if (!in.force_parameter(name)) return;
  if (!in.lexer.at(Type::string)) return in.lexer.syntax_error("invalid parameter");
  std::string_view text = in.lexer.token().text;
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
  if (!parsed) return in.lexer.syntax_error("invalid parameter");
  address = *parsed;
  in.lexer.advance();
  in.lexer.force_match(Type::comma);
}

void parse_lb_affinity(ActionOperands& in, ActionList& out) {
  ovn::CommitLbAffinity commit;
  in.lexer.force_match(Type::lparen);
  parse_affinity_endpoint(in, "vip", commit.vip, commit.vip_port);
  if (!in.lexer.failed()) parse_affinity_endpoint(in, "backend", commit.backend, commit.backend_port);
  if (in.lexer.failed()) return;
  if (commit.vip.family != commit.backend.family) return in.lexer.syntax_error("invalid protocol family");
  if (commit.vip_port) {
    if (!in.force_parameter("proto")) return;
    const auto protocol = protocol_of(in.lexer);
    if (!protocol) return in.lexer.syntax_error("invalid protocol");
    commit.protocol = *protocol;
    in.lexer.force_match(Type::comma);
  }
  if (!in.force_parameter("timeout") || !in.parse_u16(commit.timeout, "affinity timeout")) return;
  in.lexer.force_match(Type::rparen);
  out.push_back({commit});
}

void parse_sample_argument(ActionOperands& in, ovn::Sample& sample) {
  const auto take = [&in] {
    const auto value = static_cast<std::uint32_t>(is_decimal(in.lexer) ? in.lexer.token().value : 0);
    in.lexer.advance();
    return value;
  };
  if (in.lexer.match_id("probability")) {
    if (in.lexer.force_match(Type::equals) && is_decimal(in.lexer)) in.parse_u16(sample.probability, "probability");
  } else if (in.lexer.match_id("obs_point")) {
    if (!in.lexer.force_match(Type::equals)) return;
    if (in.lexer.at(Type::address_set) && in.lexer.token().text == "cookie") {
      sample.point_is_cookie = true;
      in.lexer.advance();
    } else if (is_decimal(in.lexer)) {
      sample.point = take();
    } else if (in.context.dialect.samples_fields) {
      sample.point_field = in.parse_field_of(32);
    } else {
      in.lexer.syntax_error("malformed sample observation_point_id");
    }
  } else if (in.lexer.match_id("obs_domain")) {
    if (!in.lexer.force_match(Type::equals)) return;
    if (is_decimal(in.lexer) && static_cast<std::uint32_t>(in.lexer.token().value) > 0xff)
      return in.lexer.syntax_error("obs_domain must be 8-bit long");
    sample.domain = static_cast<std::uint8_t>(take());
  } else if (in.lexer.match_id("collector_set")) {
    if (in.lexer.force_match(Type::equals)) sample.collector_set = take();
  } else {
    in.lexer.syntax_error("unknown argument");
  }
}

void parse_sample(ActionOperands& in, ActionList& out) {
  ovn::Sample sample;
  if (in.lexer.match(Type::lparen))
    while (!in.lexer.failed() && !in.lexer.match(Type::rparen)) {
      parse_sample_argument(in, sample);
      if (!in.lexer.failed()) in.lexer.match(Type::comma);
    }
  if (!in.lexer.failed() && sample.probability == 0) return in.lexer.error("probability must be greater than zero");
  out.push_back({sample});
}

void parse_mirror(ActionOperands& in, ActionList& out) {
  if (!in.lexer.force_match(Type::lparen)) return;
  if (!in.lexer.at(Type::string)) return in.lexer.syntax_error("expecting port name string");
  ovn::Mirror mirror{in.lexer.token().text};
  in.lexer.advance();
  in.lexer.force_match(Type::rparen);
  out.push_back({std::move(mirror)});
}

}  // namespace

bool parse_with_arguments(ActionOperands& in, std::string_view word, ActionList& out) {
  const auto is = [&](std::string_view name) {
    if (word != name) return false;
    in.lexer.advance();
    return true;
  };
  if (is("get_arp"))
    parse_get_binding(in, false, out);
  else if (is("get_nd"))
    parse_get_binding(in, true, out);
  else if (is("put_arp"))
    parse_put_binding(in, false, out);
  else if (is("put_nd"))
    parse_put_binding(in, true, out);
  else if (is("put_fdb"))
    parse_put_fdb(in, out);
  else if (is("set_queue"))
    parse_set_queue(in, out);
  else if (is("set_meter"))
    parse_set_meter(in, out);
  else if (is("log"))
    parse_log(in, out);
  else if (is("trigger_event"))
    parse_trigger_event(in, out);
  else if (is("bind_vport"))
    parse_bind_vport(in, out);
  else if (is("handle_svc_check"))
    parse_service_check(in, out);
  else if (is("fwd_group"))
    parse_forward_group(in, out);
  else if (is("commit_ecmp_nh"))
    parse_ecmp_next_hop(in, out);
  else if (is("commit_lb_aff"))
    parse_lb_affinity(in, out);
  else if (is("sample"))
    parse_sample(in, out);
  else if (is("mirror"))
    parse_mirror(in, out);
  else
    return false;
  return true;
}

}  // namespace egt::parsers::ovn_lang
