// As parse_ofp_str__() of lib/ofp-flow.c, ofpacts_check() and ofpacts_verify() of lib/ofp-actions.c.
#include "ovs_ofctl/typed_flow.h"

#include <fmt/format.h>

#include <algorithm>

#include "egtrace/openflow/prerequisites.h"
#include "ovs_ofctl/flow_line.h"

namespace egt::parsers::ofctl {
namespace {

using namespace openflow;
using Refusal = std::optional<std::string>;

constexpr std::uint32_t kTagPresent = 0x1000;
constexpr std::uint32_t kLastMeter = 0xffff0000;  // OFPM13_MAX

FlowKey key_of(const FlowLine& flow) {
  WordSet words;
  collect_words(flow, words, {});
  FlowKey key;
  for (const MatchWord& w : words.view()) key.set_word(w.word, w.value);
  return key;
}

Refusal lacks(std::string_view what, FieldId f) {
  return fmt::format("{} field {} lacks its prerequisites in the match", what, field(f).name);
}

Refusal refuse_port(const Port& port) {
  const std::uint32_t n = port.number;
  const bool reserved = n >= port::in_port && n <= port::local;
  if (!port.name.empty() || n < port::max || reserved) return {};
  return fmt::format("no packet can leave by port {}", n);
}

// The order of OpenFlow's instructions; all other actions are applied.
enum class Instruction : std::uint8_t { meter, apply, clear, write, metadata, goto_table };

Instruction instruction_of(const Action& a) {
  if (std::holds_alternative<Meter>(a.kind)) return Instruction::meter;
  if (std::holds_alternative<ClearActions>(a.kind)) return Instruction::clear;
  if (std::holds_alternative<WriteActions>(a.kind)) return Instruction::write;
  if (std::holds_alternative<WriteMetadata>(a.kind)) return Instruction::metadata;
  if (std::holds_alternative<GotoTable>(a.kind)) return Instruction::goto_table;
  return Instruction::apply;
}

Refusal refuse_order(const ActionList& list) {
  // Meters are actions since OpenFlow 1.5 and may stand anywhere among those.
  const auto at = [](const Action& a) { return std::max(instruction_of(a), Instruction::apply); };
  for (std::size_t i = 1; i < list.size(); ++i) {
    const Instruction before = at(list[i - 1]), now = at(list[i]);
    if (now < before || (now == before && now != Instruction::apply)) return "instructions are not in OpenFlow's order";
  }
  return {};
}

// Dumps have such masks, of `load` to a part of the field.
Refusal refuse_value(const SetField& a) {
  const Field& f = field(a.field);
  const U128 mask = a.mask.value_or(0);
  if (mask != 0 && !f.maskable && mask != ones(f.bits) && mask != ones((f.bits + 7u) / 8 * 8))
    return "the field cannot be masked";
  if (a.field == FieldId::nw_tos && (a.value & 3) != 0) return "not a valid TOS";
  return {};
}

bool is_of_connection(FieldId f) { return f == FieldId::ct_mark || f == FieldId::ct_label; }

// Goes through a list as the switch would check it: actions change what later ones may touch.
class Checker {
 public:
  Checker(const FlowKey& key, bool in_ct) : key_(key), in_ct_(in_ct) {}

  Refusal check(const ActionList& list) {
    if (Refusal r = refuse_order(list)) return r;
    for (const Action& a : list)
      if (Refusal r = std::visit(*this, a.kind)) return r;
    return {};
  }

  Refusal operator()(const Output& a) { return refuse_port(a.port); }
  Refusal operator()(const OutputTruncated& a) { return refuse_port(a.port); }
  Refusal operator()(const OutputReg& a) { return source(a.source); }
  Refusal operator()(const Enqueue& a) {
    const std::uint32_t n = a.port.number;
    if (!a.port.name.empty() || n < port::max || n == port::in_port || n == port::local) return {};
    return fmt::format("port {} has no queues", n);
  }
  Refusal operator()(const Load& a) { return written(a.dest.field); }
  Refusal operator()(const SetField& a) {
    if (a.word != "set_field") return {};  // the words of OpenFlow 1.0 ask for nothing
    if (Refusal r = refuse_value(a)) return r;
    Refusal r = written(a.field);
    if (a.field == FieldId::vlan_tci) key_.set(FieldId::vlan_tci, a.value);
    return r;
  }
  Refusal operator()(const Move& a) {
    if (Refusal r = source(a.source)) return r;
    return written(a.dest.field);
  }
  Refusal operator()(const Push& a) { return source(a.source); }
  Refusal operator()(const Pop& a) { return destination(a.dest); }
  Refusal operator()(const Multipath& a) { return destination(a.dest); }
  Refusal operator()(const Bundle& a) {
    for (const Port& p : a.members)
      if (p.number != port::none)
        if (Refusal r = refuse_port(p)) return r;
    return a.dest ? destination(*a.dest) : Refusal{};
  }
  Refusal operator()(const Learn& a) {
    FlowKey learned;
    for (const LearnSpec& s : a.specs) {
      const auto* from = std::get_if<Subfield>(&s.source);
      if (from && s.port.empty() && !prerequisites_met(from->field, key_)) return lacks("source", from->field);
      if (s.kind == LearnSpec::Kind::output) continue;
      if (!prerequisites_met(s.dest.field, learned)) return lacks("learned", s.dest.field);
      if (s.kind == LearnSpec::Kind::match && !from) learned.set(s.dest, std::get<U128>(s.source));
    }
    return {};
  }
  Refusal operator()(const SetVlanVid&) { return tagged(); }
  Refusal operator()(const SetVlanPcp&) { return tagged(); }
  Refusal operator()(const PushVlan&) {
    if (key_.u64(FieldId::vlan_tci1) & kTagPresent) return "more than two VLAN tags";
    key_.set(FieldId::vlan_tci1, key_.get(FieldId::vlan_tci));
    return tagged();
  }
  Refusal operator()(const PopVlan&) {
    key_.set(FieldId::vlan_tci, key_.get(FieldId::vlan_tci1));
    key_.set(FieldId::vlan_tci1, 0);
    return {};
  }
  Refusal operator()(const PushMpls& a) {
    key_.set(FieldId::eth_type, a.ethertype);
    key_.set(FieldId::nw_proto, 0);
    return {};
  }
  Refusal operator()(const PopMpls& a) {
    key_.set(FieldId::eth_type, a.ethertype);
    return {};
  }
  Refusal operator()(const Encap& a) {
    const std::string_view header = std::string_view(a.argument).substr(0, a.argument.find('('));
    if (header == "ethernet") {
      key_.set(FieldId::packet_type, 0);
    } else {
      const std::uint16_t type = header == "nsh" ? ethertype::nsh : header == "mpls" ? ethertype::mpls : ethertype::mplsm;
      key_.set(FieldId::packet_type, std::uint64_t{1} << 16 | type);
      key_.set(FieldId::eth_type, type);
    }
    if (!is_ip_any(key_)) key_.set(FieldId::nw_proto, 0);
    return {};
  }
  Refusal operator()(const Decap&) {
    constexpr std::uint64_t kUnknownType = 0xffff;
    const bool ethernet = key_.u64(FieldId::packet_type) == 0;
    const std::uint64_t type = ethernet ? key_.u64(FieldId::eth_type) : kUnknownType;
    if (!ethernet) key_.set(FieldId::eth_type, type);
    key_.set(FieldId::packet_type, std::uint64_t{1} << 16 | type);
    return {};
  }
  Refusal operator()(const Resubmit& a) {
    constexpr std::uint64_t kValid = ct_state::new_ | ct_state::est | ct_state::rpl;
    if (a.with_ct && !(key_.u64(FieldId::ct_state) & kValid)) return "resubmit with ct lacks ct_state in the match";
    return {};
  }
  Refusal operator()(const Ct& a) { return connection(a); }
  Refusal operator()(const Clone& a) { return nested(a.actions); }
  Refusal operator()(const WriteActions& a) { return nested(a.actions); }
  Refusal operator()(const DecNshTtl&) {
    return dl_type(key_) == ethertype::nsh ? Refusal{} : "dec_nsh_ttl lacks NSH in the match";
  }
  Refusal operator()(const Meter& a) { return a.id == 0 || a.id > kLastMeter ? Refusal("no such meter") : Refusal{}; }
  Refusal operator()(const GotoTable& a) { return a.table == 255 ? Refusal("no such table") : Refusal{}; }
  template <class Other>
  Refusal operator()(const Other&) {
    return {};
  }

 private:
  bool has_tag() const { return key_.u64(FieldId::vlan_tci) & kTagPresent; }
  Refusal tagged() {
    key_.set(FieldId::vlan_tci, key_.get(FieldId::vlan_tci) | kTagPresent);
    return {};
  }
  Refusal source(const Subfield& s) const { return prerequisites_met(s.field, key_) ? Refusal{} : lacks("source", s.field); }
  Refusal destination(const Subfield& s) const {
    return prerequisites_met(s.field, key_) ? Refusal{} : lacks("destination", s.field);
  }
  // By an action that may stand in ct(exec(…)) as well, where it writes what the connection keeps and nothing else.
  Refusal written(FieldId f) const {
    if (!prerequisites_met(f, key_) || (f == FieldId::vlan_vid && !has_tag())) return lacks("destination", f);
    if (is_of_connection(f) != in_ct_)
      return in_ct_ ? "ct(exec()) sets ct_mark and ct_label only" : "ct_mark and ct_label are set in ct(exec()) only";
    return {};
  }

  Refusal connection(const Ct& a) const {
    const std::uint64_t proto = key_.u64(FieldId::nw_proto);
    if (!is_ip_any(key_)) return "ct lacks IP in the match";
    if (a.commit && (key_.u64(FieldId::ct_state) & ct_state::inv))
      return "ct(commit) of connections that the match has as invalid";
    if ((a.alg == "ftp" && proto != ip_proto::tcp) || (a.alg == "tftp" && proto != ip_proto::udp))
      return "ct(alg) lacks the helper's protocol in the match";
    if (const auto* zone = std::get_if<Subfield>(&a.zone))
      if (Refusal r = source(*zone)) return r;
    if (a.nat && a.nat->addresses && a.nat->addresses->first.is_v4() != (dl_type(key_) == ethertype::ipv4))
      return "nat to addresses of another version than the match has";
    return a.exec ? Checker(key_, true).check_ct(*a.exec) : Refusal{};
  }
  Refusal check_ct(const ActionList& list) {
    for (const Action& a : list)
      if (!std::holds_alternative<Load>(a.kind) && !std::holds_alternative<SetField>(a.kind) &&
          !std::holds_alternative<Move>(a.kind))
        return "ct(exec()) sets ct_mark and ct_label only";
    return check(list);
  }
  Refusal nested(const ActionList& list) const {
    for (const Action& a : list) {
      if (std::holds_alternative<Meter>(a.kind)) return "a meter cannot be nested";
      if (instruction_of(a) > Instruction::apply) return "an instruction cannot be nested";
    }
    return Checker(key_, false).check(list);
  }

  FlowKey key_;
  bool in_ct_;
};

Refusal refuse_number(const FlowStat& s) {
  constexpr std::uint64_t kMost = 0xffff;
  switch (s.kind) {
    case FlowStat::Kind::table_id: return "the table is given by table=";
    case FlowStat::Kind::idle_timeout:
    case FlowStat::Kind::hard_timeout:
    case FlowStat::Kind::importance:
      if (s.value > kMost) return fmt::format("{} is above 65535", stat_word(s));
      return {};
    default: return {};
  }
}

// Of a field that nothing can mask all bytes can be named so.
bool has_bits(const MatchItem& item) {
  constexpr unsigned kByte = 8;
  const Field& f = field(item.field);
  return f.maskable || (f.bits % kByte == 0 && item.mask == ones(f.bits));
}

bool is_extensible_name(std::string_view name) {
  constexpr std::string_view kPrefixes[] = {"NXM_", "OXM_", "NXOXM_", "ONFOXM_", "ERICOXM_"};
  return std::any_of(std::begin(kPrefixes), std::end(kPrefixes), [&](std::string_view p) { return name.starts_with(p); });
}

// Matches on these are sent whatever else a match has, and switches refuse them without the packet that they belong to.
Refusal refuse_alone(const MatchItem& item, const FlowKey& key) {
  const bool tuple = item.field >= FieldId::ct_nw_proto && item.field <= FieldId::ct_ipv6_dst;
  const bool nsh = item.field >= FieldId::nsh_flags && item.field <= FieldId::nsh_ttl;
  const bool none = item.mask == 0 || (item.field == FieldId::ct_nw_proto && item.value == 0);
  if ((!tuple && !nsh) || none || prerequisites_met(item.field, key)) return {};
  return fmt::format("{} lacks its prerequisites in the match", item.name);
}

Refusal refuse_term(const MatchItem& item) {
  const bool word = item.field == FieldId::count_;
  if (word && (item.name == "nsh" || item.name == "igmp")) return fmt::format("{} needs a value", item.name);
  constexpr FieldId kUnmatchable[] = {FieldId::skb_priority, FieldId::vlan_tci1, FieldId::tun_ttl, FieldId::tun_tos};
  if (std::find(std::begin(kUnmatchable), std::end(kUnmatchable), item.field) != std::end(kUnmatchable))
    return fmt::format("no flow can match on {}", item.name);
  const bool by_bits = item.text.starts_with('[');
  if (by_bits && !has_bits(item)) return fmt::format("{} cannot be masked", item.name);
  if (!by_bits && is_extensible_name(item.name)) return fmt::format("the bits of {} are missing", item.name);
  constexpr U128 kStates = 0xff;
  const U128 mask = item.mask_form == ValueForm::none ? U128{0} : item.mask;
  if (item.field == FieldId::ct_state && ((item.value | mask) & ~kStates) != 0) return "unknown bits of ct_state";
  constexpr U128 kByte = 0xff;
  const bool icmp = item.field == FieldId::icmp_type || item.field == FieldId::icmp_code;
  if (icmp && item.value > kByte) return fmt::format("{} takes one byte", item.name);
  if (icmp && item.mask_form != ValueForm::none && !by_bits) return fmt::format("{} cannot be masked", item.name);
  if (item.field != FieldId::in_port || item.form == ValueForm::name) return {};
  constexpr std::uint64_t kLast16 = 0xffff, kFirst32 = 0xffffff00;
  if (item.value > kLast16 && item.value < kFirst32) return "no port has such a number";
  return {};
}

Refusal refuse_repeated_option(const FlowLine& flow) {
  std::uint32_t seen = 0;
  for (const MatchItem& item : flow.match) {
    if (item.field < FieldId::tun_metadata0 || item.field > FieldId::tun_metadata7) continue;
    const auto bit = 1U << (static_cast<unsigned>(item.field) - static_cast<unsigned>(FieldId::tun_metadata0));
    if (seen & bit) return fmt::format("{} stands twice", item.name);
    seen |= bit;
  }
  return {};
}

}  // namespace

bool is_typed(const FlowLine& flow) {
  const auto is_statistic = [](const FlowStat& s) {
    return s.kind == FlowStat::Kind::duration || s.kind == FlowStat::Kind::n_packets;
  };
  return flow.indent == 0 && std::none_of(flow.stats.begin(), flow.stats.end(), is_statistic);
}

std::optional<std::string> why_refused(const FlowLine& flow, const ActionList& actions) {
  for (const FlowStat& s : flow.stats)
    if (Refusal r = refuse_number(s)) return r;
  const FlowKey key = key_of(flow);
  for (const MatchItem& item : flow.match) {
    if (Refusal r = refuse_term(item)) return r;
    if (Refusal r = refuse_alone(item, key)) return r;
  }
  if (Refusal r = refuse_repeated_option(flow)) return r;
  return Checker(key, false).check(actions);
}

}  // namespace egt::parsers::ofctl
