// A packet as ofproto/trace takes it: fields in an order in which each finds what it needs, as parse_ofp_exact_flow() of
// lib/ofp-flow.c reads them, and answered in its words where they cannot be read. Values that the switch cuts down to the
// field without a word (10.0.0.300, an MPLS label of 21 bits) are refused.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "egtrace/base/text.h"
#include "egtrace/openflow/prerequisites.h"
#include "egtrace/parsers/ovs_ofctl.h"
#include "ovs_ofctl/match_text.h"
#include "ovs_ofctl/values.h"

namespace egt::parsers {
namespace {

using ofctl::KeyInfo;

struct Term {
  std::string_view key, value;
};

// "key=value", "key:value" or "key(value)", ended by commas and white space: ofputil_parse_key_value().
class Terms {
 public:
  explicit Terms(std::string_view text) : rest_(text) {}

  std::optional<Term> next() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(kBetween), rest_.size()));
    if (rest_.empty()) return std::nullopt;
    Term t;
    t.key = take(rest_.find_first_of(":=(, \t\r\n"));
    if (rest_.empty()) return t;
    const char by = rest_.front();
    rest_.remove_prefix(1);
    if (by == ':' || by == '=')
      t.value = take(end_of_value(kBetween));
    else if (by == '(')
      t.value = take(end_of_value(")"));
    else
      return t;
    if (!rest_.empty()) rest_.remove_prefix(1);
    return t;
  }

 private:
  static constexpr std::string_view kBetween = ", \t\r\n";

  std::string_view take(std::size_t n) {
    const std::string_view taken = rest_.substr(0, n);
    rest_.remove_prefix(taken.size());
    return taken;
  }
  // Delimiters within parentheses belong to the value.
  std::size_t end_of_value(std::string_view delimiters) const {
    std::size_t depth = 0, i = 0;
    for (; i < rest_.size(); ++i) {
      const char c = rest_[i];
      if (depth == 0 && delimiters.find(c) != std::string_view::npos) break;
      if (c == '(') ++depth;
      if (c == ')' && depth > 0) --depth;
    }
    return i;
  }

  std::string_view rest_;
};

// The field whose rules a word stands for: a port's name shows its protocol, and the old one means TCP.
FieldId named_field(std::string_view word, FieldId read_as) {
  if (word == "tp_src") return FieldId::tcp_src;
  if (word == "tp_dst") return FieldId::tcp_dst;
  const Field* f = find_field(word);
  return f != nullptr ? f->id : read_as;
}

// "+foo" is shown as foo.
std::string_view without_sign(std::string_view flag) {
  return flag.starts_with('+') || flag.starts_with('-') ? flag.substr(1) : flag;
}

std::string_view name_of(FieldId id) { return field(id).set_name.empty() ? field(id).name : field(id).set_name; }

// How parse_int_string() of lib/util.c takes the beginning of a text: hexadecimal, octal or decimal digits.
struct Integer {
  std::uint64_t value = 0;
  bool is_number = false, is_too_large = false;
  std::string_view rest;
};

Integer read_integer(std::string_view text, unsigned bytes) {
  Integer n;
  const bool is_negative = text.starts_with('-');
  std::string_view digits = text;
  if (is_negative || text.starts_with('+')) digits.remove_prefix(1);
  unsigned base = digits.starts_with('0') ? 8 : 10;
  if (digits.size() > 2 && (digits.starts_with("0x") || digits.starts_with("0X"))) {
    base = 16;
    digits.remove_prefix(2);
  }
  U128 value = 0;
  while (!digits.empty()) {
    const auto digit = parse_hex(digits.substr(0, 1));
    if (!digit || *digit >= base) break;
    n.is_number = true;
    value = value * base + *digit;
    if (value > ~std::uint64_t{0}) n.is_too_large = true, value = ~std::uint64_t{0};
    digits.remove_prefix(1);
  }
  n.value = is_negative ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  n.is_too_large = n.is_too_large || (bytes < 8 && n.value >> (8 * bytes) != 0);
  n.rest = digits;
  return n;
}

// mf_from_packet_type_string(): the value, or its text.
std::string read_packet_type(std::string_view text, std::string& value) {
  const auto refused = [&](std::string_view missing) { return fmt::format("{}: bad syntax for packet type {}", text, missing); };
  if (!text.starts_with('(')) return refused("missing '('");
  text.remove_prefix(1);
  const Integer space = read_integer(text, 2);
  if (!space.is_number || space.is_too_large) return refused("ns");
  if (!space.rest.starts_with(',')) return refused("missing ','");
  text = space.rest.substr(1);
  while (text.starts_with(' ')) text.remove_prefix(1);
  const Integer type = read_integer(text, 2);
  if (!type.is_number || type.is_too_large) return refused("ns_type");
  if (!type.rest.starts_with(')')) return refused("missing ')'");
  value = fmt::format("({},0x{:x})", space.value, type.value);
  return {};
}

// mf_parse() on a value that it does not take.
std::string refusal(FieldId id, std::string_view value, std::string_view why) {
  const bool too_large = why.find("does not fit") != std::string_view::npos;
  switch (field(id).format) {
    case FieldFormat::ethernet: return fmt::format("{}: invalid Ethernet address", value);
    case FieldFormat::ipv6: return fmt::format("{}: invalid IPv6 address", value);
    case FieldFormat::ipv4:
      if (why.starts_with("prefix")) return fmt::format("{}: IPv4 network prefix bits not between 0 and 32, inclusive", value);
      return fmt::format("{}: invalid IP address", value);
    case FieldFormat::of10_port:
    case FieldFormat::of11_port: return fmt::format("{}: invalid or unknown port for {}", value, name_of(id));
    case FieldFormat::frag:
      return fmt::format(R"({}: unknown fragment type (valid types are "no", "yes", "first", "later", "not_later")", value);
    case FieldFormat::ct_state: return fmt::format("{}: unknown ct_state flag(s)", without_sign(value));
    case FieldFormat::tcp_flags: return fmt::format("{}: unknown TCP flag(s)", without_sign(value));
    case FieldFormat::tnl_flags: return fmt::format("{}: unknown tunnel flag(s)", without_sign(value));
    case FieldFormat::packet_type: return fmt::format("{}: {}", value, why);
    default: break;
  }
  if (const Integer type = read_integer(value, 2); id == FieldId::eth_type && type.is_number && type.rest.starts_with('/')) {
    const Integer mask = read_integer(type.rest.substr(1), 2);
    if (!mask.is_number || !mask.rest.empty()) return fmt::format("{}: bad syntax for {} mask", value, name_of(id));
    return fmt::format("{}: invalid mask for field {}", value, name_of(id));
  }
  if (too_large)
    return fmt::format("{}: {} too large for {}-byte field {}", value, why.starts_with("mask") ? "mask" : "value",
                       (field(id).bits + 7) / 8, name_of(id));
  return fmt::format("{}: bad syntax for {} value", value, name_of(id));
}

// Words that stand for a protocol in printed matches only.
bool names_packets(std::string_view protocol) { return protocol != "eth" && protocol != "igmp" && protocol != "nsh"; }
// NXM_OF_ETH_SRC, OXM_OF_METADATA.
bool is_action_name(std::string_view key) { return key.starts_with("NXM_") || key.starts_with("OXM_"); }

// Words that stand for a field in printed packets only.
bool names_no_field(std::string_view key) {
  constexpr std::string_view kPrinted[] = {"igmp_type", "igmp_code", "gtpu_flags", "gtpu_msgtype", "vlan_tci1"};
  return std::find(std::begin(kPrinted), std::end(kPrinted), key) != std::end(kPrinted);
}

// Reads terms into a packet, one after the other.
class PacketReader {
 public:
  PacketReader(std::string_view text, const PortResolver& ports) : text_(text), ports_(ports) {}

  Result<FlowKey> read() {
    Terms terms(text_);
    while (const auto term = terms.next()) {
      const KeyInfo& info = ofctl::key_info(term->key);
      std::string problem;
      if (info.kind == KeyInfo::Kind::protocol && names_packets(term->key))
        problem = add_protocol(info);
      else if (info.kind == KeyInfo::Kind::field && !is_action_name(term->key) && !names_no_field(term->key))
        problem = add_field(*term, info.field);
      else
        problem = fmt::format("unknown field {}", term->key);
      if (!problem.empty()) return Error{fmt::format("{}: {}", text_, problem)};
    }
    if (key_.get(FieldId::in_port) == 0) key_.set(FieldId::in_port, openflow::port::none);
    return key_;
  }

 private:
  std::string add_protocol(const KeyInfo& info) {
    if (key_.get(FieldId::eth_type) != 0) return "Ethernet type set multiple times";
    key_.set(FieldId::eth_type, info.ethertype);
    if (!info.has_ip_proto) return {};
    if (key_.get(FieldId::nw_proto) != 0) return "network protocol set multiple times";
    key_.set(FieldId::nw_proto, info.ip_proto);
    return {};
  }

  std::string add_field(const Term& term, FieldId read_as) {
    const FieldId id = named_field(term.key, read_as);
    if (!openflow::prerequisites_met(id, key_)) return fmt::format("prerequisites not met for setting {}", term.key);
    if (key_.get(read_as) != 0) return fmt::format("field {} set multiple times", term.key);
    MatchItem item;
    item.field = read_as;
    item.name = term.key;
    const char* why = "";
    const auto bad = [&](const std::string& reason) { return fmt::format("bad value for {} ({})", term.key, reason); };
    if (term.value == "*") return bad("*: wildcards not allowed here");
    std::string by_number = number_of_port(term.value, read_as);
    if (id == FieldId::packet_type) {
      if (std::string problem = read_packet_type(term.value, by_number); !problem.empty()) return bad(problem);
    } else if (is_integer(id)) {
      const unsigned bytes = std::bit_ceil((field(id).bits + 7u) / 8);  // of the field's storage in the switch
      const Integer n = read_integer(term.value, bytes);
      if (n.is_number && n.rest.empty() && bytes <= 8) {
        if (n.is_too_large) return bad(refusal(id, term.value, "value does not fit"));
        by_number = fmt::format("0x{:x}", n.value);
      }
    } else if (is_port(id) && by_number.empty() && term.value.starts_with("0")) {
      const Integer n = read_integer(term.value, 4);
      if (!parse_decimal(term.value) && n.is_number) return bad(refusal(id, term.value, ""));
    }
    if (!ofctl::read_match_value(by_number.empty() ? term.value : by_number, item, why)) return bad(refusal(id, term.value, why));
    if ((item.value & ~own_bits(id)) != 0) return bad(refusal(id, term.value, "value does not fit into the field"));
    if ((~item.mask & ones(field(read_as).bits)) != 0) return bad(fmt::format("{}: wildcards not allowed here", term.value));
    ofctl::WordSet words;
    if (ofctl::add_item(item, words, ports_) != ofctl::Added::yes) return bad(refusal(id, term.value, ""));
    for (const openflow::MatchWord& w : words.view()) key_.set_word(w.word, (key_.word(w.word) & ~w.mask) | w.value);
    return {};
  }

  static bool is_port(FieldId id) {
    return field(id).format == FieldFormat::of10_port || field(id).format == FieldFormat::of11_port;
  }
  static bool is_integer(FieldId id) {
    return field(id).format == FieldFormat::decimal || field(id).format == FieldFormat::hexadecimal;
  }
  // The number of a port that is shown by name; names may begin with a digit.
  std::string number_of_port(std::string_view text, FieldId id) const {
    if (!ports_ || (id != FieldId::in_port && id != FieldId::in_port_oxm) || parse_decimal(text)) return {};
    openflow::Port reserved;
    if (ofctl::read_port(text, reserved) && reserved.name.empty()) return {};  // LOCAL, unless within quotes
    if (text.size() > 1 && text.starts_with('"') && text.ends_with('"')) text = text.substr(1, text.size() - 2);
    const auto number = ports_(text);
    return number ? std::to_string(*number) : std::string();
  }

  // A type or code of ICMP has 8 bits where packets are shown, whatever masks show.
  static U128 own_bits(FieldId id) {
    const bool icmp =
        id == FieldId::icmp_type || id == FieldId::icmp_code || id == FieldId::icmpv6_type || id == FieldId::icmpv6_code;
    return icmp ? U128{0xff} : ~U128{0};
  }

  std::string_view text_;
  const PortResolver& ports_;
  FlowKey key_;
};

}  // namespace

Result<FlowKey> parse_flow_key(std::string_view text, const PortResolver& ports) { return PacketReader(text, ports).read(); }

}  // namespace egt::parsers
