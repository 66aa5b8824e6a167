#include "egtrace/engine/excerpt.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace egt::engine {
namespace {

using cluster::Node;
using openflow::Bridge;
using openflow::FlowEntry;
using openflow::FlowIndex;
using openflow::MatchView;

// Fields of which a first packet's value is certain wherever it is, before anything translates it.
constexpr FieldId kCertain[] = {FieldId::eth_type, FieldId::nw_proto, FieldId::ip_src, FieldId::ip_dst, FieldId::ipv6_src,
                                FieldId::ipv6_dst, FieldId::tp_src, FieldId::tp_dst, FieldId::ip_frag};
// A first packet is neither an answer nor part of an established connection, whichever zone is asked.
constexpr std::uint32_t kNeverFirst = ct_state::est | ct_state::rpl | ct_state::rel;
constexpr FieldId kOpen[] = {FieldId::in_port, FieldId::metadata, FieldId::reg0, FieldId::reg1, FieldId::reg2, FieldId::reg3,
                             FieldId::reg4, FieldId::reg5, FieldId::reg6, FieldId::reg7, FieldId::reg8, FieldId::reg9,
                             FieldId::reg10, FieldId::reg11, FieldId::reg12, FieldId::reg13, FieldId::reg14,
                             FieldId::reg15, FieldId::eth_src, FieldId::eth_dst, FieldId::pkt_mark, FieldId::ct_mark,
                             FieldId::ct_label, FieldId::tun_id, FieldId::nw_ttl, FieldId::vlan_tci};

void judge(JudgedFlow& judged, MatchView match, const FlowKey& packet) {
  for (const FieldId id : kCertain) {
    const U128 mask = openflow::mask_of(match, id);
    if (mask != 0 && (packet.get(id) & mask) != openflow::value_of(match, id)) judged.contradicts.push_back(id);
  }
  const U128 state_mask = openflow::mask_of(match, FieldId::ct_state);
  if (state_mask != 0) {
    const U128 wanted = openflow::value_of(match, FieldId::ct_state);
    if ((wanted & state_mask & kNeverFirst) != 0) judged.contradicts.push_back(FieldId::ct_state);
    else judged.open.push_back(FieldId::ct_state);
  }
  for (const FieldId id : kOpen)
    if (openflow::mask_of(match, id) != 0) judged.open.push_back(id);
  if (!judged.contradicts.empty()) judged.matches = Truth::no;
  else judged.matches = judged.open.empty() ? Truth::yes : Truth::unknown;
}

// MAC_CACHE_USE flows of OVN (controller/lflow.c, consider_neighbor_flow): they match the neighbour's port, datapath,
// MAC and IP, and do nothing; the counters are what they are for.
bool counts_mac_use(MatchView match, std::string_view actions) {
  if (actions != "drop") return false;
  const auto exact = [&](FieldId id) { return openflow::mask_of(match, id) == ones(field(id).bits); };
  const bool ip = exact(FieldId::ip_src) || exact(FieldId::ipv6_src);
  return exact(FieldId::reg14) && exact(FieldId::metadata) && exact(FieldId::eth_src) && ip &&
         openflow::mask_of(match, FieldId::ip_dst) == 0 && openflow::mask_of(match, FieldId::ct_state) == 0;
}

std::vector<JudgedFlow> judge_bridge(const Node& node, const Bridge& bridge, const FlowKey& packet) {
  std::vector<JudgedFlow> judged;
  for (int table = 0; table < 256; ++table) {
    std::map<U128, bool> taken;   // logical datapath → a flow of higher priority may match
    for (const FlowIndex i : bridge.flows->in_table(static_cast<std::uint8_t>(table))) {
      const FlowEntry& f = bridge.flows->flow(i);
      const MatchView match = bridge.flows->match(f);
      JudgedFlow j;
      j.node = &node;
      j.bridge = &bridge;
      j.flow = i;
      judge(j, match, packet);
      j.bookkeeping = counts_mac_use(match, bridge.flows->actions_text(f));
      bool& higher = taken[openflow::value_of(match, FieldId::metadata)];
      j.beaten = higher;
      if (j.matches != Truth::no) higher = true;
      judged.push_back(std::move(j));
    }
  }
  return judged;
}

// The value that a comparison asks for, as a range.
bool covers(const netfilter::Atom& atom, const IpAddr& a) {
  if (const auto* n = std::get_if<netfilter::Number>(&atom)) return *n == a.value;
  if (const auto* r = std::get_if<netfilter::NumberRange>(&atom)) return r->first <= a.value && a.value <= r->last;
  return std::holds_alternative<netfilter::Wildcard>(atom);
}

bool reads(const netfilter::ExprPtr& e, netfilter::Key key) {
  if (e == nullptr) return false;
  if (const auto* read = std::get_if<netfilter::Read>(&e->node)) return read->key == key;
  if (const auto* masked = std::get_if<netfilter::Masked>(&e->node)) return reads(masked->operand, key);
  return false;
}

const netfilter::Compare* equality(const netfilter::Statement& s) {
  const auto* test = std::get_if<netfilter::Test>(&s);
  const auto* compare = test == nullptr ? nullptr : std::get_if<netfilter::Compare>(test);
  return compare != nullptr && compare->op == netfilter::Op::eq ? compare : nullptr;
}

// Whether the rule names this address of the packet; a rule without such a test says nothing about the packet.
bool names(const netfilter::Rule& rule, netfilter::Key key, const IpAddr& address) {
  return std::any_of(rule.statements.begin(), rule.statements.end(), [&](const netfilter::Statement& s) {
    const netfilter::Compare* c = equality(s);
    return c != nullptr && reads(c->left, key) && covers(c->right, address);
  });
}

// Whether a test of the rule asks for another protocol, port or address than the packet has.
bool contradicts(const netfilter::Rule& rule, const FlowKey& packet) {
  using netfilter::Key;
  const Tuple t = tuple_of(packet);
  const bool v4 = t.src.is_v4();
  const std::pair<Key, U128> known[] = {{Key::l4proto, t.proto}, {Key::sport, t.sport}, {Key::dport, t.dport},
                                        {v4 ? Key::ip_saddr : Key::ip6_saddr, t.src.value},
                                        {v4 ? Key::ip_daddr : Key::ip6_daddr, t.dst.value}};
  return std::any_of(rule.statements.begin(), rule.statements.end(), [&](const netfilter::Statement& s) {
    const netfilter::Compare* c = equality(s);
    if (c == nullptr || !std::holds_alternative<netfilter::Read>(c->left->node)) return false;
    const auto* number = std::get_if<netfilter::Number>(&c->right);
    const auto* range = std::get_if<netfilter::NumberRange>(&c->right);
    if (number == nullptr && range == nullptr) return false;
    const U128 first = number != nullptr ? *number : range->first, last = number != nullptr ? *number : range->last;
    return std::any_of(std::begin(known), std::end(known), [&](const auto& fact) {
      return reads(c->left, fact.first) && (fact.second < first || last < fact.second);
    });
  });
}

// What the map of a translation holds for this address, where the address alone is its key.
std::optional<IpAddr> mapped(const netfilter::NatTarget& target, netfilter::Key key, const IpAddr& address) {
  const auto* value = std::get_if<netfilter::ExprPtr>(&target.address);
  const auto* lookup = value == nullptr || *value == nullptr ? nullptr : std::get_if<netfilter::MapLookup>(&(*value)->node);
  if (lookup == nullptr || lookup->map == nullptr || lookup->key.size() != 1 || !reads(lookup->key[0], key)) return std::nullopt;
  for (const netfilter::SetElement& e : lookup->map->elements) {
    if (e.key.size() != 1 || !covers(e.key[0], address) || !e.data || e.data->empty()) continue;
    if (const auto* number = std::get_if<netfilter::Number>(&e.data->front())) return IpAddr{address.family, *number};
  }
  return std::nullopt;
}

std::string out_device(const netfilter::Rule& rule) {
  for (const netfilter::Statement& s : rule.statements) {
    const auto* test = std::get_if<netfilter::Test>(&s);
    const auto* compare = test == nullptr ? nullptr : std::get_if<netfilter::Compare>(test);
    if (compare == nullptr || compare->op != netfilter::Op::eq || !reads(compare->left, netfilter::Key::oifname)) continue;
    if (const auto* text = std::get_if<netfilter::Text>(&compare->right)) return text->value;
  }
  return {};
}

using Judge = std::optional<JudgedRule> (*)(const netfilter::NatTarget&, const netfilter::Rule&, const FlowKey&);

bool sets_source(const netfilter::NatTarget& target) {
  return target.kind == netfilter::NatTarget::Kind::snat || target.kind == netfilter::NatTarget::Kind::masquerade;
}

std::optional<JudgedRule> judge_source(const netfilter::NatTarget& target, const netfilter::Rule& rule, const FlowKey& packet) {
  const IpAddr src = src_ip(packet);
  if (!sets_source(target) || !names(rule, src.is_v4() ? netfilter::Key::ip_saddr : netfilter::Key::ip6_saddr, src))
    return std::nullopt;
  JudgedRule judged;
  judged.rule = &rule;
  judged.target = &target;
  return judged;
}

// Whether the translation is one of this packet's source or destination, as far as its own rule tells.
std::optional<JudgedRule> judge_target(const netfilter::NatTarget& target, const netfilter::Rule& rule, const FlowKey& packet) {
  using netfilter::Key;
  const bool source = sets_source(target);
  if (!source && target.kind != netfilter::NatTarget::Kind::dnat) return std::nullopt;
  const IpAddr address = source ? src_ip(packet) : dst_ip(packet);
  if (target.family && *target.family != address.family) return std::nullopt;
  const Key key = address.is_v4() ? (source ? Key::ip_saddr : Key::ip_daddr) : (source ? Key::ip6_saddr : Key::ip6_daddr);
  JudgedRule judged;
  judged.rule = &rule;
  judged.target = &target;
  judged.mapped = mapped(target, key, address);
  if ((!judged.mapped && !names(rule, key, address)) || contradicts(rule, packet)) return std::nullopt;
  return judged;
}

void judge_ruleset(const Node& node, const netfilter::Ruleset& rules, const char* front_end, const FlowKey& packet,
                   Judge judge_rule, std::vector<JudgedRule>& out) {
  for (const netfilter::Table& table : rules.tables)
    for (const netfilter::Chain& chain : table.chains)
      for (const netfilter::Rule& rule : chain.rules)
        for (const netfilter::Statement& s : rule.statements) {
          const auto* target = std::get_if<netfilter::NatTarget>(&s);
          auto judged = target == nullptr ? std::nullopt : judge_rule(*target, rule, packet);
          if (!judged) continue;
          judged->node = &node;
          judged->table = &table;
          judged->chain = &chain;
          judged->front_end = front_end;
          judged->out_device = out_device(rule);
          out.push_back(std::move(*judged));
        }
}

}  // namespace

std::vector<JudgedFlow> judge_flows(const cluster::Cluster& cluster, const FlowKey& first) {
  std::vector<JudgedFlow> all;
  for (const auto& node : cluster.nodes)
    for (const Bridge& bridge : node->bridges)
      if (bridge.flows)
        for (JudgedFlow& j : judge_bridge(*node, bridge, first)) all.push_back(std::move(j));
  return all;
}

namespace {

std::vector<JudgedRule> judge_rules(const cluster::Cluster& cluster, const FlowKey& first, Judge judge_rule) {
  std::vector<JudgedRule> all;
  const bool v4 = src_ip(first).is_v4();
  for (const auto& node : cluster.nodes) {
    judge_ruleset(*node, (v4 ? node->host.iptables_v4 : node->host.iptables_v6).value, "iptables", first, judge_rule, all);
    judge_ruleset(*node, node->host.nft.value, "nft", first, judge_rule, all);
  }
  return all;
}

}  // namespace

std::vector<JudgedRule> judge_source_nat(const cluster::Cluster& cluster, const FlowKey& first) {
  return judge_rules(cluster, first, judge_source);
}

std::vector<JudgedRule> judge_nat(const cluster::Cluster& cluster, const FlowKey& first) {
  return judge_rules(cluster, first, judge_target);
}

}  // namespace egt::engine
