#include "ovn/logical_table.h"

#include <algorithm>
#include <bit>


namespace egt::engine {
namespace {

using Compare = Condition::Compare;

constexpr std::size_t kMaxValues = 8;  // of one flow in an index

std::uint64_t digest(U128 v) { return low64(v) * 0x9e3779b97f4a7c15ULL ^ high64(v); }

bool is_exact(const Condition& c) {
  const auto* compare = std::get_if<Compare>(&c.node);
  return compare != nullptr && compare->relop == ovn::Relop::eq;
}

// How much a comparison tells flows apart: ports and addresses much, protocols and connection states little.
int worth(const Compare& c) {
  switch (c.field) {
    case FieldId::eth_type:
    case FieldId::nw_proto:
    case FieldId::ct_state:
    case FieldId::nw_ttl:
      return 1;
    default:
      return std::popcount(low64(c.mask)) + std::popcount(high64(c.mask)) + 1;
  }
}

// Comparisons of which one must hold; empty where the condition gives none.
std::vector<Compare> needed_of(const Condition& c) {
  if (is_exact(c)) return {std::get<Compare>(c.node)};
  const auto* several = std::get_if<Condition::Several>(&c.node);
  if (several == nullptr) return {};
  std::vector<Compare> best;
  if (several->all) {
    for (const Condition& term : several->terms) {
      auto candidate = needed_of(term);
      if (!candidate.empty() && (best.empty() || worth(candidate.front()) > worth(best.front())))
        best = std::move(candidate);
    }
    return best;
  }
  if (several->terms.size() > kMaxValues) return {};
  for (const Condition& term : several->terms) {
    if (!is_exact(term)) return {};
    best.push_back(std::get<Compare>(term.node));
  }
  return best;
}

}  // namespace

ConditionCompiler LogicalTable::compiler(const LogicalNetwork& network, UnknownPorts& unknown) const {
  return {[this, &network](std::string_view name) { return network.port_key(datapath_, name); },
          [this, &network](const ovn::ValueSet& set) -> const std::vector<std::uint32_t>& {
            return network.group_keys(datapath_, set);
          },
          [&network, &unknown](std::string_view name) {
            if (network.is_known_port(name)) return true;
            unknown.asked = true;
            return unknown.resident;
          }};
}

void LogicalTable::note_doubt(const ovn::sb::LogicalFlow& row, const ovn::Expression& match, const Condition& absent,
                              const LogicalNetwork& network) const {
  UnknownPorts present{true};
  doubts_.push_back({&row, static_cast<std::uint32_t>(entries_.size()), absent,
                     compiler(network, present).compile(match)});
}

const ovn::sb::LogicalFlow* LogicalTable::doubt_before(std::uint32_t position, const FlowKey& packet) const {
  for (const Doubt& d : doubts_)
    if (d.before <= position && d.absent.holds(packet) != d.resident.holds(packet)) return d.row;
  return nullptr;
}

void LogicalTable::add_to_probe(const Compare& needed, std::uint32_t position) const {
  auto probe = std::find_if(probes_.begin(), probes_.end(),
                            [&](const Probe& p) { return p.field == needed.field && p.mask == needed.mask; });
  if (probe == probes_.end()) probe = probes_.insert(probe, {needed.field, needed.mask, {}});
  auto& positions = probe->positions[digest(needed.value)];
  if (positions.empty() || positions.back() != position) positions.push_back(position);
}

void LogicalTable::index(std::uint32_t position) const {
  const auto needed = needed_of(entries_[position].match);
  if (needed.empty() || worth(needed.front()) == 1) return unindexed_.push_back(position);
  for (const Compare& c : needed) add_to_probe(c, position);
}

void LogicalTable::read(const LogicalNetwork& network) const {
  is_read_ = true;
  std::stable_sort(rows_.begin(), rows_.end(),
                   [](const auto* a, const auto* b) { return a->priority > b->priority; });
  UnknownPorts unknown;
  const ConditionCompiler compile = compiler(network, unknown);
  const bool knows_ports = network.knows_all_of("Port_Binding");
  for (const ovn::sb::LogicalFlow* row : rows_) {
    const auto match = network.reader_.read_match(row->match, datapath_.key);
    if (!match) {
      network.unread_.push_back(row);
      continue;
    }
    Entry entry;
    entry.row = row;
    unknown.asked = false;
    entry.match = compile.compile(*match);
    if (unknown.asked && !knows_ports) note_doubt(*row, *match, entry.match, network);
    if (entry.match.is(false)) continue;
    entries_.push_back(std::move(entry));
    index(static_cast<std::uint32_t>(entries_.size() - 1));
  }
}

void LogicalTable::read_actions(Entry& entry, const LogicalNetwork& network) const {
  entry.has_actions = true;
  auto actions = network.reader_.read_actions(entry.row->actions, pipeline_, number_);
  if (!actions) {
    network.unread_.push_back(entry.row);
    return;
  }
  entry.usable = true;
  entry.actions = std::move(actions->actions);
  UnknownPorts unknown;
  entry.prerequisites = compiler(network, unknown).compile(actions->prerequisites);
  entry.flow = {entry.row, &entry.actions, entry.match.is(true) && entry.prerequisites.is(true)};
}

bool LogicalTable::applies(Entry& entry, const FlowKey& packet, const LogicalNetwork& network) const {
  if (!entry.match.holds(packet)) return false;
  if (!entry.has_actions) read_actions(entry, network);
  return entry.usable && entry.prerequisites.holds(packet);
}

LogicalNetwork::FoundFlow LogicalTable::lookup(const FlowKey& packet, const LogicalNetwork& network) const {
  if (!is_read_) read(network);
  std::vector<std::uint32_t> candidates;
  for (const Probe& probe : probes_) {
    const auto found = probe.positions.find(digest(packet.get(probe.field) & probe.mask));
    if (found != probe.positions.end()) candidates.insert(candidates.end(), found->second.begin(), found->second.end());
  }
  std::sort(candidates.begin(), candidates.end());
  auto next = candidates.begin();
  auto other = unindexed_.begin();
  while (next != candidates.end() || other != unindexed_.end()) {
    const bool take_other = next == candidates.end() || (other != unindexed_.end() && *other < *next);
    const std::uint32_t position = take_other ? *other++ : *next++;
    Entry& entry = entries_[position];
    if (applies(entry, packet, network)) return {&entry.flow, doubt_before(position, packet)};
  }
  return {nullptr, doubt_before(static_cast<std::uint32_t>(entries_.size()), packet)};
}

}  // namespace egt::engine
