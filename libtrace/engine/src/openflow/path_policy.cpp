#include "path_policy.h"

#include <algorithm>
#include <utility>

#include "learned_flow.h"
#include "rivals.h"

namespace egt::engine {
namespace {

using namespace openflow;

Statement<Alternative> bucket_label(const Bucket& b, std::size_t index) {
  return {Alternative::bucket, {std::uint64_t{b.id.value_or(static_cast<std::uint32_t>(index))}}};
}

}  // namespace

// --- tables --------------------------------------------------------------------------------------------------------

FlowIndex PathPolicy::flow(const Bridge& bridge, std::uint8_t table, const Lookup& hit) {
  const FlowTables& flows = *bridge.flows;
  std::vector<FlowIndex> candidates = rivals_of(flows, hit);
  if (candidates.empty()) return hit.hit;
  candidates.insert(candidates.begin(), hit.hit);
  ChoicePoint p{ChoicePoint::Kind::unknown, node_.name, Branch::equal_priority, {bridge.name, std::uint64_t{table}}};
  for (const FlowIndex i : candidates) {
    p.options.push_back({{Alternative::cookie, {flows.flow(i).cookie}}});
    p.evidence.push_back(flows.flow(i).from);
  }
  return candidates[std::min(choose(p), candidates.size() - 1)];
}

const ofproto::LearnedRule* PathPolicy::learned(const Bridge& bridge, std::uint8_t table, const FlowKey& key,
                                                std::optional<std::uint16_t> above) {
  if (network_state_.learned.empty()) return nullptr;
  const auto it = network_state_.learned.find({node_.name, bridge.name});
  if (it == network_state_.learned.end()) return nullptr;
  std::shared_ptr<const LearnedFlow> best;
  for (const auto& f : it->second) {
    if (f->table != table || (above && f->priority <= *above) || !matches(f->match.view(), key)) continue;
    if (!best || f->priority > best->priority) best = f;
  }
  if (!best) return nullptr;
  UsedRule& used = used_.emplace_back(UsedRule{best, {best->priority, best->cookie, {}, best->from}});
  for (const Action& a : best->actions) used.rule.actions.push_back({&a, nullptr, 0, 0});
  return &used.rule;
}

bool PathPolicy::learn(const Bridge& bridge, const Learn& a, const FlowKey& packet) {
  auto flow = std::make_shared<LearnedFlow>(learned_flow(a, packet));
  const auto evidence = at_.here();
  if (!evidence.empty()) flow->from = evidence.front();
  if (untaken_ == 0) at_.add(LearnFlow{bridge.name, flow}, evidence);
  auto& known = network_state_.learned[{node_.name, bridge.name}];
  std::erase_if(
      known, [&](const auto& f) { return f->table == flow->table && f->priority == flow->priority && f->match == flow->match; });
  known.push_back(std::move(flow));
  return true;
}

// Of what the packet does not take it matters alone whether its translation fails, which drops the packet: one option stands for all.
std::size_t PathPolicy::choose(const ChoicePoint& point) {
  if (untaken_ == 0) return chooser_.choose(point);
  guessed_ |= point.options.size() > 1;
  return 0;
}

void PathPolicy::leave_untaken(bool failed) {
  if (failed && guessed_) at_.recorder().set_undecided();
  if (--untaken_ == 0) guessed_ = false;
}

std::optional<bool> PathPolicy::is_longer_than(std::uint16_t bytes, const FlowKey& flow, int added) {
  ofproto::FrameLength now = length_;
  now.resize(added);
  if (untaken_ == 0) at_.limit(now.largest_packet(bytes, flow));
  const std::optional<std::uint32_t> length = now.compared(flow);
  return length ? std::optional(*length > bytes) : std::nullopt;
}

// --- hashes --------------------------------------------------------------------------------------------------------

ChoicePoint PathPolicy::split(Branch what) const { return {ChoicePoint::Kind::split, node_.name, what, {}, {}, at_.here()}; }

std::size_t PathPolicy::bucket(const Group& group, const std::vector<std::size_t>& live) {
  if (live.size() == 1) return 0;
  double total = 0;
  for (const std::size_t i : live) total += group.buckets[i].weight.value_or(1);
  ChoicePoint point = split(Branch::group);
  point.about = {std::uint64_t{group.id}};
  point.evidence = {group.from};
  for (const std::size_t i : live)
    point.options.push_back({bucket_label(group.buckets[i], i), group.buckets[i].weight.value_or(1) / total});
  return std::min(choose(point), live.size() - 1);
}

std::size_t PathPolicy::member(const Bundle& bundle, const std::vector<std::size_t>& live) {
  ChoicePoint point = split(Branch::bundle);
  for (const std::size_t i : live) {
    const Port& p = bundle.members[i];
    point.options.push_back({p.name.empty() ? Statement<Alternative>{Alternative::port, {std::uint64_t{p.number}}}
                                            : Statement<Alternative>{Alternative::name, {p.name}}});
  }
  return std::min(choose(point), live.size() - 1);
}

std::size_t PathPolicy::link(std::size_t links) {
  constexpr std::size_t kMaxLinks = 64;
  if (links > kMaxLinks && untaken_ == 0) at_.missing({Input::multipath_links});
  ChoicePoint point = split(Branch::multipath);
  for (std::size_t i = 0; i < std::min(links, kMaxLinks); ++i) point.options.push_back({{Alternative::link, {i}}});
  return std::min(choose(point), links - 1);
}

// --- the learning switch ---------------------------------------------------------------------------------------------

std::optional<ofproto::LearnedMac> PathPolicy::learned_mac(const Bridge& bridge, MacAddr mac, std::uint16_t vlan) {
  const auto it = network_state_.fdb.find({node_.name, bridge.name});
  if (it == network_state_.fdb.end()) return std::nullopt;
  for (const FdbEntry& e : it->second)
    if (e.mac == mac && e.vlan == vlan) return ofproto::LearnedMac{e.port, e.from};
  return std::nullopt;
}

std::optional<ofproto::LearnedMac> PathPolicy::presumed_mac(const Bridge& bridge, MacAddr mac) {
  for (const Interface& i : bridge.interfaces) {
    if (i.mac != mac || i.type == "patch" || !i.ofport) continue;
    if (untaken_ == 0) at_.assume({Supposition::mac_learned, {bridge.name, mac, i.name}, {}, at_.here()});
    return ofproto::LearnedMac{*i.ofport, {}};
  }
  return std::nullopt;
}

// Where two ports send with one MAC, as a bridge's device and OVN's gateway router do, the entry is of the port that sent last.
void PathPolicy::used_mac(const Bridge& bridge, const FdbEntry& entry) {
  const auto named = [&](const auto& is) { return std::find_if(bridge.interfaces.begin(), bridge.interfaces.end(), is); };
  const auto learned = named([&](const Interface& i) { return i.ofport == entry.port; });
  const auto own = named([&](const Interface& i) {
    return (i.type == "internal" || i.ofport == openflow::port::local) && i.mac == entry.mac && i.ofport &&
           *i.ofport != entry.port;
  });
  if (learned == bridge.interfaces.end() || own == bridge.interfaces.end() || untaken_ != 0) return;
  at_.assume({Supposition::mac_learned, {bridge.name, entry.mac, learned->name, own->name}, {}, at_.here()});
}

void PathPolicy::saw_mac(const Bridge& bridge, MacAddr mac, std::uint16_t vlan, std::uint32_t port) {
  std::vector<FdbEntry>& fdb = network_state_.fdb[{node_.name, bridge.name}];
  std::erase_if(fdb, [&](const FdbEntry& e) { return e.mac == mac && e.vlan == vlan; });
  fdb.push_back({port, vlan, mac, {}});
}

}  // namespace egt::engine
