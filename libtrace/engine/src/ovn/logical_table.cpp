#include "ovn/logical_table.h"

#include <algorithm>
#include <bit>

namespace egt::engine {
namespace {

using Compare = Condition::Compare;

constexpr std::size_t kMaxValues = 8;  // of one flow in an index

bool is_exact(const Condition& c) {
  const auto* compare = std::get_if<Compare>(&c.node);
  return compare != nullptr && compare->relop == ovn::Relop::eq;
}

// How much a comparison distinguishes flows: ports and addresses much, protocols and connection states little.
int worth(const Compare& c) {
  switch (c.field) {
    case FieldId::eth_type:
    case FieldId::nw_proto:
    case FieldId::ct_state:
    case FieldId::nw_ttl: return 1;
    default: return std::popcount(low64(c.mask)) + std::popcount(high64(c.mask)) + 1;
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
      if (!candidate.empty() && (best.empty() || worth(candidate.front()) > worth(best.front()))) best = std::move(candidate);
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
            if (network.is_resident(name)) return true;
            if (network.is_known_port(name)) return false;
            unknown.asked = true;
            return unknown.resident;
          }};
}

void LogicalTable::note_undecided(std::uint32_t position, const ovn::Expression& match, const Condition& absent,
                                  const LogicalNetwork& network) {
  UnknownPorts present{true};
  const auto behind = std::upper_bound(undecided_.begin(), undecided_.end(), position,
                                       [](std::uint32_t p, const UndecidedFlow& d) { return p < d.position; });
  undecided_.insert(behind, {position, absent, compiler(network, present).compile(match)});
}

const ovn::sb::LogicalFlow* LogicalTable::undecided_before(std::uint32_t position, const FlowKey& packet) const {
  for (const UndecidedFlow& d : undecided_)
    if (d.position <= position && d.absent.holds(packet) != d.resident.holds(packet)) return rows_[d.position];
  return nullptr;
}

bool LogicalTable::index_by_text(std::uint32_t position, const LogicalNetwork& network) {
  const auto needed = network.reader_.needed_terms(rows_[position]->match, datapath_.key);
  if (!needed) return false;
  const auto number = [](const ovn::NeededTerm& t) { return FieldNeed{*t.symbol->field, t.mask, t.value}; };
  const ovn::NeededTerm& first = needed->first;
  const FieldId field = *first.symbol->field;
  const FieldNeed second = needed->second ? number(*needed->second) : FieldNeed{};
  if (first.group != nullptr) {
    index_.add_group(field, network.group_keys(datapath_, *first.group), position);
  } else if (!first.symbol->is_string()) {
    index_.add_value(number(first), position, second);
  } else if (const auto key = network.port_key(datapath_, first.port)) {
    index_.add_value({field, ones(32), *key}, position, second);
  }
  return true;
}

void LogicalTable::index_by_match(std::uint32_t position, const LogicalNetwork& network) {
  const Condition& match = entry_at(position, network).match;
  if (match.is(false)) return;
  const auto needed = needed_of(match);
  if (needed.empty() || worth(needed.front()) == 1) return index_.add_other(position);
  for (const Compare& c : needed) index_.add_value({c.field, c.mask, c.value}, position);
}

void LogicalTable::read(const LogicalNetwork& network) {
  is_read_ = true;
  std::stable_sort(rows_.begin(), rows_.end(), [](const auto* a, const auto* b) { return a->priority > b->priority; });
  entries_.resize(rows_.size());
  for (std::uint32_t i = 0; i < rows_.size(); ++i)
    if (!index_by_text(i, network)) index_by_match(i, network);
}

Condition LogicalTable::read_match(std::uint32_t position, const LogicalNetwork& network) {
  const ovn::sb::LogicalFlow* row = rows_[position];
  const auto match = network.reader_.read_match(row->match, datapath_.key);
  if (!match) {
    network.unread_.add(row);
    return {false};
  }
  UnknownPorts unknown;
  Condition condition = compiler(network, unknown).compile(*match);
  if (unknown.asked && !network.knows_all_of("Port_Binding")) note_undecided(position, *match, condition, network);
  return condition;
}

LogicalTable::Entry& LogicalTable::entry_at(std::uint32_t position, const LogicalNetwork& network) {
  auto& entry = entries_[position];
  if (!entry) {
    entry = std::make_unique<Entry>();
    entry->match = read_match(position, network);
  }
  return *entry;
}

void LogicalTable::read_actions(Entry& entry, std::uint32_t position, const LogicalNetwork& network) const {
  entry.has_actions = true;
  const ovn::sb::LogicalFlow* row = rows_[position];
  auto actions = network.reader_.read_actions(row->actions, pipeline_, number_);
  if (!actions) {
    network.unread_.add(row);
    return;
  }
  entry.usable = true;
  entry.actions = std::move(actions->actions);
  UnknownPorts unknown;
  entry.prerequisites = compiler(network, unknown).compile(actions->prerequisites);
  entry.flow = {row, &entry.actions, entry.match.is(true) && entry.prerequisites.is(true)};
}

bool LogicalTable::applies(std::uint32_t position, const FlowKey& packet, const LogicalNetwork& network) {
  Entry& entry = entry_at(position, network);
  if (!entry.match.holds(packet)) return false;
  if (!entry.has_actions) read_actions(entry, position, network);
  return entry.usable && entry.prerequisites.holds(packet);
}

FoundFlow LogicalTable::lookup(const FlowKey& packet, const LogicalNetwork& network) {
  const std::lock_guard<std::mutex> lock(guard_);
  if (!is_read_) read(network);
  const auto &hits = index_.hits(packet), &others = index_.others();
  auto hit = hits.begin(), other = others.begin();
  while (hit != hits.end() || other != others.end()) {
    const bool take_other = hit == hits.end() || (other != others.end() && *other < *hit);
    const std::uint32_t position = take_other ? *other++ : *hit++;
    if (applies(position, packet, network)) return {&entries_[position]->flow, undecided_before(position, packet)};
  }
  return {nullptr, undecided_before(static_cast<std::uint32_t>(rows_.size()), packet)};
}

}  // namespace egt::engine
