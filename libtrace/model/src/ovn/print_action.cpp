// Canonical text of actions (the format_* functions of lib/actions.c in OVN).
#include <fmt/format.h>

#include "egtrace/ovn/action.h"

namespace egt::ovn {
namespace {

using fmt::format;

std::string_view pipeline_name(Pipeline p) { return p == Pipeline::ingress ? "ingress" : "egress"; }
std::string_view zone_name(CtZone z) { return z == CtZone::dnat ? "dnat" : "snat"; }

std::string_view protocol_name(std::uint8_t protocol) {
  return protocol == ip_proto::udp ? "udp" : protocol == ip_proto::sctp ? "sctp" : "tcp";
}

std::string options_text(const std::vector<NamedOption>& options) {
  std::string out;
  for (const NamedOption& o : options) {
    if (!out.empty()) out += ", ";
    out += format("{} = {}", o.name, to_string(o.values));
  }
  return out;
}

std::string address_and_port(const IpAddr& address, unsigned port, bool brackets_always = false) {
  const bool brackets = !address.is_v4() && (brackets_always || port != 0);
  std::string out = brackets ? format("[{}]", address.to_string()) : address.to_string();
  if (port) out += format(":{}", port);
  return out;
}

std::string assigned(const FieldRef& to, std::string_view what) { return format("{} = {};", to_string(to), what); }

std::string_view name_of(PlainAction::Kind kind) {
  using K = PlainAction::Kind;
  switch (kind) {
    case K::output: return "output";
    case K::decrement_ttl: return "ip.ttl--";
    case K::ct_clear: return "ct_clear";
    case K::igmp: return "igmp";
    case K::ct_snat_to_vip: return "ct_snat_to_vip";
    case K::dhcpv6_reply: return "handle_dhcpv6_reply";
    case K::bfd_message: return "handle_bfd_msg()";
    case K::mac_cache_use: return "mac_cache_use";
    case K::flood_remote: return "flood_remote";
  }
  return {};
}

std::string_view name_of(Nested::Kind kind) {
  using K = Nested::Kind;
  switch (kind) {
    case K::clone: return "clone";
    case K::arp: return "arp";
    case K::icmp4: return "icmp4";
    case K::icmp4_error: return "icmp4_error";
    case K::icmp6: return "icmp6";
    case K::icmp6_error: return "icmp6_error";
    case K::tcp_reset: return "tcp_reset";
    case K::sctp_abort: return "sctp_abort";
    case K::reject: return "reject";
    case K::nd_na: return "nd_na";
    case K::nd_na_router: return "nd_na_router";
    case K::nd_ns: return "nd_ns";
  }
  return {};
}

std::string_view name_of(ResultAction::Kind kind) {
  using K = ResultAction::Kind;
  switch (kind) {
    case K::dns_lookup: return "dns_lookup()";
    case K::chk_lb_hairpin: return "chk_lb_hairpin()";
    case K::chk_lb_hairpin_reply: return "chk_lb_hairpin_reply()";
    case K::check_in_port_sec: return "check_in_port_sec()";
    case K::check_out_port_sec: return "check_out_port_sec()";
    case K::chk_ecmp_nh_mac: return "chk_ecmp_nh_mac()";
    case K::chk_ecmp_nh: return "chk_ecmp_nh()";
    case K::chk_lb_aff: return "chk_lb_aff()";
    case K::ct_nw_dst: return "ct_nw_dst()";
    case K::ct_ip6_dst: return "ct_ip6_dst()";
    case K::ct_tp_dst: return "ct_tp_dst()";
    case K::ct_proto: return "ct_proto()";
    case K::ct_state_save: return "ct_state_save()";
  }
  return {};
}

std::string text(const PlainAction& a) { return format("{};", name_of(a.kind)); }

std::string text(const NextTable& a) {
  if (a.other_pipeline) return format("next(pipeline={}, table={});", pipeline_name(a.pipeline), a.table);
  return a.skips ? format("next({});", a.table) : "next;";
}

std::string text(const Load& a) {
  if (!a.to.symbol->is_ovn_field) return assigned(a.to, to_string(a.value, a.to.symbol->is_string()));
  const auto value = static_cast<std::uint32_t>(a.value.value);
  // OVN prints all MTUs as 16 bits, whatever their width.
  return assigned(a.to, a.value.format == ConstantFormat::ipv4 ? ipv4_text(value) : format("{}", value & 0xffff));
}

std::string text(const Move& a) { return assigned(a.to, to_string(a.from)); }
std::string text(const Exchange& a) { return format("{} <-> {};", to_string(a.a), to_string(a.b)); }
std::string text(const Push& a) { return format("push({});", to_string(a.field)); }
std::string text(const Pop& a) { return format("pop({});", to_string(a.field)); }

std::string text(const CtNext& a) { return a.names_zone ? format("ct_next({});", zone_name(a.zone)) : "ct_next;"; }

std::string text(const CtCommit& a) {
  if (!a.in_parentheses) return a.actions.empty() ? "ct_commit;" : format("ct_commit {{ {} }};", to_string(a.actions));
  std::string arguments;
  if (a.mark_mask) {
    arguments += format("ct_mark={}", hex(a.mark, true));
    if (a.mark_mask != 0xffffffff) arguments += format("/{:#x}", a.mark_mask);
  }
  if (a.label_mask) {
    if (!arguments.empty()) arguments += ", ";
    arguments += format("ct_label={}", hex(a.label));
    if (a.label_mask != ~U128{0}) arguments += format("/{}", hex(a.label_mask));
  }
  return arguments.empty() ? "ct_commit;" : format("ct_commit({});", arguments);
}

std::string text(const CtCommitToZone& a) {
  const std::string_view name = a.nat ? "ct_commit_nat" : "ct_commit_to_zone";
  return a.names_zone ? format("{}({});", name, zone_name(a.zone)) : format("{};", name);
}

std::string text(const CtNat& a) {
  std::string out = format("ct_{}nat{}", a.destination ? 'd' : 's', a.in_czone ? "_in_czone" : "");
  if (a.address) {
    out += format("({}", a.address->to_string());
    if (a.ports) out += format(",{}", a.ports->low);
    if (a.ports && a.ports->high) out += format("-{}", a.ports->high);
    out += ')';
  }
  return out + ';';
}

std::string text(const CtLb& a) {
  std::string out = a.kind == CtLb::Kind::label ? "ct_lb" : a.kind == CtLb::Kind::mark ? "ct_lb_mark" : "ct_lb_mark_local";
  if (a.backends.empty()) return out + ';';
  const char* between = "(backends=";
  for (const LbBackend& b : a.backends) {
    out += between;
    between = ",";
    if (a.kind == CtLb::Kind::mark_local) out += format("\"{}\":", b.port_name);
    out += address_and_port(b.address, b.port);
  }
  if (a.hash_fields) out += format("; hash_fields=\"{}\"", *a.hash_fields);
  if (a.flag == CtLb::Flag::skip_snat) out += "; skip_snat";
  if (a.flag == CtLb::Flag::force_snat) out += "; force_snat";
  return out + ");";
}

std::string text(const Select& a) {
  std::string out = format("{} = select({}", to_string(a.result), a.hash_fields ? "values=(" : "");
  for (std::size_t i = 0; i < a.members.size(); ++i)
    out += format("{}{}={}", i ? ", " : "", a.members[i].id, a.members[i].weight);
  out += ')';
  if (a.hash_fields) out += format("; hash_fields=\"{}\")", *a.hash_fields);
  return out + ';';
}

std::string text(const Nested& a) { return format("{} {{ {} }};", name_of(a.kind), to_string(a.actions)); }

std::string text(const GetBinding& a) {
  return format("get_{}({}, {});", a.ipv6 ? "nd" : "arp", to_string(a.port), to_string(a.ip));
}

std::string text(const PutBinding& a) {
  return format("put_{}({}, {}, {});", a.ipv6 ? "nd" : "arp", to_string(a.port), to_string(a.ip), to_string(a.mac));
}

std::string text(const LookupBinding& a) {
  std::string out = format("{} = lookup_{}{}({}, {}", to_string(a.result), a.ipv6 ? "nd" : "arp", a.mac ? "" : "_ip",
                           to_string(a.port), to_string(a.ip));
  if (a.mac) out += ", " + to_string(*a.mac);
  return out + ");";
}

std::string text(const ResultAction& a) { return assigned(a.result, name_of(a.kind)); }

std::string text(const PutOptions& a) {
  static constexpr std::string_view kNames[] = {"put_dhcp_opts", "put_dhcpv6_opts", "put_nd_ra_opts"};
  return format("{} = {}({});", to_string(a.result), kNames[static_cast<unsigned>(a.kind)], options_text(a.options));
}

std::string text(const DhcpRelayCheck& a) {
  return format("{} = dhcp_relay_{}_chk({}, {});", to_string(a.result), a.response ? "resp" : "req", ipv4_text(a.relay),
                ipv4_text(a.server));
}

std::string text(const SetQueue& a) { return format("set_queue({});", a.queue); }

std::string text(const SetMeter& a) {
  return a.burst ? format("set_meter({}, {});", a.rate, a.burst) : format("set_meter({});", a.rate);
}

std::string text(const Log& a) {
  std::string out = "log(";
  if (a.name) out += format("name=\"{}\", ", *a.name);
  out += format("verdict={}, severity={}", log_verdict_name(a.verdict), log_severity_name(a.severity));
  if (a.meter) out += format(", meter=\"{}\"", *a.meter);
  return out + ");";
}

std::string text(const CheckPacketLarger& a) { return format("{} = check_pkt_larger({});", to_string(a.result), a.length); }

std::string text(const TriggerEvent& a) {
  std::string out = format("trigger_event(event = \"{}\"", a.event);
  if (!a.options.empty()) out += ", " + options_text(a.options);
  return out + ");";
}

std::string text(const BindVport& a) { return format("bind_vport(\"{}\", {});", a.vport, to_string(a.parent)); }
std::string text(const HandleServiceCheck& a) { return format("handle_svc_check({});", to_string(a.port)); }

std::string text(const ForwardGroup& a) {
  std::string out = a.liveness ? "fwd_group(liveness=\"true\", " : "fwd_group(";
  for (std::size_t i = 0; i < a.ports.size(); ++i) out += format("{}\"{}\"", i ? ", " : "childports=", a.ports[i]);
  return out + ");";
}

std::string text(const PutFdb& a) { return format("put_fdb({}, {});", to_string(a.port), to_string(a.mac)); }

std::string text(const GetFdb& a) {
  return format("{} = get_{}fdb({});", to_string(a.result), a.remote ? "remote_" : "", to_string(a.mac));
}

std::string text(const LookupFdb& a) {
  return format("{} = lookup_fdb({}, {});", to_string(a.result), to_string(a.port), to_string(a.mac));
}

std::string text(const CommitEcmpNextHop& a) {
  return format("commit_ecmp_nh(ipv6 = {}, proto = {});", a.ipv6, protocol_name(a.protocol));
}

std::string text(const CommitLbAffinity& a) {
  std::string out = format("commit_lb_aff(vip = \"{}\", backend = \"{}\"", address_and_port(a.vip, a.vip_port, true),
                           address_and_port(a.backend, a.backend_port, true));
  if (a.protocol) out += format(", proto = {}", protocol_name(a.protocol));
  return out + format(", timeout = {});", a.timeout);
}

std::string text(const Sample& a) {
  const std::string point = a.point_is_cookie ? "$cookie" : a.point_field ? to_string(*a.point_field) : format("{}", a.point);
  return format("sample(probability={},collector_set={},obs_domain={},obs_point={});", a.probability, a.collector_set, a.domain,
                point);
}

std::string text(const Mirror& a) { return format("mirror(\"{}\");", a.port); }

std::string text(const CheckEvpnArp& a) { return format("{} = chk_evpn_arp({});", to_string(a.result), to_string(a.ip)); }

}  // namespace

std::string_view log_verdict_name(Log::Verdict verdict) {
  switch (verdict) {
    case Log::Verdict::allow: return "allow";
    case Log::Verdict::drop: return "drop";
    case Log::Verdict::reject: return "reject";
    case Log::Verdict::pass: return "pass";
  }
  return {};
}

std::string_view log_severity_name(std::uint8_t severity) {
  static constexpr std::string_view kNames[] = {"alert", "warning", "notice", "info", "debug"};
  return severity < std::size(kNames) ? kNames[severity] : "<unknown>";
}

std::string to_string(const Action& action) {
  return std::visit([](const auto& a) { return text(a); }, action.kind);
}

std::string to_string(const ActionList& actions) {
  if (actions.empty()) return "drop;";
  std::string out;
  for (const Action& a : actions) {
    if (!out.empty()) out += ' ';
    out += to_string(a);
  }
  return out;
}

}  // namespace egt::ovn
