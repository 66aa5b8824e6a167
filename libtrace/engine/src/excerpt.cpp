#include "egtrace/engine/excerpt.h"

#include <algorithm>
#include <initializer_list>
#include <map>

#include "egtrace/host/rule_view.h"
#include "host/netfilter_match.h"

namespace egt::engine {
namespace {

using cluster::Node;
using openflow::Bridge;
using openflow::FlowEntry;
using openflow::FlowIndex;
using openflow::MatchView;

// Fields of which a first packet's value is certain wherever it is, before anything translates it.
constexpr FieldId kCertain[] = {FieldId::eth_type, FieldId::nw_proto, FieldId::ip_src, FieldId::ip_dst, FieldId::ipv6_src,
                                FieldId::ipv6_dst, FieldId::tp_src,   FieldId::tp_dst, FieldId::ip_frag};
// A first packet is neither an answer nor part of an established connection, whichever zone is asked.
constexpr std::uint32_t kNeverFirst = ct_state::est | ct_state::rpl | ct_state::rel;
constexpr FieldId kOpen[] = {
    FieldId::in_port, FieldId::metadata, FieldId::reg0,   FieldId::reg1,   FieldId::reg2,    FieldId::reg3,    FieldId::reg4,
    FieldId::reg5,    FieldId::reg6,     FieldId::reg7,   FieldId::reg8,   FieldId::reg9,    FieldId::reg10,   FieldId::reg11,
    FieldId::reg12,   FieldId::reg13,    FieldId::reg14,  FieldId::reg15,  FieldId::eth_src, FieldId::eth_dst, FieldId::pkt_mark,
    FieldId::ct_mark, FieldId::ct_label, FieldId::tun_id, FieldId::nw_ttl, FieldId::vlan_tci};

void judge(JudgedFlow& judged, MatchView match, const FlowKey& packet) {
  for (const FieldId id : kCertain) {
    const U128 mask = openflow::mask_of(match, id);
    if (mask != 0 && (packet.get(id) & mask) != openflow::value_of(match, id)) judged.conflicts.push_back(id);
  }
  const U128 state_mask = openflow::mask_of(match, FieldId::ct_state);
  if (state_mask != 0) {
    const U128 wanted = openflow::value_of(match, FieldId::ct_state);
    if ((wanted & state_mask & kNeverFirst) != 0)
      judged.conflicts.push_back(FieldId::ct_state);
    else
      judged.open.push_back(FieldId::ct_state);
  }
  for (const FieldId id : kOpen)
    if (openflow::mask_of(match, id) != 0) judged.open.push_back(id);
  if (!judged.conflicts.empty())
    judged.matches = Truth::no;
  else
    judged.matches = judged.open.empty() ? Truth::yes : Truth::unknown;
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
    std::map<U128, bool> taken;  // logical datapath → a flow of higher priority may match
    for (const FlowIndex i : bridge.flows->in_table(static_cast<std::uint8_t>(table))) {
      const FlowEntry& f = bridge.flows->flow(i);
      const MatchView match = openflow::match_of(f);
      JudgedFlow j;
      j.node = &node;
      j.bridge = &bridge;
      j.flow = i;
      judge(j, match, packet);
      j.bookkeeping = counts_mac_use(match, openflow::actions_text(f));
      bool& higher = taken[openflow::value_of(match, FieldId::metadata)];
      j.shadowed = higher;
      if (j.matches != Truth::no) higher = true;
      judged.push_back(std::move(j));
    }
  }
  return judged;
}

// A rule judged by the headers of the packet alone, and of those by the ones that `known` lists.
class LoneRule {
 public:
  using Key = netfilter::Key;
  LoneRule(const Node& node, const netfilter::Rule& rule, const FlowKey& packet, std::initializer_list<Key> known)
      : node_(node), rule_(rule), packet_(packet), known_(known) {}

  // Whether the rule names this part of the packet, and the packet has what it names.
  bool names(Key key) const {
    return std::any_of(rule_.statements.begin(), rule_.statements.end(),
                       [&](const netfilter::Statement& s) { return asks_for(s, key) && truth_of(s) == Truth::yes; });
  }
  bool conflicts() const {
    return std::any_of(rule_.statements.begin(), rule_.statements.end(),
                       [&](const netfilter::Statement& s) { return truth_of(s) == Truth::no; });
  }
  // What a map holds for the packet, by whichever device it leaves.
  struct Mapped {
    IpAddr address;
    std::string out_device;
    const netfilter::SetElement* element = nullptr;
  };
  std::vector<Mapped> mapped(const netfilter::NatTarget& target) const;

 private:
  bool can_read(const netfilter::ExprPtr& e) const;
  bool can_read(const std::vector<netfilter::ExprPtr>& all) const {
    return std::all_of(all.begin(), all.end(), [&](const auto& e) { return can_read(e); });
  }
  bool holds(const netfilter::ExprPtr& e, const netfilter::Atom& value) const;
  std::optional<Mapped> element_for_packet(const netfilter::MapLookup& lookup, const netfilter::SetElement& element) const;
  static bool reads(const netfilter::ExprPtr& e, Key key);
  static bool asks_for(const netfilter::Statement& s, Key key);
  Truth truth_of(const netfilter::Statement& s) const;
  Family family() const { return family_of(packet_); }

  const Node& node_;
  const netfilter::Rule& rule_;
  const FlowKey& packet_;
  std::vector<Key> known_;
};

bool LoneRule::can_read(const netfilter::ExprPtr& e) const {
  if (e == nullptr) return false;
  if (const auto* read = std::get_if<netfilter::Read>(&e->node))
    return std::find(known_.begin(), known_.end(), read->key) != known_.end();
  const auto* masked = std::get_if<netfilter::Masked>(&e->node);
  return masked != nullptr && can_read(masked->operand);
}

bool LoneRule::reads(const netfilter::ExprPtr& e, Key key) {
  if (e == nullptr) return false;
  if (const auto* read = std::get_if<netfilter::Read>(&e->node)) return read->key == key;
  const auto* masked = std::get_if<netfilter::Masked>(&e->node);
  return masked != nullptr && reads(masked->operand, key);
}

bool LoneRule::asks_for(const netfilter::Statement& s, Key key) {
  const auto* test = std::get_if<netfilter::Test>(&s);
  if (test == nullptr) return false;
  if (const auto* c = std::get_if<netfilter::Compare>(test)) return c->op == netfilter::Op::eq && reads(c->left, key);
  const auto* in = std::get_if<netfilter::InSet>(test);
  return in != nullptr && !in->negate &&
         std::any_of(in->left.begin(), in->left.end(), [&](const auto& e) { return reads(e, key); });
}

Truth LoneRule::truth_of(const netfilter::Statement& s) const {
  const auto* t = std::get_if<netfilter::Test>(&s);
  if (t == nullptr) return Truth::unknown;
  const auto* c = std::get_if<netfilter::Compare>(t);
  const auto* in = std::get_if<netfilter::InSet>(t);
  if ((c == nullptr || !can_read(c->left)) && (in == nullptr || !can_read(in->left))) return Truth::unknown;
  FlowKey packet = packet_;
  const NetfilterContext around{packet};
  return test(*t, {node_.host, family(), netfilter::Hook::postrouting, around}).truth;
}

bool LoneRule::holds(const netfilter::ExprPtr& e, const netfilter::Atom& value) const {
  FlowKey packet = packet_;
  const NetfilterContext around{packet};
  return test(netfilter::Compare{e, netfilter::Op::eq, value}, {node_.host, family(), netfilter::Hook::postrouting, around})
             .truth == Truth::yes;
}

std::optional<LoneRule::Mapped> LoneRule::element_for_packet(const netfilter::MapLookup& lookup,
                                                             const netfilter::SetElement& element) const {
  if (!element.data || element.data->empty() || element.key.size() != lookup.key.size()) return std::nullopt;
  const auto* address = std::get_if<netfilter::Number>(&element.data->front());
  if (address == nullptr) return std::nullopt;
  Mapped found{{family(), *address}, {}, &element};
  for (std::size_t i = 0; i < lookup.key.size(); ++i) {
    const auto* device = std::get_if<netfilter::Text>(&element.key[i]);
    if (device != nullptr && reads(lookup.key[i], Key::oifname))
      found.out_device = device->value + (device->wildcard ? "*" : "");
    else if (!holds(lookup.key[i], element.key[i]))
      return std::nullopt;
  }
  return found;
}

std::vector<LoneRule::Mapped> LoneRule::mapped(const netfilter::NatTarget& target) const {
  const auto* value = std::get_if<netfilter::ExprPtr>(&target.address);
  const auto* lookup = value == nullptr || *value == nullptr ? nullptr : std::get_if<netfilter::MapLookup>(&(*value)->node);
  const bool readable =
      lookup != nullptr && lookup->map != nullptr &&
      std::all_of(lookup->key.begin(), lookup->key.end(), [&](const auto& e) { return can_read(e) || reads(e, Key::oifname); });
  std::vector<Mapped> all;
  if (!readable || (target.family && *target.family != family())) return all;
  for (const netfilter::SetElement& element : lookup->map->elements)
    if (auto found = element_for_packet(*lookup, element)) all.push_back(std::move(*found));
  return all;
}

std::string out_device(const netfilter::Rule& rule) {
  for (const netfilter::Statement& s : rule.statements)
    if (std::string device = netfilter::asked_device(s, netfilter::Key::oifname); !device.empty()) return device;
  return {};
}

using Judge = std::vector<JudgedRule> (*)(const Node&, const netfilter::NatTarget&, const netfilter::Rule&, const FlowKey&);

// Whether the translation is one of this packet's source or destination, as far as its own rule shows.
std::vector<JudgedRule> judge_by(const LoneRule& alone, const netfilter::NatTarget& target, const netfilter::Rule& rule,
                                 netfilter::Key address) {
  if (alone.conflicts()) return {};
  std::vector<JudgedRule> all;
  JudgedRule judged;
  judged.rule = &rule;
  judged.target = &target;
  judged.out_device = out_device(rule);
  for (const LoneRule::Mapped& one : alone.mapped(target)) {
    all.push_back(judged);
    all.back().mapped = one.address;
    all.back().element = one.element;
    if (!one.out_device.empty()) all.back().out_device = one.out_device;
  }
  if (all.empty() && alone.names(address)) all.push_back(std::move(judged));
  return all;
}

std::vector<JudgedRule> judge_source(const Node& node, const netfilter::NatTarget& target, const netfilter::Rule& rule,
                                     const FlowKey& packet) {
  using netfilter::Key;
  if (!netfilter::translates_source(target)) return {};
  const Key address = src_ip(packet).is_v4() ? Key::ip_saddr : Key::ip6_saddr;
  return judge_by(LoneRule(node, rule, packet, {Key::ip_saddr, Key::ip6_saddr}), target, rule, address);
}

std::vector<JudgedRule> judge_target(const Node& node, const netfilter::NatTarget& target, const netfilter::Rule& rule,
                                     const FlowKey& packet) {
  using netfilter::Key;
  const bool source = netfilter::translates_source(target), v4 = src_ip(packet).is_v4();
  if (!source && target.kind != netfilter::NatTarget::Kind::dnat) return {};
  if (target.family && *target.family != family_of(packet)) return {};
  const Key address = v4 ? (source ? Key::ip_saddr : Key::ip_daddr) : (source ? Key::ip6_saddr : Key::ip6_daddr);
  const LoneRule alone(node, rule, packet,
                       {Key::ip_saddr, Key::ip_daddr, Key::ip6_saddr, Key::ip6_daddr, Key::l4proto, Key::ip_protocol,
                        Key::ip6_nexthdr, Key::sport, Key::dport});
  return judge_by(alone, target, rule, address);
}

void judge_ruleset(const Node& node, const netfilter::Ruleset& rules, const char* front_end, const FlowKey& packet,
                   Judge judge_rule, std::vector<JudgedRule>& out) {
  for (const netfilter::Table& table : rules.tables)
    for (const netfilter::Chain& chain : table.chains)
      for (const netfilter::Rule& rule : chain.rules)
        for (const netfilter::Statement& s : rule.statements) {
          const auto* target = std::get_if<netfilter::NatTarget>(&s);
          if (target == nullptr) continue;
          for (JudgedRule& judged : judge_rule(node, *target, rule, packet)) {
            judged.node = &node;
            judged.table = &table;
            judged.chain = &chain;
            judged.front_end = front_end;
            out.push_back(std::move(judged));
          }
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

void judge_rules(const Node& node, const FlowKey& first, Judge judge_rule, std::vector<JudgedRule>& all) {
  const bool v4 = src_ip(first).is_v4();
  judge_ruleset(node, (v4 ? node.host.iptables_v4 : node.host.iptables_v6).value, "iptables", first, judge_rule, all);
  judge_ruleset(node, node.host.nft.value, "nft", first, judge_rule, all);
}

}  // namespace

std::vector<JudgedRule> judge_source_nat(const Node& node, const FlowKey& first) {
  std::vector<JudgedRule> all;
  judge_rules(node, first, judge_source, all);
  return all;
}

std::vector<JudgedRule> judge_nat(const cluster::Cluster& cluster, const FlowKey& first) {
  std::vector<JudgedRule> all;
  for (const auto& node : cluster.nodes) judge_rules(*node, first, judge_target, all);
  return all;
}

}  // namespace egt::engine
