#include "lookup/references.h"

#include <algorithm>

#include "egtrace/base/text.h"
#include "egtrace/ovn/southbound.h"
#include "in_pieces.h"

namespace egt::explain {
namespace {

constexpr std::size_t kUuidLength = 36, kHintLength = 8;

bool is_of_uuid(char c) { return is_hex_digit(c) || c == '-'; }
bool is_of_set(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-' || c == '.';
}

// How matches call a row: sets by name behind '$' or '@'; empty for other rows.
std::string set_reference(const ovn::Row& row) {
  if (row.table == "Address_Set") return "$" + text_of(row, "name");
  if (row.table == "Port_Group") return "@" + text_of(row, "name");
  return {};
}

template <class T>
void add_once(std::vector<const T*>& all, const T& one) {
  if (all.empty() || all.back() != &one) all.push_back(&one);
}

}  // namespace

References::References(const cluster::Node& node, const std::vector<const ovn::Row*>& asked) {
  if (asked.empty()) return;
  sets_.reserve(asked.size());
  for (const ovn::Row* row : asked) note(*row);
  const auto go_through = [&](const auto& list, const auto& look) {
    for (const Found& found : in_pieces_of<Found>(list, look)) add(found);
  };
  for (const auto* all : {&node.ovn.rows, &node.ovs_rows})
    for (const ovn::Rows::Table& table : all->tables())
      go_through(table.rows(), [&](const ovn::Row& r, Found& found) { row(r, found); });
  go_through(node.ovn.logical_flows, [&](const ovn::LogicalFlow& f, Found& found) { logical_flow(f, found); });
}

void References::add(const Found& found) {
  for (const auto& [uses, row] : found.rows) add_once(uses->rows, *row);
  for (const auto& [uses, flow] : found.flows) add_once(uses->flows, *flow);
}

void References::note(const ovn::Row& asked) {
  RowUses* const uses = &uses_[&asked];
  const std::string_view uuid = asked.uuid;
  if (!uuid.empty()) by_uuid_[uuid].emplace_back(&asked, uses);
  if (asked.database == "NB" && uuid.size() >= kHintLength) by_hint_[uuid.substr(0, kHintLength)].emplace_back(&asked, uses);
  if (std::string set = set_reference(asked); !set.empty())
    by_set_[sets_.emplace_back(std::move(set))].emplace_back(&asked, uses);
}

void References::row(const ovn::Row& row, Found& found) const {
  const auto use = [&](const Asked& asked) {
    for (const auto& [to, uses] : asked)
      if (to != &row && (to->uuid.empty() || to->uuid != row.uuid)) found.rows.emplace_back(uses, &row);
  };
  for (const auto& [name, value] : row.columns) uuids_in(value, use);
  if (const auto match = row.columns.find("match")) sets_in(*match, use);
}

void References::logical_flow(const ovn::LogicalFlow& flow, Found& found) const {
  const auto use = [&](const Asked& asked) {
    for (const auto& [to, uses] : asked) found.flows.emplace_back(uses, &flow);
  };
  sets_in(flow.match, use);
  const std::string_view hint = flow.origin ? flow.origin->stage_hint : std::string_view();
  if (const auto rows = by_hint_.find(hint); !hint.empty() && rows != by_hint_.end()) use(rows->second);
}

// The first dash of a UUID stands behind eight digits.
template <class Use>
void References::uuids_in(std::string_view text, const Use& use) const {
  for (std::size_t dash = text.find('-', kHintLength); dash != std::string_view::npos; dash = text.find('-', dash + 1)) {
    const std::size_t begin = dash - kHintLength, end = begin + kUuidLength;
    if (end > text.size()) return;
    if ((begin > 0 && is_of_uuid(text[begin - 1])) || (end < text.size() && is_of_uuid(text[end]))) continue;
    if (const auto found = by_uuid_.find(text.substr(begin, kUuidLength)); found != by_uuid_.end()) use(found->second);
  }
}

template <class Use>
void References::sets_in(std::string_view text, const Use& use) const {
  if (by_set_.empty()) return;
  for (std::size_t at = text.find_first_of("$@"); at != std::string_view::npos; at = text.find_first_of("$@", at + 1)) {
    std::size_t end = at + 1;
    while (end < text.size() && is_of_set(text[end])) ++end;
    while (end > at + 1 && text[end - 1] == '.') --end;
    if (const auto found = by_set_.find(text.substr(at, end - at)); found != by_set_.end()) use(found->second);
  }
}

}  // namespace egt::explain
