#include "refusal.h"

#include <algorithm>

#include "egtrace/base/text.h"
#include "kernel_conntrack.h"

namespace egt::engine {
namespace {

constexpr std::uint8_t kDefaultTtl = 64;
constexpr std::uint32_t kTcpRst = 0x04, kTcpAck = 0x10;

struct RejectName {
  std::string_view name;
  IcmpError v4, v6;
};
constexpr std::uint8_t kTimeExceeded4 = 11, kTimeExceeded6 = 3, kUnreachable4 = 3, kUnreachable6 = 1, kTooBig6 = 2;
constexpr RejectName kRejectNames[] = {
    {"net-unreachable", {kUnreachable4, 0}, {kUnreachable6, 0}},
    {"no-route", {kUnreachable4, 0}, {kUnreachable6, 0}},
    {"host-unreachable", {kUnreachable4, 1}, {kUnreachable6, 3}},
    {"addr-unreachable", {kUnreachable4, 1}, {kUnreachable6, 3}},
    {"proto-unreachable", {kUnreachable4, 2}, {kUnreachable6, 4}},
    {"prot-unreachable", {kUnreachable4, 2}, {kUnreachable6, 4}},
    {"port-unreachable", {kUnreachable4, 3}, {kUnreachable6, 4}},
    {"net-prohibited", {kUnreachable4, 9}, {kUnreachable6, 1}},
    {"host-prohibited", {kUnreachable4, 10}, {kUnreachable6, 1}},
    {"admin-prohibited", {kUnreachable4, 13}, {kUnreachable6, 1}},
    {"adm-prohibited", {kUnreachable4, 13}, {kUnreachable6, 1}},
    {"beyond-scope", {kUnreachable4, 0}, {kUnreachable6, 2}},
    {"policy-fail", {kUnreachable4, 13}, {kUnreachable6, 5}},
    {"reject-route", {kUnreachable4, 0}, {kUnreachable6, 6}},
    {"frag-needed", {kUnreachable4, 4}, {kTooBig6, 0}},
    {"packet-too-big", {kUnreachable4, 4}, {kTooBig6, 0}},
    {"ttl-exceeded", {kTimeExceeded4, 0}, {kTimeExceeded6, 0}},
};

FlowKey empty_ip(Family family, std::uint8_t proto) {
  FlowKey k;
  k.set(FieldId::eth_type, family == Family::v4 ? ethertype::ipv4 : ethertype::ipv6);
  k.set(FieldId::nw_proto, proto);
  k.set(FieldId::nw_ttl, kDefaultTtl);
  return k;
}

}  // namespace

std::optional<IcmpError> icmp_error_named(std::string_view name, Family family) {
  std::string word(trim(name));
  std::replace(word.begin(), word.end(), ' ', '-');
  std::string_view rest = word;
  for (std::string_view prefix : {"icmpv6-", "icmp6-", "icmpx-", "icmp-"})
    if (consume(rest, prefix)) break;
  consume(rest, "type-");
  for (const RejectName& n : kRejectNames)
    if (n.name == rest) return family == Family::v4 ? n.v4 : n.v6;
  return std::nullopt;
}

bool is_tcp_reset(std::string_view name) { return name == "tcp-reset" || name == "tcp reset" || name == "tcp-rst"; }

bool may_be_answered(const FlowKey& packet) {
  if (is_icmp_error(packet) || (packet.u32(FieldId::ip_frag) & ip_frag::later)) return false;
  if (dst_mac(packet).is_multicast()) return false;
  const IpAddr from = src_ip(packet), to = dst_ip(packet);
  return !from.is_unspecified() && !from.is_multicast() && !to.is_multicast() && to != IpAddr::v4(0xffffffff);
}

FlowKey make_icmp_error(const FlowKey& refused, const IpAddr& from, const IpAddr& to, IcmpError error) {
  const Family family = family_of(refused);
  FlowKey k = empty_ip(family, family == Family::v4 ? ip_proto::icmp : ip_proto::icmp6);
  set_src_ip(k, from);
  set_dst_ip(k, to);
  // icmp_send(): "internetwork control" beside what the sender asked for; ICMPv6 asks for nothing.
  constexpr std::uint32_t kKeptTos = 0x1e, kInternetControl = 0xc0;
  if (family == Family::v4) set_tos(k, static_cast<std::uint8_t>((tos_of(refused) & kKeptTos) | kInternetControl));
  k.set(FieldId::icmp_type, error.type);
  k.set(FieldId::icmp_code, error.code);
  return k;
}

FlowKey make_tcp_reset(const FlowKey& refused) {
  FlowKey k = empty_ip(family_of(refused), ip_proto::tcp);
  set_tuple(k, reversed(tuple_of(refused)));
  k.set(FieldId::tcp_flags, (refused.u32(FieldId::tcp_flags) & kTcpAck) ? kTcpRst : kTcpRst | kTcpAck);
  return k;
}

Cause why_no_route(const RouteAnswer& answer, const IpAddr& to) {
  const std::uint64_t by_route = answer.route != nullptr ? 1 : 0;
  switch (answer.kind) {
    case RouteAnswer::Kind::blackhole: return {Reason::blackhole, {to}};
    case RouteAnswer::Kind::prohibit: return {Reason::prohibited, {to, by_route}};
    case RouteAnswer::Kind::unreachable: return {Reason::unreachable, {to, by_route}};
    default: return {Reason::no_route, {to}};
  }
}

const char* socket_error(const RouteAnswer& answer) {
  switch (answer.kind) {
    case RouteAnswer::Kind::blackhole: return "EINVAL";
    case RouteAnswer::Kind::prohibit: return "EACCES";
    case RouteAnswer::Kind::unreachable: return answer.route != nullptr ? "EHOSTUNREACH" : "ENETUNREACH";
    default: return "ENETUNREACH";
  }
}

}  // namespace egt::engine
