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

// Whether the rule names this packet's source; a rule without such a test says nothing about the packet.
bool names_source(const netfilter::Rule& rule, const IpAddr& src) {
  const netfilter::Key key = src.is_v4() ? netfilter::Key::ip_saddr : netfilter::Key::ip6_saddr;
  for (const netfilter::Statement& s : rule.statements) {
    const auto* test = std::get_if<netfilter::Test>(&s);
    const auto* compare = test == nullptr ? nullptr : std::get_if<netfilter::Compare>(test);
    if (compare != nullptr && compare->op == netfilter::Op::eq && reads(compare->left, key) && covers(compare->right, src))
      return true;
  }
  return false;
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

void judge_ruleset(const Node& node, const netfilter::Ruleset& rules, const char* front_end, const FlowKey& packet,
                   std::vector<JudgedRule>& out) {
  for (const netfilter::Table& table : rules.tables)
    for (const netfilter::Chain& chain : table.chains)
      for (const netfilter::Rule& rule : chain.rules)
        for (const netfilter::Statement& s : rule.statements) {
          const auto* target = std::get_if<netfilter::NatTarget>(&s);
          if (target == nullptr || !names_source(rule, src_ip(packet))) continue;
          using Kind = netfilter::NatTarget::Kind;
          if (target->kind == Kind::snat || target->kind == Kind::masquerade)
            out.push_back({&node, &table, &chain, &rule, target, front_end, out_device(rule)});
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

std::vector<JudgedRule> judge_source_nat(const cluster::Cluster& cluster, const FlowKey& first) {
  std::vector<JudgedRule> all;
  for (const auto& node : cluster.nodes) {
    const bool v4 = src_ip(first).is_v4();
    judge_ruleset(*node, (v4 ? node->host.iptables_v4 : node->host.iptables_v6).value, "iptables", first, all);
    judge_ruleset(*node, node->host.nft.value, "nft", first, all);
  }
  return all;
}

}  // namespace egt::engine
