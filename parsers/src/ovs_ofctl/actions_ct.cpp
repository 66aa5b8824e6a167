// ct(…) with its nat(…) and exec(…).
#include "egtrace/base/text.h"
#include "ovs_ofctl/action_text.h"
#include "ovs_ofctl/values.h"
#include "support/key_value.h"

namespace egt::parsers::ofctl {
namespace {

using namespace openflow;

constexpr std::uint64_t kNoTable = 255;

// Only the connection's mark and label may be written in exec(…).
bool allowed_in_exec(const Action& a) {
  const auto writes_connection = [](FieldId f) { return f == FieldId::ct_mark || f == FieldId::ct_label; };
  if (const auto* s = std::get_if<SetField>(&a.kind)) return writes_connection(s->field);
  if (const auto* l = std::get_if<Load>(&a.kind)) return writes_connection(l->dest.field);
  if (const auto* m = std::get_if<Move>(&a.kind)) return writes_connection(m->dest.field);
  return std::holds_alternative<Opaque>(a.kind);
}

// "[fd00::1]" or the address itself.
std::optional<IpAddr> read_address(std::string_view text) {
  const bool bracketed = text.size() > 2 && text.front() == '[' && text.back() == ']';
  if (bracketed) text = text.substr(1, text.size() - 2);
  const auto address = IpAddr::parse(text);
  return bracketed && address && address->is_v4() ? std::nullopt : address;
}

// Splits "ADDRESSES:PORTS": at the only ':' of IPv4, behind the last ']' of IPv6. False when there are no ports.
bool split_ports(std::string_view text, std::string_view& addresses, std::string_view& ports) {
  addresses = text;
  std::size_t colon = std::string_view::npos;
  if (const std::size_t bracket = text.rfind(']'); bracket != std::string_view::npos) {
    colon = text.find(':', bracket);
  } else if (text.find('.') != std::string_view::npos && text.find(':') == text.rfind(':')) {
    colon = text.find(':');
  }
  if (colon == std::string_view::npos) return false;
  addresses = text.substr(0, colon);
  ports = text.substr(colon + 1);
  return true;
}

bool read_nat_range(std::string_view text, Nat& out) {
  std::string_view addresses, ports;
  const bool has_ports = split_ports(text, addresses, ports);
  const std::size_t dash = addresses.find('-');
  const auto first = read_address(addresses.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : read_address(addresses.substr(dash + 1));
  if (!first || !last || first->family != last->family || last->value < first->value) return false;
  out.addresses = IpRange{*first, *last};
  out.address_is_range = first->value != last->value;
  if (!has_ports) return true;
  constexpr std::uint64_t kLastPort = 0xffff;
  const std::size_t port_dash = ports.find('-');
  const auto low = parse_decimal(ports.substr(0, port_dash));
  if (!low || *low == 0 || *low > kLastPort) return false;
  out.port_min = static_cast<std::uint16_t>(*low);
  if (port_dash == std::string_view::npos) return true;
  const auto high = parse_decimal(ports.substr(port_dash + 1));
  if (!high || *high < *low || *high > kLastPort) return false;
  if (*high != *low) out.port_max = static_cast<std::uint16_t>(*high);
  return true;
}

bool read_nat(ActionText& in, std::string_view args, Nat& out) {
  std::string_view rest = args, term;
  bool flags = false;
  while (next_term(rest, term)) {
    const KeyValue kv = split_key_value(term, '=');
    if (kv.key == "src" || kv.key == "dst") {
      if (out.kind != Nat::Kind::bare) return in.fail("src and dst in one nat", args);
      out.kind = kv.key == "src" ? Nat::Kind::src : Nat::Kind::dst;
      if (kv.has_value && !read_nat_range(kv.value, out)) return in.fail("not a range of addresses", kv.whole);
    } else if (term == "persistent" || term == "hash" || term == "random") {
      flags = true;
      out.persistent |= term == "persistent";
      out.hash |= term == "hash";
      out.random |= term == "random";
    } else {
      return in.fail("unknown argument of nat", term);
    }
  }
  if (flags && out.kind == Nat::Kind::bare) return in.fail("flags need src or dst", args);
  if (out.hash && out.random) return in.fail("hash and random exclude each other", args);
  return true;
}

bool read_ct_argument(ActionText& in, std::string_view term, Ct& c, int depth) {
  std::uint64_t n = 0;
  if (term == "commit") return c.commit = true;
  if (term == "force") return c.force = true;
  if (term == "nat") return c.nat.emplace(), true;
  if (term.starts_with("nat(") && term.back() == ')') return read_nat(in, term.substr(4, term.size() - 5), c.nat.emplace());
  if (term.starts_with("exec(") && term.back() == ')') {
    const std::string_view inner = term.substr(5, term.size() - 6);
    read_action_list(in, inner, c.exec.emplace(), depth + 1);
    for (const Action& a : *c.exec)
      if (!allowed_in_exec(a)) return in.fail("exec may write only ct_mark and ct_label", inner);
    return true;
  }
  const KeyValue kv = split_key_value(term, '=');
  if (kv.key == "table" && kv.has_value) {
    if (!in.number(kv.value, kNoTable - 1, n)) return false;
    c.table = static_cast<std::uint8_t>(n);
    return true;
  }
  if (kv.key == "zone" && kv.has_value) {
    if (!kv.value.empty() && is_digit(kv.value.front())) {
      if (!in.number(kv.value, 0xffff, n)) return false;
      c.zone = static_cast<std::uint16_t>(n);
      return true;
    }
    constexpr unsigned kBitsOfZone = 16;
    Subfield s;
    if (!in.subfield(kv.value, s)) return false;
    if (s.bits != kBitsOfZone) return in.fail("a zone has 16 bits", kv.value);
    c.zone = s;
    return true;
  }
  if (kv.key == "alg" && kv.has_value) {
    if (kv.value != "ftp" && kv.value != "tftp") return in.fail("unknown connection tracking helper", term);
    c.alg = std::string(kv.value);
    return true;
  }
  return in.fail("unknown argument of ct", term);
}

}  // namespace

bool read_ct(ActionText& in, const Piece& p, ActionList& out, int depth) {
  if (p.style == Piece::Style::colon) return in.fail("not arguments of ct", p.text);
  Ct c;
  std::string_view rest = p.args, term;
  while (next_term(rest, term))
    if (!term.empty() && !read_ct_argument(in, term, c, depth)) return false;
  if (c.force && !c.commit) return in.fail("force needs commit", p.text);
  if (!c.commit && (c.exec || (c.nat && c.nat->kind != Nat::Kind::bare)))
    return in.fail("nat with arguments and exec need commit", p.text);
  out.push_back({std::move(c)});
  return true;
}

}  // namespace egt::parsers::ofctl
