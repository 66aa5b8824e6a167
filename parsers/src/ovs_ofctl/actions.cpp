// Action lists (ovs-actions(7), lib/ofp-actions.c): cutting a list into actions, and the actions with simple arguments.
#include "ovs_ofctl/actions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <unordered_map>
#include <utility>

#include "egtrace/base/text.h"
#include "ovs_ofctl/action_text.h"
#include "ovs_ofctl/values.h"
#include "support/key_value.h"

namespace egt::parsers::ofctl {
namespace {

using namespace openflow;

// As deep as Open vSwitch nests actions (MAX_OFPACT_PARSE_DEPTH of lib/ofp-actions.c).
constexpr int kMaxActionDepth = 100;
constexpr std::uint64_t kMax32 = 0xffffffff;
constexpr std::uint64_t kMax16 = 0xffff;

// Open vSwitch compares the names of actions so.
bool is_word(std::string_view text, std::string_view word) {
  return std::equal(text.begin(), text.end(), word.begin(), word.end(),
                    [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
}

// Length of the action at the front: up to a comma or blank outside parentheses and quotes.
std::size_t action_length(std::string_view s) {
  std::size_t depth = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    switch (s[i]) {
      case '(': ++depth; break;
      case ')':
        if (depth > 0) --depth;
        break;
      case ',':
      case ' ':
      case '\t':
        if (depth == 0) return i;
        break;
      case '"':
        for (++i; i < s.size() && s[i] != '"'; ++i)
          if (s[i] == '\\') ++i;
        break;
      default: break;
    }
  }
  return s.size();
}

struct Modifier {
  std::string_view word;
  FieldId field;
};
constexpr Modifier kModifiers[] = {
    {"mod_dl_src", FieldId::eth_src}, {"mod_dl_dst", FieldId::eth_dst},  {"mod_nw_src", FieldId::ip_src},
    {"mod_nw_dst", FieldId::ip_dst},  {"mod_nw_tos", FieldId::nw_tos},   {"mod_nw_ecn", FieldId::nw_ecn},
    {"mod_nw_ttl", FieldId::nw_ttl},  {"mod_tp_src", FieldId::tp_src},   {"mod_tp_dst", FieldId::tp_dst},
    {"set_tunnel", FieldId::tun_id},  {"set_tunnel64", FieldId::tun_id},
};

template <std::size_t N>
bool is_one_of(std::string_view word, const std::string_view (&words)[N]) {
  for (const std::string_view w : words)
    if (w == word) return true;
  return false;
}

constexpr std::string_view kHashFields[] = {"eth_src", "symmetric_l4", "symmetric_l3l4", "symmetric_l3l4+udp",
                                            "nw_src",  "nw_dst",       "symmetric_l3"};
constexpr std::string_view kMultipathAlgorithms[] = {"modulo_n", "hash_threshold", "hrw", "iter_hash"};
constexpr std::string_view kReasons[] = {"",           "no_match", "action",     "invalid_ttl",
                                         "action_set", "group",    "packet_out", "explicit_miss"};
// A conjunction may stand beside notes only.
bool mixes_conjunction(const ActionList& list) {
  bool conjunction = false, other = false;
  for (const Action& a : list) {
    conjunction |= std::holds_alternative<Conjunction>(a.kind);
    other |= !std::holds_alternative<Conjunction>(a.kind) && !std::holds_alternative<Note>(a.kind);
  }
  return conjunction && other;
}

bool read_output_truncated(ActionText& in, const Piece& p, ActionList& out) {
  OutputTruncated t;
  bool has_port = false;
  std::string_view rest = p.args;
  for (KeyValue kv; next_key_value(rest, '=', kv);) {
    std::uint64_t n = 0;
    if (kv.key == "port") {
      has_port = read_port(kv.value, t.port);
      if (!has_port) return in.fail("not a port", kv.whole);
    } else if (kv.key == "max_len" && in.number(kv.value, kMax32, n)) {
      t.max_len = static_cast<std::uint32_t>(n);
    } else {
      return in.fail("unknown argument", kv.whole);
    }
  }
  constexpr std::uint32_t kEthernetHeader = 14;
  if (!has_port || t.max_len < kEthernetHeader) return in.fail("needs a port and a max_len of at least 14", p.text);
  const std::uint32_t n = t.port.number;
  if (t.port.name.empty() &&
      (n == port::all || n == port::flood || n == port::normal || n == port::table || n == port::controller))
    return in.fail("output to this port cannot be truncated", p.text);
  out.push_back({std::move(t)});
  return true;
}

bool read_output(ActionText& in, const Piece& p, ActionList& out, int) {
  if (p.style == Piece::Style::parens && p.args.find('=') != std::string_view::npos) return read_output_truncated(in, p, out);
  Port port;
  const bool field =
      p.args.find('[') != std::string_view::npos || (!p.args.empty() && find_field(p.args) && !reserved_port(p.args));
  if (field && !p.args.starts_with('"')) {
    OutputReg reg;
    if (!in.subfield(p.args, reg.source)) return false;
    out.push_back({reg});
    return true;
  }
  if (!read_port(p.args, port)) return in.fail("not a port", p.text);
  if (port.name.empty() && port.number == port::controller) {
    Controller c;
    c.plain = true;
    c.max_len = kMax16;
    out.push_back({std::move(c)});
    return true;
  }
  out.push_back({Output{std::move(port)}});
  return true;
}

bool read_controller(ActionText& in, const Piece& p, ActionList& out, int) {
  Controller c;
  std::uint64_t n = 0;
  if (p.style == Piece::Style::colon || (p.style == Piece::Style::parens && !p.args.empty() && is_digit(p.args.front()))) {
    if (!in.number(p.args, kMax16, n)) return false;
    c.max_len = static_cast<std::uint32_t>(n);
  }
  std::string_view rest = c.max_len ? std::string_view{} : p.args;
  for (KeyValue kv; next_key_value(rest, '=', kv);) {
    if (kv.key == "reason") {
      if (!is_one_of(kv.value, kReasons)) return in.fail("unknown reason", kv.whole);
      if (kv.value != "action") c.reason = std::string(kv.value);
    } else if (kv.key == "max_len") {
      if (!in.number(kv.value, kMax16, n)) return false;
      c.max_len = static_cast<std::uint32_t>(n);
    } else if (kv.key == "id") {
      if (!in.number(kv.value, kMax16, n)) return false;
      if (n != 0) c.id = static_cast<std::uint32_t>(n);
    } else if (kv.key == "userdata") {
      if (!read_hex_bytes(kv.value, c.userdata.emplace())) return in.fail("not bytes", kv.whole);
    } else if (kv.key == "pause" && !kv.has_value) {
      c.pause = true;
    } else if (kv.key == "meter_id") {
      if (!in.number(kv.value, kMax32, n)) return false;
      c.meter_id = static_cast<std::uint32_t>(n);
    } else {
      return in.fail("unknown argument", kv.whole);
    }
  }
  c.plain = !c.reason && !c.id && !c.userdata && !c.pause && !c.meter_id;
  if (c.plain && !c.max_len) c.max_len = kMax16;
  if (!c.plain && c.max_len == kMax16) c.max_len.reset();
  out.push_back({std::move(c)});
  return true;
}

bool read_enqueue(ActionText& in, const Piece& p, ActionList& out, int) {
  const std::size_t at = p.args.find_last_of(":,");
  Enqueue e;
  std::uint64_t queue = 0;
  if (at == std::string_view::npos || !read_port(trim(p.args.substr(0, at)), e.port) ||
      e.port.name.find(':') != std::string::npos)
    return in.fail("needs a port and a queue", p.text);
  if (!in.number(trim(p.args.substr(at + 1)), kMax32, queue)) return false;
  e.queue = static_cast<std::uint32_t>(queue);
  out.push_back({std::move(e)});
  return true;
}

bool read_bundle(ActionText& in, const Piece& p, ActionList& out, int) {
  Bundle b;
  const bool load = p.name == "bundle_load";
  std::string_view rest = p.args, term;
  std::string_view head[5];
  for (std::size_t i = 0; i < (load ? 5u : 4u); ++i)
    if (!next_term(rest, head[i])) return in.fail("not enough arguments", p.text);
  if (!is_one_of(head[0], kHashFields)) return in.fail("unknown fields", head[0]);
  if (head[2] != "hrw" && head[2] != "active_backup") return in.fail("unknown algorithm", head[2]);
  if (head[3] != "ofport") return in.fail("unknown type of member", head[3]);
  b.fields = head[0];
  b.basis = static_cast<std::uint16_t>(leading_integer(head[1]));
  b.algorithm = head[2];
  b.member_type = head[3];
  constexpr unsigned kBitsOfPort = 16;
  if (load && !in.destination(head[4], b.dest.emplace())) return false;
  if (load && b.dest->bits < kBitsOfPort) return in.fail("needs a destination of 16 bits", head[4]);
  rest = trim(rest);
  b.slaves_spelling = rest.starts_with("slaves:");
  if (!consume(rest, "slaves:") && !consume(rest, "members:")) return in.fail("members are missing", p.text);
  if (rest.starts_with('[') && rest.ends_with(']')) rest = rest.substr(1, rest.size() - 2);
  while (next_term(rest, term))
    if (!read_port(term, b.members.emplace_back())) return in.fail("not a port", term);
  out.push_back({std::move(b)});
  return true;
}

bool read_load(ActionText& in, const Piece& p, ActionList& out, int) {
  const std::size_t arrow = p.args.find("->");
  Load l;
  Number n;
  if (arrow == std::string_view::npos) return in.fail("'->' is missing", p.text);
  if (!in.subfield(p.args.substr(arrow + 2), l.dest)) return false;
  if (!read_number(p.args.substr(0, arrow), n) || (n.value & ~ones(l.dest.bits)) != 0)
    return in.fail("value does not fit", p.text);
  if (!field(l.dest.field).writable) return in.fail("field is read-only", p.text);
  l.value = n.value;
  out.push_back({l});
  return true;
}

bool read_set_field(ActionText& in, const Piece& p, ActionList& out, int) {
  const std::size_t arrow = p.args.rfind("->");
  if (arrow == std::string_view::npos) return in.fail("'->' is missing", p.text);
  const std::string_view name = p.args.substr(arrow + 2);
  // Names of the extensible match stand in load and move only.
  const Field* f = name.starts_with("NXM_") || name.starts_with("OXM_") ? nullptr : find_field(name);
  SetField s;
  s.word = "set_field";
  if (!f) return in.fail("not a field", p.text);
  s.field = f->id;
  if (!read_field_value(*f, p.args.substr(0, arrow), s.value, s.mask)) return in.fail("not a value of the field", p.text);
  if (!f->writable) return in.fail("field is read-only", p.text);
  out.push_back({std::move(s)});
  return true;
}

bool read_modify(ActionText& in, const Piece& p, ActionList& out, int) {
  SetField s;
  for (const Modifier& m : kModifiers)
    if (m.word == p.name) s.field = m.field;
  s.word = p.name;
  std::optional<U128> mask;
  if (!read_field_value(field(s.field), p.args, s.value, mask) || mask) return in.fail("not a value of the field", p.text);
  if (s.field == FieldId::nw_tos && (s.value & 3) != 0) return in.fail("not a valid TOS", p.text);
  if (p.name == "set_tunnel" && s.value > kMax32) s.word = "set_tunnel64";
  out.push_back({std::move(s)});
  return true;
}

bool read_move(ActionText& in, const Piece& p, ActionList& out, int) {
  const std::size_t arrow = p.args.find("->");
  Move m;
  if (arrow == std::string_view::npos) return in.fail("'->' is missing", p.text);
  if (!in.subfield(p.args.substr(0, arrow), m.source) || !in.subfield(p.args.substr(arrow + 2), m.dest)) return false;
  if (m.source.bits != m.dest.bits) return in.fail("source and destination differ in width", p.text);
  if (!field(m.dest.field).writable) return in.fail("field is read-only", p.text);
  out.push_back({m});
  return true;
}

bool read_stack(ActionText& in, const Piece& p, ActionList& out, int) {
  Subfield s;
  if (!in.subfield(p.args, s)) return false;
  if (p.name == "push") {
    out.push_back({Push{s}});
    return true;
  }
  if (!field(s.field).writable) return in.fail("field is read-only", p.text);
  out.push_back({Pop{s}});
  return true;
}

bool read_dec_ttl(ActionText&, const Piece& p, ActionList& out, int) {
  DecTtl d;
  d.parens = p.style == Piece::Style::parens;
  std::string_view rest = p.args, term;
  while (next_term(rest, term)) {
    d.controllers.push_back(static_cast<std::uint16_t>(leading_integer(term)));
  }
  out.push_back({std::move(d)});
  return true;
}

// Open vSwitch does not look at what stands behind these words.
bool read_plain(ActionText&, const Piece& p, ActionList& out, int) {
  if (p.name == "strip_vlan" || p.name == "pop_vlan") out.push_back({PopVlan{p.name == "strip_vlan"}});
  if (p.name == "dec_mpls_ttl") out.push_back({DecMplsTtl{}});
  if (p.name == "dec_nsh_ttl") out.push_back({DecNshTtl{}});
  if (p.name == "pop_queue") out.push_back({PopQueue{}});
  if (p.name == "exit") out.push_back({Exit{}});
  if (p.name == "ct_clear") out.push_back({CtClear{}});
  if (p.name == "clear_actions") out.push_back({ClearActions{}});
  return true;
}

bool read_numbered(ActionText& in, const Piece& p, ActionList& out, int) {
  const bool vid = p.name.ends_with("vlan_vid"), pcp = p.name.ends_with("vlan_pcp");
  const bool type = p.name == "push_vlan" || p.name == "push_mpls" || p.name == "pop_mpls";
  std::uint64_t n = 0;
  if (!in.number(p.args, vid ? 0xfff : pcp ? 7 : type ? kMax16 : kMax32, n)) return false;
  if (p.name == "push_vlan" && n != ethertype::vlan && n != ethertype::qinq) return in.fail("no type of a VLAN tag", p.text);
  if (p.name == "push_mpls" && n != ethertype::mpls && n != ethertype::mplsm) return in.fail("no type of MPLS", p.text);
  const auto n16 = static_cast<std::uint16_t>(n);
  const auto n32 = static_cast<std::uint32_t>(n);
  if (vid) out.push_back({SetVlanVid{n16, std::string(p.name)}});
  if (pcp) out.push_back({SetVlanPcp{static_cast<std::uint8_t>(n), std::string(p.name)}});
  if (p.name == "push_vlan") out.push_back({PushVlan{n16}});
  if (p.name == "push_mpls") out.push_back({PushMpls{n16}});
  if (p.name == "pop_mpls") out.push_back({PopMpls{n16}});
  if (p.name == "group") out.push_back({GroupRef{n32}});
  if (p.name == "meter") out.push_back({Meter{n32}});
  if (p.name == "set_queue") out.push_back({SetQueue{n32}});
  return true;
}

bool read_set_mpls(ActionText& in, const Piece& p, ActionList& out, int) {
  const std::uint64_t most = p.name == "set_mpls_label" ? 0xfffff : p.name == "set_mpls_tc" ? 7 : 255;
  std::uint64_t n = 0;
  if (!in.number(p.args, most, n)) return false;
  out.push_back({SetMpls{std::string(p.name), static_cast<std::uint32_t>(n)}});
  return true;
}

bool read_fin_timeout(ActionText& in, const Piece& p, ActionList& out, int) {
  FinTimeout t;
  std::string_view rest = p.args;
  for (KeyValue kv; next_key_value(rest, '=', kv);) {
    std::uint64_t n = 0;
    if (kv.key != "idle_timeout" && kv.key != "hard_timeout") return in.fail("unknown argument", kv.whole);
    if (!in.number(kv.value, kMax16, n)) return false;
    (kv.key == "idle_timeout" ? t.idle : t.hard) = static_cast<std::uint16_t>(n);
  }
  out.push_back({t});
  return true;
}

bool read_resubmit(ActionText& in, const Piece& p, ActionList& out, int) {
  Resubmit r;
  std::string_view rest = p.args;
  if (p.style != Piece::Style::parens) {
    if (!read_port(rest, r.in_port.emplace())) return in.fail("not a port", p.text);
    r.short_form = true;
    out.push_back({std::move(r)});
    return true;
  }
  const std::string_view port = trim(take_until(rest, ','));
  const std::string_view table = trim(take_until(rest, ','));
  const std::string_view more = trim(rest);
  if (!port.empty() && !read_port(port, r.in_port.emplace())) return in.fail("not a port", p.text);
  if (r.in_port && r.in_port->name.empty() && r.in_port->number == port::in_port) r.in_port.reset();
  if (const auto n = parse_decimal(table); n && *n <= 255) {  // never octal
    if (*n != 255) r.table = static_cast<std::uint8_t>(*n);
  } else if (!table.empty()) {
    std::string name;
    if (read_quoted(table, name)) {
      r.table_name = name;
    } else if (std::isalpha(static_cast<unsigned char>(table.front()))) {
      r.table_name = table;
    } else {
      return in.fail("not a table", p.text);
    }
  }
  if (more == "ct")
    r.with_ct = true;
  else if (!more.empty())
    return in.fail("unknown argument", p.text);
  if (!r.in_port && !r.table && r.table_name.empty()) return in.fail("needs a port or a table", p.text);
  r.short_form = r.in_port && !r.table && r.table_name.empty() && !r.with_ct;
  out.push_back({std::move(r)});
  return true;
}

bool read_conjunction(ActionText& in, const Piece& p, ActionList& out, int) {
  std::string_view rest = p.args;
  const std::string_view id = trim(take_until(rest, ','));
  const std::string_view clause = trim(take_until(rest, '/'));
  std::uint64_t i = 0, k = 0, n = 0;
  constexpr std::uint64_t kMaxClauses = 64;
  if (!in.number(id, kMax32, i) || !in.number(clause, 255, k) || !in.number(trim(rest), 255, n)) return false;
  if (k == 0 || k > n || n < 2 || n > kMaxClauses) return in.fail("no clause of 2 to 64", p.text);
  out.push_back({Conjunction{static_cast<std::uint32_t>(i), static_cast<std::uint8_t>(k), static_cast<std::uint8_t>(n)}});
  return true;
}

bool read_multipath(ActionText& in, const Piece& p, ActionList& out, int) {
  std::string_view rest = p.args;
  std::string_view a[6];
  Multipath m;
  for (std::string_view& part : a)
    if (!next_term(rest, part)) return in.fail("not enough arguments", p.text);
  if (!is_one_of(a[0], kHashFields)) return in.fail("unknown fields", a[0]);
  if (!is_one_of(a[2], kMultipathAlgorithms)) return in.fail("unknown algorithm", a[2]);
  if (!in.destination(a[5], m.dest)) return false;
  const std::int32_t links = leading_integer(a[3]);
  if (links < 1 || links > 65536 || (m.dest.bits < 16 && links > std::int32_t{1} << m.dest.bits))
    return in.fail("number of links is out of range", p.text);
  m.text = fmt::format("{},{},{},{},{}", a[0], static_cast<std::uint16_t>(leading_integer(a[1])), a[2], links,
                       static_cast<std::uint32_t>(leading_integer(a[4])));
  out.push_back({std::move(m)});
  return true;
}

bool read_note(ActionText& in, const Piece& p, ActionList& out, int) {
  Note n;
  if (!read_hex_bytes(p.args, n.bytes)) return in.fail("not bytes", p.text);
  // An action's length is a multiple of 8 and its header takes 10 bytes.
  while (n.bytes.size() % 8 != 6) n.bytes.push_back(0);
  out.push_back({std::move(n)});
  return true;
}

bool read_clone(ActionText& in, const Piece& p, ActionList& out, int depth) {
  Clone c;
  read_action_list(in, p.args, c.actions, depth + 1);  // what it cannot read stays inside, as Opaque
  out.push_back({std::move(c)});
  return true;
}

bool read_write_actions(ActionText& in, const Piece& p, ActionList& out, int depth) {
  WriteActions w;
  read_action_list(in, p.args, w.actions, depth + 1);
  out.push_back({std::move(w)});
  return true;
}

bool read_check_pkt_larger(ActionText& in, const Piece& p, ActionList& out, int) {
  CheckPktLarger c;
  std::uint64_t n = 0;
  std::string_view dest = p.tail, length = p.args;
  if (p.style == Piece::Style::colon) {
    const std::size_t arrow = std::min(length.find("->"), length.size());
    dest = length.substr(arrow);
    length = length.substr(0, arrow);
  }
  if (!consume(dest, "->")) return in.fail("'->' is missing", p.text);
  if (!in.number(length, kMax16, n) || !in.subfield(dest, c.dest)) return false;
  if (c.dest.bits != 1) return in.fail("destination must be one bit", p.text);
  if (!field(c.dest.field).writable) return in.fail("field is read-only", dest);
  c.length = static_cast<std::uint16_t>(n);
  out.push_back({c});
  return true;
}

bool read_delete_field(ActionText& in, const Piece& p, ActionList& out, int) {
  constexpr std::uint64_t kLastOption = 63;
  std::string_view option = p.args;
  std::uint64_t n = 0;
  if (!consume(option, "tun_metadata")) return in.fail("only tunnel options can be deleted", p.text);
  if (!in.number(option, kLastOption, n)) return false;
  // Of an option that packets have no field for here nothing shows whether it was there.
  if (const Field* f = find_field(p.args))
    out.push_back({DeleteField{f->id}});
  else
    out.push_back({Opaque{std::string(p.text)}});
  return true;
}

bool read_write_metadata(ActionText& in, const Piece& p, ActionList& out, int) {
  std::string_view rest = p.args;
  const bool masked = rest.find('/') != std::string_view::npos;
  const std::string_view value = take_until(rest, '/');
  WriteMetadata w;
  std::uint64_t mask = 0;
  if (!in.number(value, ~std::uint64_t{0}, w.value)) return false;
  if (masked) {
    if (!in.number(rest, ~std::uint64_t{0}, mask)) return false;
    w.mask = mask;
  }
  out.push_back({w});
  return true;
}

bool read_goto_table(ActionText& in, const Piece& p, ActionList& out, int) {
  GotoTable g;
  if (const auto n = parse_decimal(p.args); n && *n < 255) {
    g.table = static_cast<std::uint8_t>(*n);
  } else if (!read_quoted(p.args, g.table_name)) {
    if (p.args.empty() || !std::isalpha(static_cast<unsigned char>(p.args.front()))) return in.fail("not a table", p.text);
    g.table_name = p.args;
  }
  out.push_back({std::move(g)});
  return true;
}

bool read_reserved_output(ActionText& in, const Piece& p, ActionList& out) {
  // What stands behind a port here is not looked at.
  if (p.style == Piece::Style::bare || reserved_port(p.name)) {
    if (const auto port = reserved_port(p.name)) {
      out.push_back({Output{{*port, {}}}});
      return true;
    }
    if (const auto n = parse_decimal(p.name); n && *n <= kMax16) {
      out.push_back({Output{{static_cast<std::uint32_t>(*n), {}}}});
      return true;
    }
  }
  return in.fail("unknown action", p.text);
}

using ActionFunction = bool (*)(ActionText& in, const Piece&, ActionList& out, int depth);

ActionFunction function_of(std::string_view name) {
  static const std::unordered_map<std::string_view, ActionFunction> functions = [] {
    std::unordered_map<std::string_view, ActionFunction> m = {
        {"output", read_output},
        {"controller", read_controller},
        {"CONTROLLER", read_controller},
        {"enqueue", read_enqueue},
        {"bundle", read_bundle},
        {"bundle_load", read_bundle},
        {"load", read_load},
        {"set_field", read_set_field},
        {"move", read_move},
        {"push", read_stack},
        {"pop", read_stack},
        {"dec_ttl", read_dec_ttl},
        {"set_mpls_label", read_set_mpls},
        {"set_mpls_tc", read_set_mpls},
        {"set_mpls_ttl", read_set_mpls},
        {"encap", read_encap},
        {"decap", read_decap},
        {"sample", read_sample},
        {"fin_timeout", read_fin_timeout},
        {"resubmit", read_resubmit},
        {"learn", read_learn},
        {"conjunction", read_conjunction},
        {"multipath", read_multipath},
        {"note", read_note},
        {"clone", read_clone},
        {"write_actions", read_write_actions},
        {"ct", read_ct},
        {"check_pkt_larger", read_check_pkt_larger},
        {"delete_field", read_delete_field},
        {"write_metadata", read_write_metadata},
        {"goto_table", read_goto_table},
    };
    for (const char* w :
         {"strip_vlan", "pop_vlan", "dec_mpls_ttl", "dec_nsh_ttl", "pop_queue", "exit", "ct_clear", "clear_actions"})
      m[w] = read_plain;
    for (const char* w : {"group", "meter", "set_queue", "push_vlan", "push_mpls", "pop_mpls", "mod_vlan_vid", "set_vlan_vid",
                          "mod_vlan_pcp", "set_vlan_pcp"})
      m[w] = read_numbered;
    for (const Modifier& mod : kModifiers) m[mod.word] = read_modify;
    return m;
  }();
  if (const auto it = functions.find(name); it != functions.end()) return it->second;
  return nullptr;
}

bool read_action(ActionText& in, std::string_view text, ActionList& out, int depth) {
  if (depth > kMaxActionDepth) return in.fail("nested too deeply", text);
  Piece p;
  if (!cut_piece(text, p) || p.name.empty()) return in.fail("not an action", text);
  // Dumps know two words in capitals besides ports; typed text may have all of them so.
  std::string small;
  ActionFunction read = function_of(p.name);
  if (!read && (!reserved_port(p.name) || is_word(p.name, "controller"))) {
    for (const char c : p.name) small += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    read = function_of(small);
    if (read) p.name = small;
  }
  if (!read) return read_reserved_output(in, p, out);
  if (!p.tail.empty() && p.name != "check_pkt_larger") return in.fail("trailing characters", p.tail);
  return read(in, p, out, depth);
}

}  // namespace

bool read_hex_bytes(std::string_view text, std::vector<std::uint8_t>& out) {
  while (!text.empty()) {
    if (text.size() < 2 || !is_hex_digit(text[0]) || !is_hex_digit(text[1])) return false;
    out.push_back(static_cast<std::uint8_t>(*parse_hex(text.substr(0, 2))));
    text.remove_prefix(2);
    if (!text.empty() && text.front() == '.') text.remove_prefix(1);
  }
  return true;
}

bool read_action_list(ActionText& in, std::string_view text, ActionList& out, int depth) {
  bool good = true;
  std::size_t drops = 0;
  const std::size_t first = out.size();
  while (true) {
    while (!text.empty() && (text.front() == ',' || text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    if (text.empty()) break;
    const std::string_view action = text.substr(0, action_length(text));
    text.remove_prefix(action.size());
    if (is_word(action, "drop")) {
      ++drops;
    } else if (!read_action(in, action, out, depth)) {
      out.push_back({Opaque{std::string(action)}});
      good = false;
    }
  }
  if (drops > 0 && out.size() > first) {
    out.push_back({Opaque{"drop"}});
    good = in.fail("drop must not be accompanied by other actions", text);
  }
  if (mixes_conjunction(out)) good = in.fail("a conjunction stands beside other actions", in.whole());
  return good;
}

}  // namespace egt::parsers::ofctl

namespace egt::parsers {

openflow::ActionList parse_actions(std::string_view text) {
  openflow::ActionList list;
  if (text.starts_with(kUnreadFlow)) {
    list.push_back({openflow::Opaque{std::string(text)}});
  } else {
    ofctl::ActionText in(text, nullptr);
    ofctl::read_action_list(in, text, list, 0);
  }
  return list;
}

openflow::ActionList parse_actions(std::string_view text, std::vector<TextError>& errors) {
  openflow::ActionList list;
  ofctl::ActionText in(text, &errors);
  ofctl::read_action_list(in, text, list, 0);
  return list;
}

}  // namespace egt::parsers
