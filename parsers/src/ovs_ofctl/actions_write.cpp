// Action lists as Open vSwitch prints them (lib/ofp-actions.c, lib/learn.c, lib/bundle.c, lib/multipath.c).
#include <string>
#include <type_traits>
#include <variant>

#include "egtrace/base/text.h"
#include "ovs_ofctl/actions.h"
#include "ovs_ofctl/values.h"

namespace egt::parsers::ofctl {
namespace {

using namespace openflow;

class ActionWriter {
 public:
  explicit ActionWriter(std::string& out) : out_(out) {}

  void operator()(const Output& a) {
    if (!a.port.name.empty() || reserved_port_word(a.port.number).empty()) out_ += "output:";
    write_port(a.port, out_);
  }
  void operator()(const OutputReg& a) { subfield("output:", a.source); }
  void operator()(const OutputTruncated& a) {
    out_ += "output(port=";
    write_port(a.port, out_);
    number(",max_len=", a.max_len);
    out_ += ')';
  }
  void operator()(const Enqueue& a) {
    out_ += "enqueue:";
    write_port(a.port, out_);
    number(":", a.queue);
  }
  void operator()(const Controller& a) {
    if (a.plain) return number("CONTROLLER:", a.max_len.value_or(0xffff));
    out_ += "controller(";
    if (a.reason) ((out_ += "reason=") += *a.reason) += ',';
    if (a.max_len) argument("max_len=", *a.max_len);
    if (a.id) argument("id=", *a.id);
    if (a.userdata) {
      out_ += "userdata=";
      bytes(*a.userdata);
      out_ += ',';
    }
    if (a.pause) out_ += "pause,";
    if (a.meter_id) argument("meter_id=", *a.meter_id);
    close();
  }
  void operator()(const GroupRef& a) { number("group:", a.id); }
  void operator()(const Bundle& a) {
    out_ += a.dest ? "bundle_load(" : "bundle(";
    out_ += a.fields;
    number(",", a.basis);
    ((out_ += ',') += a.algorithm) += ',';
    (out_ += a.member_type) += ',';
    if (a.dest) {
      write_subfield(*a.dest, out_);
      out_ += ',';
    }
    out_ += a.slaves_spelling ? "slaves:" : "members:";
    for (std::size_t i = 0; i < a.members.size(); ++i) {
      if (i > 0) out_ += ',';
      write_port(a.members[i], out_);
    }
    out_ += ')';
  }
  void operator()(const Load& a) {
    out_ += "load:";
    write_hex(a.value, out_);
    subfield("->", a.dest);
  }
  void operator()(const SetField& a) {
    const Field& f = field(a.field);
    (out_ += a.word) += ':';
    write_field_value(f, a.value, a.mask, out_);
    if (a.word == "set_field") (out_ += "->") += f.set_name;
  }
  void operator()(const Move& a) {
    subfield("move:", a.source);
    subfield("->", a.dest);
  }
  void operator()(const Push& a) { subfield("push:", a.source); }
  void operator()(const Pop& a) { subfield("pop:", a.dest); }
  void operator()(const DecTtl& a) {
    out_ += "dec_ttl";
    if (a.controllers.empty() && !a.parens) return;
    out_ += '(';
    for (const std::uint16_t id : a.controllers) argument("", id);
    close();
  }
  void operator()(const PushVlan& a) { hexadecimal("push_vlan:", a.ethertype, 4); }
  void operator()(const PopVlan& a) { out_ += a.strip_spelling ? "strip_vlan" : "pop_vlan"; }
  void operator()(const SetVlanVid& a) { worded(a.word, a.vid); }
  void operator()(const SetVlanPcp& a) { worded(a.word, a.pcp); }
  void operator()(const PushMpls& a) { hexadecimal("push_mpls:", a.ethertype, 4); }
  void operator()(const PopMpls& a) { hexadecimal("pop_mpls:", a.ethertype, 4); }
  void operator()(const SetMpls& a) {
    (out_ += a.what) += '(';
    write_decimal(a.value, out_);
    out_ += ')';
  }
  void operator()(const DecMplsTtl&) { out_ += "dec_mpls_ttl"; }
  void operator()(const DecNshTtl&) { out_ += "dec_nsh_ttl"; }
  void operator()(const Encap& a) { ((out_ += "encap(") += a.argument) += ')'; }
  void operator()(const Decap& a) { ((out_ += "decap(") += a.argument) += ')'; }
  void operator()(const SetQueue& a) { number("set_queue:", a.queue); }
  void operator()(const PopQueue&) { out_ += "pop_queue"; }
  void operator()(const FinTimeout& a) {
    out_ += "fin_timeout(";
    if (a.idle) argument("idle_timeout=", *a.idle);
    if (a.hard) argument("hard_timeout=", *a.hard);
    close();
  }
  void operator()(const Resubmit& a) {
    if (a.short_form && a.in_port) {
      out_ += "resubmit:";
      return write_port(*a.in_port, out_);
    }
    out_ += "resubmit(";
    if (a.in_port) write_port(*a.in_port, out_);
    out_ += ',';
    if (a.table)
      write_decimal(*a.table, out_);
    else if (!a.table_name.empty())
      write_name(a.table_name, out_);
    out_ += a.with_ct ? ",ct)" : ")";
  }
  void operator()(const Learn& a) {
    number("learn(table=", a.table);
    if (a.idle_timeout.value_or(0)) number(",idle_timeout=", *a.idle_timeout);
    if (a.hard_timeout.value_or(0)) number(",hard_timeout=", *a.hard_timeout);
    if (a.fin_idle_timeout.value_or(0)) number(",fin_idle_timeout=", *a.fin_idle_timeout);
    if (a.fin_hard_timeout.value_or(0)) number(",fin_hard_timeout=", *a.fin_hard_timeout);
    if (a.priority != 32768) number(",priority=", a.priority);
    if (a.send_flow_rem) out_ += ",send_flow_rem";
    if (a.delete_learned) out_ += ",delete_learned";
    if (a.cookie.value_or(0)) hexadecimal(",cookie=", *a.cookie, 1);
    if (a.limit.value_or(0)) number(",limit=", *a.limit);
    if (a.result_dst) subfield(",result_dst=", *a.result_dst);
    for (const LearnSpec& s : a.specs) {
      out_ += ',';
      spec(s);
    }
    out_ += ')';
  }
  void operator()(const Conjunction& a) {
    number("conjunction(", a.id);
    number(",", a.clause);
    number("/", a.n_clauses);
    out_ += ')';
  }
  void operator()(const Multipath& a) {
    ((out_ += "multipath(") += a.text) += ',';
    write_subfield(a.dest, out_);
    out_ += ')';
  }
  void operator()(const Note& a) {
    out_ += "note:";
    bytes(a.bytes);
  }
  void operator()(const Exit&) { out_ += "exit"; }
  void operator()(const Sample& a) { ((out_ += "sample(") += a.arguments) += ')'; }
  void operator()(const Clone& a) { nested("clone(", a.actions); }
  void operator()(const Ct& a) {
    out_ += "ct(";
    if (a.commit) out_ += "commit,";
    if (a.force) out_ += "force,";
    if (a.table) argument("table=", *a.table);
    if (const auto* zone = std::get_if<std::uint16_t>(&a.zone); zone && *zone != 0) argument("zone=", *zone);
    if (const auto* zone = std::get_if<Subfield>(&a.zone)) {
      subfield("zone=", *zone);
      out_ += ',';
    }
    if (a.nat) {
      nat(*a.nat);
      out_ += ',';
    }
    if (a.exec) {
      nested("exec(", *a.exec);
      out_ += ',';
    }
    if (a.alg) ((out_ += "alg=") += *a.alg) += ',';
    close();
  }
  void operator()(const CtClear&) { out_ += "ct_clear"; }
  void operator()(const CheckPktLarger& a) {
    number("check_pkt_larger(", a.length);
    subfield(")->", a.dest);
  }
  void operator()(const DeleteField& a) { (out_ += "delete_field:") += field(a.field).set_name; }
  void operator()(const Meter& a) { number("meter:", a.id); }
  void operator()(const ClearActions&) { out_ += "clear_actions"; }
  void operator()(const WriteActions& a) { nested("write_actions(", a.actions); }
  void operator()(const WriteMetadata& a) {
    out_ += "write_metadata:";
    write_hex(a.value, out_);
    if (!a.mask) return;
    out_ += '/';
    write_hex(*a.mask, out_);
  }
  void operator()(const GotoTable& a) {
    out_ += "goto_table:";
    if (a.table_name.empty())
      write_decimal(a.table, out_);
    else
      write_name(a.table_name, out_);
  }
  void operator()(const Opaque& a) { out_ += a.text; }

 private:
  void number(std::string_view before, std::uint64_t n) {
    out_ += before;
    write_decimal(n, out_);
  }
  void argument(std::string_view before, std::uint64_t n) {
    number(before, n);
    out_ += ',';
  }
  void hexadecimal(std::string_view before, std::uint64_t n, unsigned width) {
    out_ += before;
    write_padded_hex(n, width, out_);
  }
  void worded(std::string_view word, std::uint64_t n) {
    (out_ += word) += ':';
    write_decimal(n, out_);
  }
  void subfield(std::string_view before, const Subfield& s) {
    out_ += before;
    write_subfield(s, out_);
  }
  void nested(std::string_view before, const ActionList& list) {
    out_ += before;
    write_actions(list, out_);
    out_ += ')';
  }
  // Instead of the comma behind the last argument.
  void close() {
    if (out_.back() == ',') out_.pop_back();
    out_ += ')';
  }
  void bytes(const std::vector<std::uint8_t>& b) {
    static constexpr char kDigits[] = "0123456789abcdef";
    for (std::size_t i = 0; i < b.size(); ++i) {
      if (i > 0) out_ += '.';
      out_ += kDigits[b[i] >> 4];
      out_ += kDigits[b[i] & 15];
    }
  }

  void nat(const Nat& n) {
    out_ += "nat";
    if (n.kind == Nat::Kind::bare) return;
    out_ += n.kind == Nat::Kind::src ? "(src" : "(dst";
    if (n.addresses) {
      out_ += '=';
      address(n.addresses->first, n.port_min.has_value());
      if (n.address_is_range) {
        out_ += '-';
        address(n.addresses->last, n.port_min.has_value());
      }
      if (n.port_min) number(":", *n.port_min);
      if (n.port_max) number("-", *n.port_max);
    }
    if (n.persistent) out_ += ",persistent";
    if (n.hash) out_ += ",hash";
    if (n.random) out_ += ",random";
    out_ += ')';
  }
  void address(const IpAddr& a, bool before_port) {
    if (a.is_v4()) return write_ipv4(a.as_v4(), out_);
    if (before_port) out_ += '[';
    write_ipv6(a.value, out_);
    if (before_port) out_ += ']';
  }

  void spec(const LearnSpec& s) {
    const auto* immediate = std::get_if<U128>(&s.source);
    const auto* from = std::get_if<Subfield>(&s.source);
    if (s.kind == LearnSpec::Kind::output) return subfield("output:", from ? *from : Subfield{});
    if (s.kind == LearnSpec::Kind::load) {
      out_ += "load:";
      if (immediate) write_hex(*immediate, out_);
      if (from) write_subfield(*from, out_);
      return subfield("->", s.dest);
    }
    if (from) {
      write_subfield(s.dest, out_);
      if (*from != s.dest) subfield("=", *from);
    } else if (s.dest == whole(s.dest.field)) {
      (out_ += field(s.dest.field).set_name) += '=';
      if (!s.port.empty()) return write_port({0, s.port}, out_);
      write_field_value(field(s.dest.field), *immediate, std::nullopt, out_);
    } else {
      write_subfield(s.dest, out_);
      out_ += '=';
      write_hex(*immediate, out_);
    }
  }

  std::string& out_;
};

}  // namespace

void write_subfield(const Subfield& s, std::string& out) {
  const Field& f = field(s.field);
  out += f.nxm_name.empty() ? f.set_name : f.nxm_name;
  out += '[';
  if (s.first == 0 && s.bits == f.bits) {
    // the whole field: no bits are shown
  } else if (s.bits == 1) {
    write_decimal(s.first, out);
  } else {
    write_decimal(s.first, out);
    out += "..";
    write_decimal(static_cast<std::uint64_t>(s.first + s.bits - 1), out);
  }
  out += ']';
}

void write_action(const Action& a, std::string& out) { std::visit(ActionWriter(out), a.kind); }

void write_actions(const ActionList& list, std::string& out) {
  if (list.empty()) {
    out += "drop";
    return;
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i > 0) out += ',';
    write_action(list[i], out);
  }
}

}  // namespace egt::parsers::ofctl

namespace egt::parsers {

std::string format_actions(const openflow::ActionList& actions) {
  std::string out;
  ofctl::write_actions(actions, out);
  return out;
}

std::string format_action(const openflow::Action& action) {
  std::string out;
  ofctl::write_action(action, out);
  return out;
}

std::string format_port(const openflow::Port& port) {
  std::string out;
  ofctl::write_port(port, out);
  return out;
}

std::string format_subfield(const Subfield& s) {
  std::string out;
  ofctl::write_subfield(s, out);
  return out;
}

std::optional<Subfield> parse_subfield(std::string_view text) {
  const std::size_t bracket = text.find('[');
  const Field* f = find_field(text.substr(0, bracket));
  if (!f) return std::nullopt;
  if (bracket == std::string_view::npos) return whole(f->id);
  if (text.back() != ']') return std::nullopt;
  const std::string_view range = text.substr(bracket + 1, text.size() - bracket - 2);
  if (range.empty()) return whole(f->id);
  const std::size_t dots = range.find("..");
  const auto first = parse_decimal(range.substr(0, dots));
  const auto last = dots == std::string_view::npos ? first : parse_decimal(range.substr(dots + 2));
  if (!first || !last || *last < *first || *last >= f->bits) return std::nullopt;
  return Subfield{f->id, static_cast<std::uint16_t>(*first), static_cast<std::uint16_t>(*last - *first + 1)};
}

}  // namespace egt::parsers
