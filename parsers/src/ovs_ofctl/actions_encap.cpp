// encap, decap and sample (parse_ENCAP(), parse_DECAP() and parse_SAMPLE() of lib/ofp-actions.c, lib/ofp-ed-props.c).
#include <algorithm>

#include "egtrace/base/text.h"
#include "ovs_ofctl/action_text.h"
#include "ovs_ofctl/values.h"
#include "support/key_value.h"

namespace egt::parsers::ofctl {

using namespace openflow;

namespace {

constexpr std::uint64_t kOneByte = 0xff, kTwoBytes = 0xffff, kFourBytes = 0xffffffff;
constexpr std::string_view kHeaders[] = {"ethernet", "nsh", "mpls", "mpls_mc"};

// "0x1000,10,0x12345678": class, type, value.
bool is_nsh_option(std::string_view text) {
  std::string_view part[3];
  for (std::string_view& p : part)
    if (!next_term(text, p)) return false;
  Number type;
  const auto is_hex = [](std::string_view t, std::size_t most) {
    return t.size() > 2 && t.starts_with("0x") && t.size() <= 2 + most && std::all_of(t.begin() + 2, t.end(), is_hex_digit);
  };
  constexpr std::size_t kClassDigits = 4, kValueDigits = 251;
  return is_hex(part[0], kClassDigits) && read_number(part[1], type) && !type.hexadecimal && type.value <= kOneByte &&
         is_hex(part[2], kValueDigits) && text.empty();
}

bool read_encap_property(ActionText& in, std::string_view term) {
  Piece property;
  std::uint64_t type = 0;
  if (!cut_piece(term, property)) return in.fail("not a property", term);
  if (property.name == "tlv") return is_nsh_option(property.args) || in.fail("not an option of NSH", term);
  if (property.name != "md_type") return in.fail("not a property", term);
  constexpr std::uint64_t kLastType = 2;
  if (!in.number(property.args, kLastType, type)) return false;
  return type != 0 || in.fail("not a type of NSH", term);
}

bool read_sample_argument(ActionText& in, std::string_view key, std::string_view value, std::string_view whole) {
  std::uint64_t n = 0;
  if (key == "probability") {
    if (!in.number(value, kTwoBytes, n)) return false;
    return n != 0 || in.fail("invalid probability", whole);
  }
  if (key == "collector_set_id") return in.number(value, kFourBytes, n);
  if (key == "sampling_port") {
    Port port;
    return read_port(value, port) || in.fail("not a port", whole);
  }
  if (key != "obs_domain_id" && key != "obs_point_id") return in.fail("unknown argument", whole);
  constexpr unsigned kMostBits = 32;
  if (!value.empty() && (is_digit(value.front()) || value.front() == '-')) return in.number(value, kFourBytes, n);
  Subfield from;
  if (!in.subfield(value, from)) return false;
  return from.bits <= kMostBits || in.fail("more than 32 bits", whole);
}

}  // namespace

bool read_encap(ActionText& in, const Piece& p, ActionList& out, int) {
  Piece header;
  if (!cut_piece(p.args, header) || !header.tail.empty() ||
      std::find(std::begin(kHeaders), std::end(kHeaders), header.name) == std::end(kHeaders))
    return in.fail("not a header that can be added", p.text);
  if (header.name != "nsh" && !trim(header.args).empty()) return in.fail("this header has no properties", p.text);
  std::string_view rest = header.args, term;
  while (next_term(rest, term))
    if (!read_encap_property(in, term)) return false;
  out.push_back({Encap{std::string(p.args)}});
  return true;
}

bool read_decap(ActionText& in, const Piece& p, ActionList& out, int) {
  Piece type;
  std::string_view rest = p.args, first;
  KeyValue ns, of;
  if (next_term(rest, first)) {
    if (!cut_piece(first, type) || type.name != "packet_type") return in.fail("unknown argument", p.text);
    constexpr std::uint64_t kLastNamespace = 1;
    std::uint64_t n = 0;
    std::string_view parts = type.args;
    if (!next_key_value(parts, '=', ns) || ns.key != "ns") return in.fail("the packet type lacks ns", p.text);
    if (!in.number(ns.value, kLastNamespace, n)) return false;
    if (!next_key_value(parts, '=', of) || of.key != "type") return in.fail("the packet type lacks type", p.text);
    if (!in.number(of.value, kTwoBytes, n)) return false;
  }
  out.push_back({Decap{std::string(p.args)}});
  return true;
}

bool read_sample(ActionText& in, const Piece& p, ActionList& out, int) {
  std::string_view rest = p.args;
  bool probable = false;
  for (KeyValue kv; next_key_value(rest, '=', kv);) {
    const bool direction = !kv.has_value && (kv.key == "ingress" || kv.key == "egress");
    if (!direction && !read_sample_argument(in, kv.key, kv.value, kv.whole)) return false;
    probable |= kv.key == "probability";
  }
  if (!probable) return in.fail("the probability is missing", p.text);
  out.push_back({Sample{std::string(p.args)}});
  return true;
}

}  // namespace egt::parsers::ofctl
