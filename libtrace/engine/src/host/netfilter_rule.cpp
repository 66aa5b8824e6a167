#include "netfilter_rule.h"

#include <algorithm>

#include "netfilter_miss.h"
#include "netfilter_nat.h"
#include "netfilter_presumed.h"
#include "netfilter_walk.h"

namespace egt::engine {
namespace {

using netfilter::Chain;
using netfilter::Number;
using netfilter::Rule;
using Next = RuleEnd::Next;
using RuleVerdict = netfilter::Verdict;  // engine::Verdict is the verdict of a walk

std::optional<std::uint32_t> as_number(const Evaluated& e) {
  if (e.kind != Evaluated::Kind::value || e.parts.empty()) return std::nullopt;
  const auto* n = std::get_if<Number>(&e.parts.front());
  if (n == nullptr) return std::nullopt;
  return static_cast<std::uint32_t>(*n);
}

std::uint32_t combined(std::uint32_t before, const std::optional<Number>& keep, std::uint32_t value) {
  return (before & static_cast<std::uint32_t>(keep.value_or(0))) ^ value;
}

// A field that rules can write; empty for those whose value is not read later.
std::optional<FieldId> written_field(netfilter::Key key, Family family) {
  using netfilter::Key;
  const bool v4 = family == Family::v4;
  switch (key) {
    case Key::ip_ttl: return v4 ? std::optional(FieldId::nw_ttl) : std::nullopt;
    case Key::ip6_hoplimit: return v4 ? std::nullopt : std::optional(FieldId::nw_ttl);
    case Key::ip_tos:
    case Key::ip_dscp:
    case Key::ip_ecn: return FieldId::nw_tos;
    case Key::ip_saddr: return v4 ? std::optional(FieldId::ip_src) : std::nullopt;
    case Key::ip_daddr: return v4 ? std::optional(FieldId::ip_dst) : std::nullopt;
    case Key::ip6_saddr: return v4 ? std::nullopt : std::optional(FieldId::ipv6_src);
    case Key::ip6_daddr: return v4 ? std::nullopt : std::optional(FieldId::ipv6_dst);
    case Key::sport: return FieldId::tp_src;
    case Key::dport: return FieldId::tp_dst;
    case Key::ether_saddr: return FieldId::eth_src;
    case Key::ether_daddr: return FieldId::eth_dst;
    case Key::arp_saddr_ip: return FieldId::arp_spa;
    case Key::arp_saddr_ether: return FieldId::arp_sha;
    case Key::arp_daddr_ip: return FieldId::arp_tpa;
    case Key::arp_daddr_ether: return FieldId::arp_tha;
    case Key::arp_operation: return FieldId::arp_op;
    default: return std::nullopt;
  }
}

// The field as its key shows it, put back among the bits that the key does not cover.
U128 with_part(netfilter::Key key, U128 whole, U128 part) {
  constexpr unsigned kEcnBits = 2;
  if (key == netfilter::Key::ip_dscp) return (whole & 3) | ((part << kEcnBits) & 0xff);
  if (key == netfilter::Key::ip_ecn) return (whole & 0xfc) | (part & 3);
  return part;
}
U128 part_of(netfilter::Key key, U128 whole) {
  if (key == netfilter::Key::ip_dscp) return whole >> 2;
  return key == netfilter::Key::ip_ecn ? whole & 3 : whole;
}

bool asks_length(const netfilter::Test& t) {
  const auto* c = std::get_if<netfilter::Compare>(&t);
  const auto* read = c != nullptr && c->left ? std::get_if<netfilter::Read>(&c->left->node) : nullptr;
  constexpr netfilter::Key kLengths[] = {netfilter::Key::length, netfilter::Key::ip_length, netfilter::Key::ip6_length,
                                         netfilter::Key::udp_length};
  return read != nullptr && std::find(std::begin(kLengths), std::end(kLengths), read->key) != std::end(kLengths);
}

}  // namespace

RuleEnd RuleExecution::run() {
  end_ = {};
  failed_ = false;
  const Rule& rule = *position_.rule();
  for (std::size_t i = 0; i < rule.statements.size(); ++i) {
    if (context_.presumed && rests_on_presumption(rule, i, position_.reading())) result_.asked_presumed = true;
    if (std::visit([this](const auto& s) { return apply(s); }, rule.statements[i])) continue;
    if (failed_ && around_.record.wants_misses) note_miss(position_, i, around_.node, around_.record);
    break;
  }
  return end_;
}

bool RuleExecution::apply(const netfilter::Test& t) {
  const TestResult r = test(t, position_.reading());
  if (asks_length(t) && !context_.length_known)
    around_.record.assume(
        {Supposition::packet_length, {std::uint64_t{context_.length}}, position_.place().about, position_.evidence()});
  failed_ = r.truth == Truth::no;
  if (r.truth == Truth::yes && r.member.known()) position_.set_element(r.member);
  if (r.truth != Truth::unknown) return r.truth == Truth::yes;
  if (r.what.property == Property::ipset_members) around_.record.gap({around_.node, Input::ipset_members, {r.what.name}});
  std::vector<Option> options{{{Alternative::matches}}, {{Alternative::does_not_match}}};
  if (r.probability) {
    options[0].weight = *r.probability;
    options[1].weight = 1 - *r.probability;
  }
  // A rule that tosses a coin sends packets either way; of anything else only one outcome is the true one.
  const auto kind = r.probability ? ChoicePoint::Kind::split : ChoicePoint::Kind::unknown;
  return position_.ask(kind, {Branch::test, {r.what.property, r.what.name}}, std::move(options)) == 0;
}

bool RuleExecution::apply(const netfilter::SetMark& s) {
  const Evaluated e = evaluate(*s.value, position_.reading(), position_);
  if (e.kind == Evaluated::Kind::absent) return false;
  const auto value = as_number(e);
  if (!value) return cannot_decide(unknown_of(e, Property::mark));
  const std::uint32_t before = context_.packet.u32(FieldId::pkt_mark);
  const std::uint32_t after = combined(before, s.keep_mask, *value);
  position_.hit();
  context_.packet.set(FieldId::pkt_mark, after);
  if (before != after) around_.record.add(around_.node, Layer::host, MarkSet{before, after}, position_.evidence());
  return true;
}

bool RuleExecution::apply(const netfilter::SetCtMark& s) {
  const Evaluated e = evaluate(*s.value, position_.reading(), position_);
  if (e.kind == Evaluated::Kind::absent || context_.connection == nullptr) return e.kind != Evaluated::Kind::absent;
  const auto value = as_number(e);
  if (!value) return cannot_decide(unknown_of(e, Property::connection_mark));
  position_.hit();
  context_.connection->mark = combined(context_.connection->mark, s.keep_mask, *value);
  return true;
}

bool RuleExecution::apply(const netfilter::SetField& s) {
  const auto field = written_field(s.key, around_.family);
  if (!field || ((s.key == netfilter::Key::sport || s.key == netfilter::Key::dport) && !has_ports(context_.packet))) return false;
  const U128 whole = *field == FieldId::nw_tos ? U128{tos_of(context_.packet)} : context_.packet.get(*field),
             before = part_of(s.key, whole);
  U128 after = before;
  if (s.value) {
    const Evaluated e = evaluate(*s.value, position_.reading(), position_);
    if (e.kind == Evaluated::Kind::absent) return false;
    const auto* n = e.parts.empty() ? nullptr : std::get_if<Number>(&e.parts.front());
    if (e.kind != Evaluated::Kind::value || n == nullptr) return cannot_decide(unknown_of(e, Property::header_field));
    after = (before & s.keep_mask.value_or(0)) ^ *n;
  } else {
    constexpr int kMost = 255;
    after = static_cast<unsigned>(std::clamp(static_cast<int>(before) + s.add, 0, kMost));
  }
  position_.hit();
  const U128 written = with_part(s.key, whole, after);
  if (*field == FieldId::nw_tos) {
    set_tos(context_.packet, static_cast<std::uint8_t>(written));
  } else {
    context_.packet.set(*field, written);
  }
  return true;
}

// Once conntrack or an earlier statement has seen the packet it is too late; only nft's zones undo a "notrack"
// (xt_ct_target(), nft_notrack_eval(), nft_ct_set_zone_eval()).
bool RuleExecution::is_too_late(bool zone) const {
  if (context_.state == PacketState::none) return false;
  return !zone || !result_.untracked || base_.front_end != "nft";
}

bool RuleExecution::apply(const netfilter::CtZone& z) {
  if (is_too_late(true)) return true;
  const Evaluated e = evaluate(*z.zone, position_.reading(), position_);
  if (e.kind == Evaluated::Kind::absent) return false;
  const auto value = as_number(e);
  if (!value) return cannot_decide(unknown_of(e, Property::conntrack_zone));
  position_.hit();
  result_.zone = static_cast<std::uint16_t>(*value);
  result_.untracked = false;
  // The kernel attaches an empty connection that carries the zone, and later rules of this hook see that one.
  context_.carrier = Connection{};
  context_.connection = &*context_.carrier;
  context_.state = PacketState::new_;
  return true;
}

bool RuleExecution::apply(const netfilter::NoTrack&) {
  if (is_too_late(false)) return true;
  position_.hit();
  result_.untracked = true;
  context_.state = PacketState::untracked;
  return true;
}

// Where no process listens, iptables drops the packet and nft goes on as if the rule did not match.
bool RuleExecution::apply(const netfilter::Tproxy& t) {
  const bool listens =
      position_.ask(ChoicePoint::Kind::unknown, {Branch::proxy}, {{{Alternative::yes}}, {{Alternative::no}}}) == 0;
  if (!listens) return t.terminal ? end(HookResult::Outcome::dropped, {Reason::no_transparent_socket}) : false;
  position_.hit();
  result_.tproxy = t;
  return t.terminal ? end(HookResult::Outcome::accepted, {}) : true;
}

bool RuleExecution::apply(const netfilter::Duplicate& d) {
  PacketCopy copy{context_.packet, std::nullopt, d.device, position_.evidence()};
  if (d.gateway) {
    const Evaluated e = evaluate(*d.gateway, position_.reading(), position_);
    if (e.kind == Evaluated::Kind::absent) return false;
    const auto* n = e.parts.empty() ? nullptr : std::get_if<Number>(&e.parts.front());
    if (e.kind == Evaluated::Kind::value && n != nullptr)
      copy.gateway = IpAddr{around_.family, *n};
    else
      copy.device.clear();
  }
  position_.hit();
  if (context_.duplicate) context_.duplicate(std::move(copy));
  return true;
}

bool RuleExecution::apply(const netfilter::SendFrame& f) {
  position_.hit();
  result_.device = f.device;
  return end(HookResult::Outcome::sent, {});
}

bool RuleExecution::apply(const netfilter::VerdictStatement& v) { return verdict(v.verdict, {}); }

bool RuleExecution::apply(const netfilter::VerdictMapStatement& m) {
  const VerdictLookup found = look_up(m, position_.reading(), position_);
  if (found.unknown) return cannot_decide(*found.unknown);
  if (found.element == nullptr) return false;
  return verdict(found.element->verdict, found.element->from);
}

bool RuleExecution::apply(const netfilter::NatTarget& t) {
  if (t.family && *t.family != around_.family) return false;
  if (result_.nat) return end(HookResult::Outcome::accepted, {});
  NatLookup found = look_up(t, position_, around_.record);
  if (found.unknown) return cannot_decide(*found.unknown);
  if (!found.decision) return false;
  position_.hit();
  NatDecision& d = *found.decision;
  d.rule = position_.rule();
  d.front_end = base_.front_end;
  d.table = base_.table->name;
  d.chain = position_.chain().name;
  d.evidence = position_.evidence();
  result_.nat = std::move(d);
  return end(HookResult::Outcome::accepted, {});
}

// It may be a test, a verdict or nothing that matters here.
bool RuleExecution::apply(const netfilter::OpaqueStatement& o) {
  const std::size_t chosen = position_.ask(ChoicePoint::Kind::unknown, {Branch::statement, {o.text}},
                                           {{{Alternative::has_no_effect}}, {{Alternative::applies}}});
  if (chosen == 0) return false;
  return end(HookResult::Outcome::inconclusive, {Reason::statement_unknown, {o.text}});
}

bool RuleExecution::verdict(const RuleVerdict& v, Provenance at) {
  using Kind = RuleVerdict::Kind;
  if (at.known()) position_.set_element(std::move(at));
  if (v.kind != Kind::continue_) position_.hit(v.kind);
  switch (v.kind) {
    case Kind::continue_: return true;
    case Kind::accept: return end(HookResult::Outcome::accepted, {});
    case Kind::drop: return end(HookResult::Outcome::dropped, {Reason::rule_drops, {position_.chain().name}});
    case Kind::reject:
      result_.reject_with = v.reject_with;
      return end(HookResult::Outcome::rejected, {Reason::rule_rejects, {position_.chain().name}});
    case Kind::return_: end_.next = Next::returned; return false;
    case Kind::queue: {
      const bool passes =
          position_.ask(ChoicePoint::Kind::unknown, {Branch::queue}, {{{Alternative::accepts}}, {{Alternative::drops}}}) == 0;
      return passes ? end(HookResult::Outcome::accepted, {}) : end(HookResult::Outcome::dropped, {Reason::queue_drops});
    }
    case Kind::jump:
    case Kind::goto_: {
      const Chain* target = around_.index.find(*base_.table, v.chain);
      if (target == nullptr) return end(HookResult::Outcome::inconclusive, {Reason::chain_missing, {v.chain}});
      end_ = {v.kind == Kind::jump ? Next::jump : Next::goto_, target};
      return false;
    }
  }
  return false;
}

bool RuleExecution::end(HookResult::Outcome outcome, Cause why) {
  end_.next = Next::ended;
  conclude(result_, outcome, std::move(why), position_);
  return false;
}

bool RuleExecution::cannot_decide(const Unknown& what) {
  return end(HookResult::Outcome::inconclusive, {Reason::rule_undecided, {what.property, what.name}});
}

}  // namespace egt::engine
