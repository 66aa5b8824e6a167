#include "egtrace/engine/netfilter.h"

#include <algorithm>

#include "netfilter_walk.h"

namespace egt::engine {
namespace {

using netfilter::ChainType;
using netfilter::Hook;

bool same_translation(const NatDecision& a, const NatDecision& b) {
  return a.source == b.source && a.kind == b.kind && a.address == b.address && a.port == b.port &&
         a.port_uncertain == b.port_uncertain;
}

// Always takes the first option, and remembers that it was asked.
class FirstChooser : public Chooser {
 public:
  std::size_t choose(const ChoicePoint& point) override {
    if (point.options.size() > 1) asked = true;
    return 0;
  }
  bool asked = false;
};

// --- does the host need connections? -------------------------------------------------------------------------------
bool reads_conntrack(const netfilter::ExprPtr& e, int depth = 0) {
  using netfilter::Key;
  if (!e || depth > 32) return false;
  if (const auto* r = std::get_if<netfilter::Read>(&e->node)) return r->key >= Key::ct_state && r->key <= Key::ct_helper;
  if (const auto* m = std::get_if<netfilter::Masked>(&e->node)) return reads_conntrack(m->operand, depth + 1);
  if (const auto* s = std::get_if<netfilter::Shifted>(&e->node)) return reads_conntrack(s->operand, depth + 1);
  if (const auto* l = std::get_if<netfilter::MapLookup>(&e->node)) {
    return std::any_of(l->key.begin(), l->key.end(), [&](const auto& k) { return reads_conntrack(k, depth + 1); });
  }
  return false;
}
bool any_reads(const std::vector<netfilter::ExprPtr>& exprs) {
  return std::any_of(exprs.begin(), exprs.end(), [](const auto& e) { return reads_conntrack(e); });
}

bool needs_connections(const netfilter::Statement& s) {
  if (std::holds_alternative<netfilter::NatTarget>(s) || std::holds_alternative<netfilter::SetCtMark>(s) ||
      std::holds_alternative<netfilter::CtZone>(s)) {
    return true;
  }
  if (const auto* m = std::get_if<netfilter::SetMark>(&s)) return reads_conntrack(m->value);
  if (const auto* v = std::get_if<netfilter::VerdictMapStatement>(&s)) return any_reads(v->key);
  const auto* t = std::get_if<netfilter::Test>(&s);
  if (t == nullptr) return false;
  if (const auto* c = std::get_if<netfilter::Compare>(t)) return reads_conntrack(c->left);
  if (const auto* in = std::get_if<netfilter::InSet>(t)) return any_reads(in->left);
  return false;
}

bool masquerades(const netfilter::Statement& s) {
  const auto* nat = std::get_if<netfilter::NatTarget>(&s);
  return nat != nullptr && nat->kind == netfilter::NatTarget::Kind::masquerade;
}

bool concerns(netfilter::TableFamily table, Family family) {
  using netfilter::TableFamily;
  return table == TableFamily::inet || table == (family == Family::v4 ? TableFamily::ip : TableFamily::ip6);
}

// Chains that no packet reaches count too: what a rule needs is there as soon as the rule is.
bool any_statement(const netfilter::Ruleset& rules, Family family, bool (*is_it)(const netfilter::Statement&)) {
  for (const auto& table : rules.tables) {
    if (!concerns(table.family, family)) continue;
    for (const auto& chain : table.chains)
      for (const auto& rule : chain.rules)
        if (std::any_of(rule.statements.begin(), rule.statements.end(), is_it)) return true;
  }
  return false;
}

bool any_statement(const host::Host& host, Family family, bool (*is_it)(const netfilter::Statement&)) {
  const bool v4 = family == Family::v4;
  for (const auto* part :
       {v4 ? &host.iptables_v4 : &host.iptables_v6, v4 ? &host.iptables_legacy_v4 : &host.iptables_legacy_v6, &host.nft})
    if (any_statement(part->value, family, is_it)) return true;
  return false;
}

}  // namespace

struct NetfilterEngine::Impl {
  const host::Host& host;
  Family family;
  std::string node;
  Record& record;
  Chooser& chooser;
  std::vector<PlacedChain> chains;
  ChainIndex index;
  bool gaps_noted = false;

  void note_gaps() {
    if (gaps_noted) return;
    gaps_noted = true;
    for (MissingInput& m : missing_rules(host, family, node)) record.gap(std::move(m));
  }

  bool is_due(const PlacedChain& p, Hook hook, NetfilterStage stage, const NetfilterContext& c) const {
    if (*p.chain->hook != hook || p.stage != stage) return false;
    if (p.chain->device.empty()) return true;
    return p.chain->device == (hook == Hook::egress ? c.oif : c.iif);
  }

  HookResult run(Hook hook, NetfilterStage stage, NetfilterContext& context) {
    HookResult result;
    std::vector<const PlacedChain*> due;
    for (const PlacedChain& p : chains)
      if (is_due(p, hook, stage, context)) due.push_back(&p);
    for (std::size_t i = 0; i < due.size(); ++i) {
      settle_order(due, i, hook, context);
      ChainWalk walk({host, family, node, record, chooser, index}, hook, *due[i], context, result);
      walk.run();
      if (!result.goes_on() || result.nat) break;
    }
    return result;
  }

  // Of chains with equal priority the one registered last decides; across tables a listing does not prove which that was.
  // Where another chain would decide differently, both orders are paths.
  void settle_order(std::vector<const PlacedChain*>& due, std::size_t at, Hook hook, const NetfilterContext& context) {
    const PlacedChain& next = *due[at];
    std::optional<HookResult> own;
    for (std::size_t i = at + 1; i < due.size(); ++i) {
      const PlacedChain& other = *due[i];
      if (other.priority != next.priority || other.table == next.table) continue;
      if (!own) own = would_do(next, hook, context);
      if (!decides(*own)) return;
      const HookResult rival = would_do(other, hook, context);
      if (!decides(rival) || decide_alike(*own, rival)) continue;
      ChoicePoint point;
      point.kind = ChoicePoint::Kind::unknown;
      point.node = node;
      point.what = Branch::chain_order;
      for (const PlacedChain* p : {&next, &other}) {
        const Details name = place_of(*p).about;
        point.about.insert(point.about.end(), name.begin(), name.end());
        point.options.push_back({{Alternative::chain, name}});
      }
      for (const HookResult* r : {static_cast<const HookResult*>(&*own), &rival}) {
        const std::vector<Provenance>& lines = r->nat ? r->nat->evidence : r->evidence;
        point.evidence.insert(point.evidence.end(), lines.begin(), lines.end());
      }
      if (chooser.choose(point) == 1) std::swap(due[at], due[i]);
      return;
    }
  }
  static bool decides(const HookResult& r) {
    return r.nat || r.outcome == HookResult::Outcome::dropped || r.outcome == HookResult::Outcome::rejected;
  }
  static bool decide_alike(const HookResult& a, const HookResult& b) {
    if (a.nat.has_value() != b.nat.has_value()) return false;
    return a.nat ? same_translation(*a.nat, *b.nat) : a.outcome == b.outcome && a.reject_with == b.reject_with;
  }
  HookResult would_do(const PlacedChain& other, Hook hook, const NetfilterContext& context) {
    Record unused;
    FirstChooser first;
    FlowKey packet = context.packet;
    std::optional<Connection> connection;
    if (context.connection != nullptr) connection = *context.connection;
    NetfilterContext copy{.packet = packet,
                          .iif = context.iif,
                          .oif = context.oif,
                          .state = context.state,
                          .connection = connection ? &*connection : nullptr,
                          .reply_direction = context.reply_direction,
                          .confirmed = context.confirmed,
                          .zone = context.zone,
                          .local_socket = context.local_socket,
                          .sport_open = context.sport_open,
                          .dport_open = context.dport_open,
                          .length = context.length,
                          .address_type = context.address_type,
                          .route_devices = context.route_devices};
    HookResult result;
    ChainWalk walk({host, family, node, unused, first, index}, hook, other, copy, result);
    walk.run();
    return result;
  }
};

NetfilterEngine::NetfilterEngine(const host::Host& host, Family family, std::string node, NetworkState&, Record& record,
                                 Chooser& chooser)
    : impl_(new Impl{host, family, std::move(node), record, chooser, place_chains(host, family), {}, false}) {}

NetfilterEngine::~NetfilterEngine() = default;

HookResult NetfilterEngine::run(Hook hook, NetfilterStage stage, NetfilterContext& context) {
  impl_->note_gaps();
  return impl_->run(hook, stage, context);
}

bool NetfilterEngine::uses_conntrack() const { return any_statement(impl_->host, impl_->family, needs_connections); }

bool NetfilterEngine::may_masquerade() const { return any_statement(impl_->host, impl_->family, masquerades); }

}  // namespace egt::engine
