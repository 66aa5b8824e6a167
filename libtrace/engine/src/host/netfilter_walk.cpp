#include "netfilter_walk.h"

#include <algorithm>
#include <tuple>

namespace egt::engine {
namespace {

using netfilter::Chain;
using netfilter::Hook;
using netfilter::Number;
using netfilter::Rule;
using RuleVerdict = netfilter::Verdict;  // engine::Verdict is the verdict of a walk

// The kernel allows 16 jumps inside each other and no loops; a garbled listing may hold any.
constexpr int kMaxJumps = 64;
constexpr std::size_t kMaxRules = 5'000'000;
constexpr std::size_t kMaxCalls = 50'000;  // jumps and gotos of one packet in one base chain

std::optional<std::uint32_t> as_number(const Evaluated& e) {
  if (e.kind != Evaluated::Kind::value || e.parts.empty()) return std::nullopt;
  const auto* n = std::get_if<Number>(&e.parts.front());
  if (n == nullptr) return std::nullopt;
  return static_cast<std::uint32_t>(*n);
}

std::uint32_t combined(std::uint32_t before, const std::optional<Number>& keep, std::uint32_t value) {
  return (before & static_cast<std::uint32_t>(keep.value_or(0))) ^ value;
}

// What makes the kernel route a packet of this host anew when a chain changes it (nf_route_table_hook4(),
// ip6t_mangle_out()): of IPv6 the traffic class and the hop limit as well.
using RoutedBy = std::tuple<IpAddr, IpAddr, std::uint32_t, std::uint8_t, std::uint32_t>;
RoutedBy routed_by(const FlowKey& p) {
  const bool v4 = family_of(p) == Family::v4;
  return {src_ip(p), dst_ip(p), p.u32(FieldId::pkt_mark), tos_of(p), v4 ? 0 : p.u32(FieldId::nw_ttl)};
}

// A field that rules can write; empty for those whose value matters to nobody later.
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

// Tests that say which packets a rule is about, rather than what kind of packet it takes.
bool is_selective(const netfilter::ExprPtr& e) {
  using netfilter::Key;
  const auto* masked = e ? std::get_if<netfilter::Masked>(&e->node) : nullptr;
  const auto* read =
      e ? std::get_if<netfilter::Read>(masked != nullptr && masked->operand ? &masked->operand->node : &e->node) : nullptr;
  if (read == nullptr) return false;
  switch (read->key) {
    case Key::ip_saddr:
    case Key::ip_daddr:
    case Key::ip6_saddr:
    case Key::ip6_daddr:
    case Key::sport:
    case Key::dport:
    case Key::ether_saddr:
    case Key::ct_original_saddr:
    case Key::ct_original_daddr: return true;
    case Key::mark:
    case Key::ct_mark: return true;
    default: return false;
  }
}
bool is_selective(const netfilter::Test& t) {
  if (const auto* c = std::get_if<netfilter::Compare>(&t)) return c->op == netfilter::Op::eq && is_selective(c->left);
  if (const auto* set = std::get_if<netfilter::InIpset>(&t)) return !set->negate;
  const auto* in = std::get_if<netfilter::InSet>(&t);
  return in != nullptr && !in->negate &&
         std::any_of(in->left.begin(), in->left.end(), [](const auto& e) { return is_selective(e); });
}

bool asks_length(const netfilter::Test& t) {
  const auto* c = std::get_if<netfilter::Compare>(&t);
  const auto* read = c != nullptr && c->left ? std::get_if<netfilter::Read>(&c->left->node) : nullptr;
  return read != nullptr && (read->key == netfilter::Key::length || read->key == netfilter::Key::ip_length);
}

bool has_effect(const netfilter::Statement& s) {
  return !std::holds_alternative<netfilter::Test>(s) && !std::holds_alternative<netfilter::SetUpdate>(s) &&
         !std::holds_alternative<netfilter::Annotation>(s);
}

}  // namespace

const Chain* ChainIndex::find(const netfilter::Table& table, const std::string& name) {
  if (!indexed_[&table]) {
    indexed_[&table] = true;
    for (const Chain& c : table.chains) chains_.emplace(std::pair{&table, c.name}, &c);
  }
  const auto found = chains_.find({&table, name});
  return found == chains_.end() ? nullptr : found->second;
}

void ChainWalk::run() {
  const Chain& chain = *place_.chain;
  if (place_.lossy && !chain.rules.empty()) {
    around_.record.assume({Supposition::iptables_tests_shown, {}, {}, {chain.from}});
  }
  const RoutedBy before = routed_by(context_.packet);
  if (run_chain(chain, 0) != Next::ended) apply_policy();
  if (place_.reroutes && routed_by(context_.packet) != before) result_.mark_changed_in_route_chain = true;
}

void ChainWalk::apply_policy() {
  const Chain& chain = *place_.chain;
  if (!chain.drop_by_default) return;
  chain_ = &chain;
  rule_ = nullptr;
  element_ = {};
  hit(RuleVerdict::Kind::drop);
  end(HookResult::Outcome::dropped, {Reason::policy_drops, {chain.name}});
}

ChainWalk::Next ChainWalk::run_chain(const Chain& first, int depth) {
  const Chain* chain = &first;
  std::size_t at = 0;
  if (depth > kMaxJumps) return limit_reached();
  while (at < chain->rules.size()) {
    if (++rules_run_ > kMaxRules || calls_ > kMaxCalls) return limit_reached();
    const Chain* go_to = nullptr;
    const Next next = run_rule(*chain, chain->rules[at++], depth, go_to);
    if (next == Next::ended) return Next::ended;
    if (next == Next::returned) return Next::rule;
    if (go_to != nullptr) {  // no way back into this chain
      chain = go_to;
      at = 0;
    }
  }
  return Next::rule;
}

ChainWalk::Next ChainWalk::run_rule(const Chain& chain, const Rule& rule, int depth, const Chain*& go_to) {
  chain_ = &chain;
  rule_ = &rule;
  element_ = {};
  next_ = Next::rule;
  call_ = go_to_ = nullptr;
  failed_ = false;
  for (std::size_t i = 0; i < rule.statements.size(); ++i) {
    if (context_.presumed && rests_on_presumption(rule, i)) result_.asked_presumed = true;
    if (std::visit([this](const auto& s) { return apply(s); }, rule.statements[i])) continue;
    if (failed_ && around_.record.wants_misses) note_miss(rule, i);
    break;
  }
  if (call_ != nullptr) return run_chain(*call_, depth + 1);
  go_to = go_to_;
  return next_;
}

// A rule with an effect whose other tests are all met, one at least of those that show whose packets it is about.
void ChainWalk::note_miss(const Rule& rule, std::size_t failed) {
  bool selective = false, effect = false;
  for (std::size_t i = 0; i < rule.statements.size(); ++i) {
    const auto* t = std::get_if<netfilter::Test>(&rule.statements[i]);
    effect = effect || has_effect(rule.statements[i]);
    if (t == nullptr || i == failed) continue;
    if (i > failed && test(*t, reading()).truth != Truth::yes) return;
    selective = selective || is_selective(*t);
  }
  if (!selective || !effect) return;
  const auto& t = std::get<netfilter::Test>(rule.statements[failed]);
  around_.record.misses.push_back({around_.node,
                                   {hook_, place_.front_end, place_.table->name, chain_->name, &rule, {}, chain_},
                                   &t,
                                   left_values(t, reading()),
                                   around_.record.steps.size()});
}

// --- statements ----------------------------------------------------------------------------------------------------
bool ChainWalk::apply(const netfilter::Test& t) {
  const TestResult r = test(t, reading());
  if (asks_length(t))
    around_.record.assume({Supposition::packet_length, {std::uint64_t{context_.length}}, place().about, evidence()});
  failed_ = r.truth == Truth::no;
  if (r.truth == Truth::yes && r.member.known()) element_ = r.member;
  if (r.truth != Truth::unknown) return r.truth == Truth::yes;
  if (r.what.property == Property::ipset_members) around_.record.gap({around_.node, Input::ipset_members, {r.what.name}});
  std::vector<Option> options{{{Alternative::matches}}, {{Alternative::does_not_match}}};
  if (r.probability) {
    options[0].weight = *r.probability;
    options[1].weight = 1 - *r.probability;
  }
  // A rule that tosses a coin sends packets either way; of anything else only one outcome is the true one.
  const auto kind = r.probability ? ChoicePoint::Kind::split : ChoicePoint::Kind::unknown;
  return ask(kind, {Branch::test, {r.what.property, r.what.name}}, std::move(options)) == 0;
}

bool ChainWalk::apply(const netfilter::SetMark& s) {
  const Evaluated e = evaluate(*s.value, reading(), *this);
  if (e.kind == Evaluated::Kind::absent) return false;
  const auto value = as_number(e);
  if (!value) return cannot_decide(e, Property::mark);
  const std::uint32_t before = context_.packet.u32(FieldId::pkt_mark);
  const std::uint32_t after = combined(before, s.keep_mask, *value);
  hit();
  context_.packet.set(FieldId::pkt_mark, after);
  if (before != after) around_.record.add(around_.node, Layer::host, MarkSet{before, after}, evidence());
  return true;
}

bool ChainWalk::apply(const netfilter::SetCtMark& s) {
  const Evaluated e = evaluate(*s.value, reading(), *this);
  if (e.kind == Evaluated::Kind::absent || context_.connection == nullptr) return e.kind != Evaluated::Kind::absent;
  const auto value = as_number(e);
  if (!value) return cannot_decide(e, Property::connection_mark);
  hit();
  context_.connection->mark = combined(context_.connection->mark, s.keep_mask, *value);
  return true;
}

bool ChainWalk::apply(const netfilter::SetField& s) {
  const auto field = written_field(s.key, around_.family);
  if (!field || ((s.key == netfilter::Key::sport || s.key == netfilter::Key::dport) && !has_ports(context_.packet))) return false;
  const U128 whole = *field == FieldId::nw_tos ? U128{tos_of(context_.packet)} : context_.packet.get(*field),
             before = part_of(s.key, whole);
  U128 after = before;
  if (s.value) {
    const Evaluated e = evaluate(*s.value, reading(), *this);
    if (e.kind == Evaluated::Kind::absent) return false;
    const auto* n = e.parts.empty() ? nullptr : std::get_if<Number>(&e.parts.front());
    if (e.kind != Evaluated::Kind::value || n == nullptr) return cannot_decide(e, Property::header_field);
    after = (before & s.keep_mask.value_or(0)) ^ *n;
  } else {
    constexpr int kMost = 255;
    after = static_cast<unsigned>(std::clamp(static_cast<int>(before) + s.add, 0, kMost));
  }
  hit();
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
bool ChainWalk::is_too_late(bool zone) const {
  if (context_.state == PacketState::none) return false;
  return !zone || !result_.untracked || place_.front_end != "nft";
}

bool ChainWalk::apply(const netfilter::CtZone& z) {
  if (is_too_late(true)) return true;
  const Evaluated e = evaluate(*z.zone, reading(), *this);
  if (e.kind == Evaluated::Kind::absent) return false;
  const auto value = as_number(e);
  if (!value) return cannot_decide(e, Property::conntrack_zone);
  hit();
  result_.zone = static_cast<std::uint16_t>(*value);
  result_.untracked = false;
  // The kernel attaches an empty connection that carries the zone, and later rules of this hook see that one.
  context_.carrier = Connection{};
  context_.connection = &*context_.carrier;
  context_.state = PacketState::new_;
  return true;
}

bool ChainWalk::apply(const netfilter::NoTrack&) {
  if (is_too_late(false)) return true;
  hit();
  result_.untracked = true;
  context_.state = PacketState::untracked;
  return true;
}

// Where nobody listens, iptables drops the packet and nft goes on as if the rule did not match.
bool ChainWalk::apply(const netfilter::Tproxy& t) {
  const bool listens = ask(ChoicePoint::Kind::unknown, {Branch::proxy}, {{{Alternative::yes}}, {{Alternative::no}}}) == 0;
  if (!listens) return t.terminal ? end(HookResult::Outcome::dropped, {Reason::no_transparent_socket}) : false;
  hit();
  result_.tproxy = t;
  return t.terminal ? end(HookResult::Outcome::accepted, {}) : true;
}

bool ChainWalk::apply(const netfilter::Duplicate& d) {
  PacketCopy copy{context_.packet, std::nullopt, d.device, evidence()};
  if (d.gateway) {
    const Evaluated e = evaluate(*d.gateway, reading(), *this);
    if (e.kind == Evaluated::Kind::absent) return false;
    const auto* n = e.parts.empty() ? nullptr : std::get_if<Number>(&e.parts.front());
    if (e.kind == Evaluated::Kind::value && n != nullptr)
      copy.gateway = IpAddr{around_.family, *n};
    else
      copy.device.clear();
  }
  hit();
  if (context_.duplicate) context_.duplicate(std::move(copy));
  return true;
}

bool ChainWalk::apply(const netfilter::SendFrame& f) {
  hit();
  result_.device = f.device;
  return end(HookResult::Outcome::sent, {});
}

bool ChainWalk::apply(const netfilter::VerdictStatement& v) { return verdict(v.verdict, {}); }

bool ChainWalk::apply(const netfilter::VerdictMapStatement& m) {
  const VerdictLookup found = look_up(m, reading(), *this);
  if (found.unknown) return cannot_decide(*found.unknown);
  if (found.element == nullptr) return false;
  return verdict(found.element->verdict, found.element->from);
}

bool ChainWalk::apply(const netfilter::NatTarget& t) {
  if (t.family && *t.family != around_.family) return false;
  if (result_.nat) return end(HookResult::Outcome::accepted, {});
  NatDecision d;
  if (!translate(t, d)) return false;
  hit();
  d.rule = rule_;
  d.front_end = place_.front_end;
  d.table = place_.table->name;
  d.chain = chain_->name;
  d.evidence = evidence();
  result_.nat = std::move(d);
  return end(HookResult::Outcome::accepted, {});
}

// It may be a test, a verdict or nothing that matters here.
bool ChainWalk::apply(const netfilter::OpaqueStatement& o) {
  const std::size_t chosen =
      ask(ChoicePoint::Kind::unknown, {Branch::statement, {o.text}}, {{{Alternative::has_no_effect}}, {{Alternative::applies}}});
  if (chosen == 0) return false;
  return end(HookResult::Outcome::inconclusive, {Reason::statement_unknown, {o.text}});
}

// --- verdicts ------------------------------------------------------------------------------------------------------
bool ChainWalk::verdict(const RuleVerdict& v, Provenance at) {
  using Kind = RuleVerdict::Kind;
  if (at.known()) element_ = at;
  if (v.kind != Kind::continue_) hit(v.kind);
  switch (v.kind) {
    case Kind::continue_: return true;
    case Kind::accept: return end(HookResult::Outcome::accepted, {});
    case Kind::drop: return end(HookResult::Outcome::dropped, {Reason::rule_drops, {chain_->name}});
    case Kind::reject:
      result_.reject_with = v.reject_with;
      return end(HookResult::Outcome::rejected, {Reason::rule_rejects, {chain_->name}});
    case Kind::return_: next_ = Next::returned; return false;
    case Kind::queue: {
      const bool passes =
          ask(ChoicePoint::Kind::unknown, {Branch::queue}, {{{Alternative::accepts}}, {{Alternative::drops}}}) == 0;
      return passes ? end(HookResult::Outcome::accepted, {}) : end(HookResult::Outcome::dropped, {Reason::queue_drops});
    }
    case Kind::jump:
    case Kind::goto_: {
      const Chain* target = around_.index.find(*place_.table, v.chain);
      if (target == nullptr) return end(HookResult::Outcome::inconclusive, {Reason::chain_missing, {v.chain}});
      ++calls_;
      (v.kind == Kind::jump ? call_ : go_to_) = target;
      return false;
    }
  }
  return false;
}

bool ChainWalk::end(HookResult::Outcome outcome, Cause why) {
  next_ = Next::ended;
  result_.outcome = outcome;
  if (outcome == HookResult::Outcome::accepted) return false;
  result_.where = place();
  result_.why = std::move(why);
  result_.evidence = evidence();
  return false;
}

bool ChainWalk::cannot_decide(const Unknown& what) {
  return end(HookResult::Outcome::inconclusive, {Reason::rule_undecided, {what.property, what.name}});
}

bool ChainWalk::cannot_decide(const Evaluated& e, Property asked) {
  return cannot_decide(e.what.property == Property::none ? Unknown{asked} : e.what);
}

ChainWalk::Next ChainWalk::limit_reached() {
  end(HookResult::Outcome::inconclusive, {Reason::chains_loop});
  return Next::ended;
}

// --- notes ---------------------------------------------------------------------------------------------------------
bool ChainWalk::hit(RuleVerdict::Kind kind) {
  around_.record.add(around_.node, Layer::host,
                     RuleHit{hook_, place_.front_end, place_.table->name, chain_->name, rule_, kind, chain_}, evidence());
  return true;
}

Place ChainWalk::place() const { return {PlaceKind::chain, {place_.front_end, place_.table->name, chain_->name}}; }

std::vector<Provenance> ChainWalk::evidence() const {
  std::vector<Provenance> lines{rule_ != nullptr ? rule_->from : chain_->from};
  if (element_.known() && element_ != lines.front()) lines.push_back(element_);
  return lines;
}

// In the chain where the walk is.
std::size_t ChainWalk::ask(ChoicePoint::Kind kind, Statement<Branch> what, std::vector<Option> options) {
  ChoicePoint point;
  point.kind = kind;
  point.node = around_.node;
  point.what = what.kind;
  point.about = place().about;
  point.about.insert(point.about.end(), what.about.begin(), what.about.end());
  point.options = std::move(options);
  point.evidence = evidence();
  return around_.chooser.choose(point);
}

std::size_t ChainWalk::split(Property what, std::vector<Option> options) {
  return ask(ChoicePoint::Kind::split, {Branch::test, {what}}, std::move(options));
}

}  // namespace egt::engine
