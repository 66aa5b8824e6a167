// Which key of the rule model a selector reads, and what it implies.
#include <algorithm>
#include <array>
#include <iterator>

#include "egtrace/base/ip.h"
#include "egtrace/base/text.h"
#include "egtrace/packet/flow_key.h"
#include "nft/keywords.h"
#include "nft/lower_expression.h"
#include "nft/print.h"

namespace egt::parsers::nft {
namespace {

namespace nf = netfilter;
using nf::Key;
using nf::TableFamily;

template <class... T>
struct Overloaded : T... {
  using T::operator()...;
};
template <class... T>
Overloaded(T...) -> Overloaded<T...>;

struct KeyRow {
  std::string_view word;
  Key key;
  Datatype type;
};

constexpr KeyRow kMeta[] = {
    {"iif", Key::iif, Datatype::interface_name},
    {"oif", Key::oif, Datatype::interface_name},
    {"iifname", Key::iifname, Datatype::interface_name},
    {"oifname", Key::oifname, Datatype::interface_name},
    {"iifgroup", Key::iifgroup, Datatype::device_group},
    {"oifgroup", Key::oifgroup, Datatype::device_group},
    {"mark", Key::mark, Datatype::mark},
    {"l4proto", Key::l4proto, Datatype::protocol},
    {"nfproto", Key::nfproto, Datatype::nfproto},
    {"protocol", Key::protocol, Datatype::ethertype},
    {"length", Key::length, Datatype::integer},
    {"pkttype", Key::pkttype, Datatype::packet_type},
    {"skuid", Key::skuid, Datatype::integer},
    {"skgid", Key::skgid, Datatype::integer},
    {"cgroup", Key::cgroup, Datatype::integer},
    {"random", Key::random, Datatype::integer},
    {"priority", Key::priority, Datatype::integer},
    {"ibrname", Key::ibrname, Datatype::interface_name},
    {"obrname", Key::obrname, Datatype::interface_name},
    {"ibridgename", Key::ibrname, Datatype::interface_name},
    {"obridgename", Key::obrname, Datatype::interface_name},
    {"day", Key::day, Datatype::unknown},
    {"hour", Key::hour, Datatype::unknown},
    {"cpu", Key::cpu, Datatype::integer},
    {"iifkind", Key::iifkind, Datatype::interface_name},
    {"oifkind", Key::oifkind, Datatype::interface_name},
};

constexpr KeyRow kCt[] = {
    {"state", Key::ct_state, Datatype::ct_state},
    {"status", Key::ct_status, Datatype::ct_status},
    {"direction", Key::ct_direction, Datatype::ct_direction},
    {"mark", Key::ct_mark, Datatype::mark},
    {"zone", Key::ct_zone, Datatype::integer},
    {"label", Key::ct_label, Datatype::ct_label},
    {"protocol", Key::ct_original_protocol, Datatype::protocol},
    {"expiration", Key::ct_expiration, Datatype::seconds},
    {"helper", Key::ct_helper, Datatype::unknown},
    {"l3proto", Key::nfproto, Datatype::nfproto},
};
constexpr KeyRow kCtOriginal[] = {
    {"saddr", Key::ct_original_saddr, Datatype::unknown},        {"daddr", Key::ct_original_daddr, Datatype::unknown},
    {"proto-src", Key::ct_original_sport, Datatype::service},    {"proto-dst", Key::ct_original_dport, Datatype::service},
    {"protocol", Key::ct_original_protocol, Datatype::protocol}, {"l3proto", Key::nfproto, Datatype::nfproto},
};
constexpr KeyRow kCtReply[] = {
    {"saddr", Key::ct_reply_saddr, Datatype::unknown},
    {"daddr", Key::ct_reply_daddr, Datatype::unknown},
    {"protocol", Key::ct_original_protocol, Datatype::protocol},
    {"l3proto", Key::nfproto, Datatype::nfproto},
};

struct FieldRow {
  std::string_view protocol, field;
  Key key;
  Datatype type;
};
constexpr FieldRow kFields[] = {
    {"ip", "saddr", Key::ip_saddr, Datatype::ipv4},
    {"ip", "daddr", Key::ip_daddr, Datatype::ipv4},
    {"ip", "protocol", Key::ip_protocol, Datatype::protocol},
    {"ip", "ttl", Key::ip_ttl, Datatype::integer},
    {"ip", "dscp", Key::ip_dscp, Datatype::dscp},
    {"ip", "frag-off", Key::ip_frag_off, Datatype::integer},
    {"ip", "length", Key::ip_length, Datatype::integer},
    {"ip", "version", Key::ip_version, Datatype::integer},
    {"ip", "hdrlength", Key::ip_header_length, Datatype::integer},
    {"ip", "ecn", Key::ip_ecn, Datatype::ecn},
    {"ip6", "version", Key::ip_version, Datatype::integer},
    {"ip6", "ecn", Key::ip_ecn, Datatype::ecn},
    {"ip6", "saddr", Key::ip6_saddr, Datatype::ipv6},
    {"ip6", "daddr", Key::ip6_daddr, Datatype::ipv6},
    {"ip6", "nexthdr", Key::ip6_nexthdr, Datatype::protocol},
    {"ip6", "hoplimit", Key::ip6_hoplimit, Datatype::integer},
    {"ip6", "dscp", Key::ip_dscp, Datatype::dscp},
    {"ip6", "length", Key::ip6_length, Datatype::integer},
    {"udp", "length", Key::udp_length, Datatype::integer},
    {"tcp", "flags", Key::tcp_flags, Datatype::tcp_flags},
    {"icmp", "type", Key::icmp_type, Datatype::icmp_type},
    {"icmp", "code", Key::icmp_code, Datatype::icmp_code},
    {"icmpv6", "type", Key::icmpv6_type, Datatype::icmpv6_type},
    {"icmpv6", "code", Key::icmpv6_code, Datatype::icmpv6_code},
    {"ether", "saddr", Key::ether_saddr, Datatype::mac},
    {"ether", "daddr", Key::ether_daddr, Datatype::mac},
    {"ether", "type", Key::ether_type, Datatype::ethertype},
    {"vlan", "id", Key::vlan_id, Datatype::integer},
    {"arp", "htype", Key::arp_hardware_type, Datatype::integer},
    {"arp", "ptype", Key::arp_protocol_type, Datatype::ethertype},
    {"arp", "hlen", Key::arp_hardware_length, Datatype::integer},
    {"arp", "plen", Key::arp_protocol_length, Datatype::integer},
    {"arp", "saddr ip", Key::arp_saddr_ip, Datatype::ipv4},
    {"arp", "saddr ether", Key::arp_saddr_ether, Datatype::mac},
    {"arp", "daddr ip", Key::arp_daddr_ip, Datatype::ipv4},
    {"arp", "daddr ether", Key::arp_daddr_ether, Datatype::mac},
    {"arp", "operation", Key::arp_operation, Datatype::arp_operation},
};

struct ProtocolRow {
  std::string_view protocol;
  std::uint8_t number;
};
constexpr ProtocolRow kTransports[] = {{"tcp", 6},    {"udp", 17},    {"udplite", 136}, {"sctp", 132}, {"dccp", 33},
                                       {"icmp", 1},   {"icmpv6", 58}, {"igmp", 2},      {"esp", 50},   {"ah", 51},
                                       {"comp", 108}, {"gre", 47},    {"gretap", 47}};

template <class Rows>
const KeyRow* row_of(const Rows& rows, std::string_view word) {
  for (const KeyRow& r : rows) {
    if (r.word == word) return &r;
  }
  return nullptr;
}

Tested tested(Key key, Datatype type) { return {nf::read_of(key), type, {}}; }
std::optional<Tested> from_row(const KeyRow* row) {
  if (row == nullptr) return std::nullopt;
  return tested(row->key, row->type);
}

// nft prints no test for what the name of the header implies.
void imply_header(const std::string& protocol, TableFamily family, std::vector<nf::Test>& out) {
  for (const ProtocolRow& r : kTransports) {
    if (r.protocol == protocol) out.push_back(implied_protocol(r.number));
  }
  const bool one_family = family == TableFamily::ip || family == TableFamily::ip6;
  if (one_family) return;
  if (protocol == "ip" || protocol == "icmp" || protocol == "igmp") out.push_back(implied_family(Family::v4, family));
  if (protocol == "ip6" || protocol == "icmpv6") out.push_back(implied_family(Family::v6, family));
}

std::optional<Tested> payload(const Payload& p, const TableScope& scope) {
  if (!p.tunnel.empty()) return std::nullopt;  // headers inside another packet
  std::optional<Tested> out;
  if (p.field == "sport") out = tested(Key::sport, Datatype::service);
  if (p.field == "dport") out = tested(Key::dport, Datatype::service);
  for (const FieldRow& r : kFields) {
    if (r.protocol == p.protocol && r.field == p.field) out = tested(r.key, r.type);
  }
  if (out) imply_header(p.protocol, scope.family, out->implied);
  return out;
}

// Whole fields at places that nft cannot name: the ports anywhere, IPv4's header in a table that sees nothing else.
std::optional<Tested> raw_payload(const RawPayload& p, const TableScope& scope) {
  struct PayloadField {
    std::string_view base;
    unsigned offset, length;
    Key key;
    Datatype type;
  };
  static constexpr PayloadField kRawFields[] = {
      {"th", 0, 16, Key::sport, Datatype::service},        {"th", 16, 16, Key::dport, Datatype::service},
      {"nh", 8, 8, Key::ip_tos, Datatype::integer},        {"nh", 64, 8, Key::ip_ttl, Datatype::integer},
      {"nh", 72, 8, Key::ip_protocol, Datatype::protocol}, {"nh", 96, 32, Key::ip_saddr, Datatype::ipv4},
      {"nh", 128, 32, Key::ip_daddr, Datatype::ipv4}};
  for (const PayloadField& f : kRawFields)
    if (f.base == p.base && f.offset == p.offset && f.length == p.length && (f.base == "th" || scope.family == TableFamily::ip))
      return tested(f.key, f.type);
  return std::nullopt;
}

std::optional<Tested> connection(const Ct& c, const TableScope& scope) {
  if (c.direction.empty()) return from_row(row_of(kCt, c.key));
  auto out = from_row(c.direction == "original" ? row_of(kCtOriginal, c.key) : row_of(kCtReply, c.key));
  if (out && (c.key == "saddr" || c.key == "daddr")) {
    const bool v6 = c.family == "ip6" || (c.family.empty() && scope.family == TableFamily::ip6);
    out->type = v6 ? Datatype::ipv6 : Datatype::ipv4;
    if (scope.family == TableFamily::inet) out->implied.push_back(implied_family(v6 ? Family::v6 : Family::v4, scope.family));
  }
  return out;
}

std::optional<Tested> routing(const Fib& f) {
  nf::Read r;
  bool source = false, destination = false;
  for (const std::string& input : f.inputs) {
    source = source || input == "saddr";
    destination = destination || input == "daddr";
    r.by_iif = r.by_iif || input == "iif";
    r.by_oif = r.by_oif || input == "oif";
    r.by_mark = r.by_mark || input == "mark";
  }
  if (source == destination) return std::nullopt;
  Datatype type = Datatype::address_type;
  if (f.result == "type") {
    r.key = source ? Key::fib_saddr_type : Key::fib_daddr_type;
  } else {
    type = Datatype::interface_name;
    r.key = source ? (r.by_iif ? Key::fib_saddr_iif_oif : Key::fib_saddr_oif) : Key::fib_daddr_oif;
  }
  return Tested{std::make_shared<nf::Expr>(nf::Expr{r}), type, {}};
}

std::optional<Tested> generator(Key key, std::uint64_t modulus, const std::optional<std::uint64_t>& offset) {
  nf::Read r;
  r.key = key;
  r.modulus = modulus;
  r.offset = offset.value_or(0);
  return Tested{std::make_shared<nf::Expr>(nf::Expr{r}), Datatype::integer, {}};
}

std::optional<Tested> socket_key(const Socket& s) {
  if (s.key == "mark") return tested(Key::socket_mark, Datatype::mark);
  if (s.key == "transparent") return tested(Key::socket_transparent, Datatype::integer);
  if (s.key == "cgroupv2") return tested(Key::socket_cgroup, Datatype::unknown);
  return std::nullopt;
}

nf::ExprPtr masked(nf::ExprPtr operand, nf::Number mask, nf::Number flip) {
  return std::make_shared<nf::Expr>(nf::Expr{nf::Masked{std::move(operand), mask, flip}});
}

// "meta mark & 0xff", "ct mark >> 8": the right side must be a constant.
std::optional<Tested> binary(const BinaryExpr& b, const TableScope& scope) {
  if (b.operands.size() != 2) return std::nullopt;
  auto left = lower_tested(b.operands[0], scope);
  if (!left) return std::nullopt;
  const std::string_view op = op_symbol(b.op);
  const bool shift = op == "<<" || op == ">>";
  const auto right = lower_atom(b.operands[1], shift ? Datatype::integer : left->type);
  const auto* n = right ? std::get_if<nf::Number>(&*right) : nullptr;
  if (n == nullptr) return std::nullopt;
  constexpr nf::Number kAll = ~static_cast<nf::Number>(0);
  if (op == "&") left->expr = masked(left->expr, *n, 0);
  if (op == "|") left->expr = masked(left->expr, ~*n, *n);
  if (op == "^") left->expr = masked(left->expr, kAll, *n);
  if (!shift) return left;
  if (*n > 127) return std::nullopt;
  const int bits = static_cast<int>(*n);
  left->expr = std::make_shared<nf::Expr>(nf::Expr{nf::Shifted{left->expr, op == "<<" ? bits : -bits}});
  // Registers of marks have 32 bits: what is shifted beyond is lost.
  if (left->type == Datatype::mark) left->expr = masked(left->expr, ones(32), 0);
  return left;
}

}  // namespace

nf::Test implied_protocol(std::uint8_t protocol) {
  return nf::Compare{nf::read_of(Key::l4proto), nf::Op::eq, nf::Number{protocol}};
}

nf::Test implied_family(Family family, TableFamily table) {
  const bool v4 = family == Family::v4;
  if (table == TableFamily::bridge || table == TableFamily::netdev) {
    return nf::Compare{nf::read_of(Key::protocol), nf::Op::eq, nf::Number{v4 ? ethertype::ipv4 : ethertype::ipv6}};
  }
  return nf::Compare{nf::read_of(Key::nfproto), nf::Op::eq, nf::Number{v4 ? 2U : 10U}};
}

std::optional<Tested> lower_tested(const Expression& e, const TableScope& scope) {
  return std::visit(
      Overloaded{
          [](const Meta& m) { return from_row(row_of(kMeta, m.key)); },
          [&](const Payload& p) { return payload(p, scope); },
          [&](const RawPayload& p) { return raw_payload(p, scope); },
          [&](const Ct& c) { return connection(c, scope); },
          [](const Fib& f) { return routing(f); },
          [](const Socket& s) { return socket_key(s); },
          [](const Numgen& n) { return generator(n.mode == "inc" ? Key::numgen_inc : Key::numgen_random, n.modulus, n.offset); },
          [](const Hash& h) { return generator(h.operand.empty() ? Key::symhash : Key::jhash, h.modulus, h.offset); },
          [&](const BinaryExpr& b) { return binary(b, scope); },
          [](const auto&) -> std::optional<Tested> { return std::nullopt; },
      },
      e.node);
}

void imply_headers(const Expression& e, const TableScope& scope, std::vector<nf::Test>& out) {
  constexpr std::string_view kExtensions[] = {"exthdr", "hbh", "rt", "frag", "dst", "mh", "srh", "rt0", "rt2", "rt4"};
  const auto of_header = [&](const std::string& protocol) {
    const bool extension = std::find(std::begin(kExtensions), std::end(kExtensions), protocol) != std::end(kExtensions);
    imply_header(extension ? "ip6" : protocol, scope.family, out);
  };
  if (const auto* p = std::get_if<Payload>(&e.node); p != nullptr && p->tunnel.empty()) of_header(p->protocol);
  if (const auto* o = std::get_if<HeaderOption>(&e.node)) of_header(o->protocol);
  if (const auto* b = std::get_if<BinaryExpr>(&e.node); b != nullptr && !b->operands.empty())
    imply_headers(b->operands.front(), scope, out);
  if (const auto* c = std::get_if<ConcatExpr>(&e.node))
    for (const Expression& part : c->parts) imply_headers(part, scope, out);
}

std::optional<std::vector<Tested>> lower_parts(const Expression& e, const TableScope& scope) {
  std::vector<Tested> out;
  const auto* concat = std::get_if<ConcatExpr>(&e.node);
  const std::size_t count = concat != nullptr ? concat->parts.size() : 1;
  for (std::size_t i = 0; i < count; ++i) {
    auto part = lower_tested(concat != nullptr ? concat->parts[i] : e, scope);
    if (!part) return std::nullopt;
    out.push_back(std::move(*part));
  }
  return out;
}

}  // namespace egt::parsers::nft
