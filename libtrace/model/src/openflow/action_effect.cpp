#include "egtrace/openflow/action_effect.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>
#include <utility>
#include <vector>

namespace egt::openflow {
namespace {

constexpr std::uint16_t kWholePacket = 0xffff;  // a max_len that cuts nothing

// Writes of constants that follow one another are one write: `load`s of the halves of a field, a `set_field` with the
// mask of both, and either order of two fields do the same.
class EffectWriter {
 public:
  explicit EffectWriter(const PortNumber& ports) : ports_(ports) {}

  std::string write(const ActionList& actions) {
    for (const Action& a : actions) std::visit(*this, a.kind);
    flush();
    return std::move(out_);
  }

  void operator()(const Output& a) { add("output {}", port(a.port)); }
  void operator()(const OutputReg& a) { add("output {}", bits(a.source)); }
  void operator()(const OutputTruncated& a) { add("output {} {}", port(a.port), a.max_len); }
  void operator()(const Enqueue& a) { add("enqueue {} {}", port(a.port), a.queue); }
  void operator()(const Controller& a) {
    add("controller {} {} {} {} {} {}", a.reason.value_or("action"), a.max_len.value_or(kWholePacket), a.id.value_or(0),
        a.meter_id ? fmt::format("{}", *a.meter_id) : "-", a.userdata ? fmt::format("{:02x}", fmt::join(*a.userdata, "")) : "-",
        a.pause);
  }
  void operator()(const GroupRef& a) { add("group {}", a.id); }
  void operator()(const Bundle& a) {
    add("bundle {} {} {} {} {}", a.fields, a.algorithm, a.member_type, a.basis, a.dest ? bits(*a.dest) : "-");
    for (const Port& member : a.members) add("member {}", port(member));
  }
  void operator()(const Load& a) { constant(a.dest, a.value); }
  void operator()(const SetField& a) {
    if (a.word == "mod_nw_tos") return constant(whole(FieldId::ip_dscp), a.value >> 2);
    if (!a.mask) return constant(whole(a.field), a.value);
    FlowKey mask, value;
    mask.set(a.field, *a.mask);
    value.set(a.field, a.value & *a.mask);
    constant(mask, value);
  }
  void operator()(const Move& a) { add("move {} {}", bits(a.source), bits(a.dest)); }
  void operator()(const Push& a) { add("push {}", bits(a.source)); }
  void operator()(const Pop& a) { add("pop {}", bits(a.dest)); }
  void operator()(const DecTtl& a) {
    std::vector<std::uint16_t> controllers = a.controllers;
    if (controllers.empty()) controllers.push_back(0);  // to which a packet with an expired TTL goes in any case
    add("dec_ttl {}", fmt::join(controllers, " "));
  }
  void operator()(const PushVlan& a) { add("push_vlan {:x}", a.ethertype); }
  void operator()(const PopVlan&) { add("pop_vlan"); }
  // OpenFlow 1.0 has one word for what OpenFlow 1.3 has two actions for.
  void operator()(const SetVlanVid& a) {
    constexpr std::uint16_t kPresent = 0x1000, kTag = 0x8100;
    if (a.word == "mod_vlan_vid") (*this)(PushVlan{kTag});
    constant(whole(FieldId::vlan_vid), kPresent | a.vid);
  }
  void operator()(const SetVlanPcp& a) { constant(whole(FieldId::vlan_pcp), a.pcp); }
  void operator()(const PushMpls& a) { add("push_mpls {:x}", a.ethertype); }
  void operator()(const PopMpls& a) { add("pop_mpls {:x}", a.ethertype); }
  void operator()(const SetMpls& a) {
    constant(whole(a.what == "set_mpls_label" ? FieldId::mpls_label
                   : a.what == "set_mpls_tc"  ? FieldId::mpls_tc
                                              : FieldId::mpls_ttl),
             a.value);
  }
  void operator()(const DecMplsTtl&) { add("dec_mpls_ttl"); }
  void operator()(const DecNshTtl&) { add("dec_nsh_ttl"); }
  void operator()(const Encap& a) { add("encap {}", a.argument); }
  void operator()(const Decap& a) { add("decap {}", a.argument); }
  void operator()(const SetQueue& a) { add("set_queue {}", a.queue); }
  void operator()(const PopQueue&) { add("pop_queue"); }
  void operator()(const FinTimeout& a) { add("fin_timeout {} {}", a.idle.value_or(0), a.hard.value_or(0)); }
  void operator()(const Resubmit& a) {
    add("resubmit {} {} {}", a.in_port ? port(*a.in_port) : "-",
        a.table                ? fmt::format("{}", *a.table)
        : a.table_name.empty() ? "-"
                               : "name " + a.table_name,
        a.with_ct);
  }
  void operator()(const Learn& a) {
    add("learn {} {} {} {} {} {} {} {} {} {} {}", a.table, a.idle_timeout.value_or(0), a.hard_timeout.value_or(0),
        a.fin_idle_timeout.value_or(0), a.fin_hard_timeout.value_or(0), a.priority, a.send_flow_rem, a.delete_learned,
        a.cookie.value_or(0), a.limit.value_or(0), a.result_dst ? bits(*a.result_dst) : "-");
    for (const LearnSpec& spec : a.specs) learned(spec);
  }
  void operator()(const Conjunction& a) { add("conjunction {} {} {}", a.id, a.clause, a.n_clauses); }
  void operator()(const Multipath& a) { add("multipath {} {}", a.text, bits(a.dest)); }
  void operator()(const Note&) {}  // does nothing
  void operator()(const Exit&) { add("exit"); }
  void operator()(const Sample& a) { add("sample {}", a.arguments); }
  void operator()(const Clone& a) { add("clone {{{}}}", nested(a.actions)); }
  void operator()(const Ct& a) {
    add("ct {} {} {} {} {} {{{}}} {}", a.commit, a.force, a.table ? fmt::format("{}", *a.table) : "-", zone(a),
        a.nat ? translation(*a.nat) : "-", a.exec ? nested(*a.exec) : "", a.alg.value_or("-"));
  }
  void operator()(const CtClear&) { add("ct_clear"); }
  void operator()(const CheckPktLarger& a) { add("check_pkt_larger {} {}", a.length, bits(a.dest)); }
  void operator()(const DeleteField& a) { add("delete_field {}", field(a.field).name); }
  void operator()(const Meter& a) { add("meter {}", a.id); }
  void operator()(const ClearActions&) { add("clear_actions"); }
  void operator()(const WriteActions& a) { add("write_actions {{{}}}", nested(a.actions)); }
  void operator()(const WriteMetadata& a) {
    FlowKey mask, value;
    mask.set(FieldId::metadata, a.mask.value_or(~std::uint64_t{0}));
    value.set(FieldId::metadata, a.value & a.mask.value_or(~std::uint64_t{0}));
    constant(mask, value);
  }
  void operator()(const GotoTable& a) {
    add("goto_table {}", a.table_name.empty() ? fmt::format("{}", a.table) : "name " + a.table_name);
  }
  void operator()(const Opaque& a) { add("{}", a.text); }

 private:
  template <class... Arguments>
  void add(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
    flush();
    fmt::format_to(std::back_inserter(out_), text, std::forward<Arguments>(arguments)...);
    out_ += ';';
  }

  void constant(const Subfield& dest, U128 to) {
    FlowKey mask, value;
    mask.set(dest, ones(dest.bits));
    value.set(dest, to);
    constant(mask, value);
  }
  void constant(const FlowKey& mask, const FlowKey& value) {
    has_constants_ = true;
    for (std::size_t w = 0; w < kFlowKeyWords; ++w) {
      mask_.set_word(w, mask_.word(w) | mask.word(w));
      value_.set_word(w, (value_.word(w) & ~mask.word(w)) | (value.word(w) & mask.word(w)));
    }
  }
  void flush() {
    if (!std::exchange(has_constants_, false)) return;
    for (std::size_t w = 0; w < kFlowKeyWords; ++w)
      if (mask_.word(w) != 0) fmt::format_to(std::back_inserter(out_), "write {} {:x}/{:x};", w, value_.word(w), mask_.word(w));
    mask_ = value_ = {};
  }

  // Where in the packet: fields overlap.
  static std::string bits(const Subfield& s) {
    FlowKey mask;
    mask.set(s, ones(s.bits));
    std::string text;
    for (std::size_t w = 0; w < kFlowKeyWords; ++w)
      if (mask.word(w) != 0) fmt::format_to(std::back_inserter(text), "{}:{:x},", w, mask.word(w));
    return text;
  }

  std::string port(const Port& p) const {
    if (p.name.empty()) return fmt::format("{}", p.number);
    const auto number = ports_ ? ports_(p.name) : std::nullopt;
    return number ? fmt::format("{}", *number) : fmt::format("\"{}\"", p.name);
  }

  std::string nested(const ActionList& actions) const { return EffectWriter(ports_).write(actions); }

  static std::string zone(const Ct& a) {
    if (const auto* from = std::get_if<Subfield>(&a.zone)) return bits(*from);
    const auto* number = std::get_if<std::uint16_t>(&a.zone);
    return fmt::format("{}", number != nullptr ? *number : 0);
  }

  static std::string translation(const Nat& n) {
    std::string addresses = "-";
    if (n.addresses) addresses = fmt::format("{}-{}", n.addresses->first.to_string(), n.addresses->last.to_string());
    const std::uint16_t least = n.port_min.value_or(0);
    return fmt::format("nat {} {} {}-{} {} {} {}", static_cast<unsigned>(n.kind), addresses, least, n.port_max.value_or(least),
                       n.persistent, n.hash, n.random);
  }

  void learned(const LearnSpec& spec) {
    std::string source;
    if (!spec.port.empty()) {
      source = port(Port{0, spec.port});
    } else if (const auto* from = std::get_if<Subfield>(&spec.source)) {
      source = "from " + bits(*from);
    } else {
      const U128 value = std::get<U128>(spec.source);
      const auto high = static_cast<std::uint64_t>(value >> 64), low = static_cast<std::uint64_t>(value);
      source = high == 0 ? fmt::format("{}", low) : fmt::format("{:x}:{:x}", high, low);
    }
    add("spec {} {} {}", static_cast<unsigned>(spec.kind), source, spec.kind == LearnSpec::Kind::output ? "" : bits(spec.dest));
  }

  const PortNumber& ports_;
  std::string out_;
  FlowKey mask_, value_;  // constants written since the last other action
  bool has_constants_ = false;
};

}  // namespace

std::string effect_of(const ActionList& actions, const PortNumber& ports) { return EffectWriter(ports).write(actions); }

}  // namespace egt::openflow
