#include "lookup/references.h"

#include <algorithm>
#include <iterator>

#include "egtrace/base/text.h"
#include "egtrace/ovn/southbound.h"

namespace egt::explain {
namespace {

constexpr std::size_t kUuidLength = 36;

bool is_set_char(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-' || c == '.';
}

}  // namespace

References::References(const cluster::Node& node) : node_(node) {
  std::uint32_t number = 0;
  for (const auto* all : {&node.ovn.rows, &node.ovs_rows})
    for (const ovn::Row& row : *all) {
      for (const auto& [name, value] : row.columns) add_uuids(value, number, rows_);
      if (const auto match = row.columns.find("match"); match != row.columns.end()) add_sets(match->second, number, rows_);
      ++number;
    }
  std::uint32_t flow = 0;
  for (const ovn::LogicalFlow& f : node.ovn.logical_flows) {
    add_sets(f.match, flow, flows_);
    if (const ovn::FlowOrigin* origin = ovn::origin_of(node.ovn, f); origin != nullptr && !origin->stage_hint.empty())
      flows_[std::string(origin->stage_hint)].push_back(flow);
    ++flow;
  }
}

void References::add_uuids(std::string_view text, std::uint32_t number, ByWord& into) {
  const auto is_of_uuid = [](char c) { return is_hex_digit(c) || c == '-'; };
  while (text.size() >= kUuidLength) {
    const auto begin = std::find_if(text.begin(), text.end(), is_of_uuid);
    const auto end = std::find_if_not(begin, text.end(), is_of_uuid);
    if (end - begin == kUuidLength && *(begin + 8) == '-')
      if (Numbers& numbers = into[std::string(begin, end)]; numbers.empty() || numbers.back() != number)
        numbers.push_back(number);
    text = {end, text.end()};
  }
}

void References::add_sets(std::string_view text, std::uint32_t number, ByWord& into) {
  for (std::size_t at = text.find_first_of("$@"); at != std::string_view::npos; at = text.find_first_of("$@", at + 1)) {
    std::size_t end = at + 1;
    while (end < text.size() && is_set_char(text[end])) ++end;
    while (end > at + 1 && text[end - 1] == '.') --end;
    if (Numbers& numbers = into[std::string(text.substr(at, end - at))]; numbers.empty() || numbers.back() != number)
      numbers.push_back(number);
  }
}

References::Numbers References::found(const ByWord& words, const std::string& word) {
  const auto all = words.find(word);
  return word.empty() || all == words.end() ? Numbers{} : all->second;
}

const ovn::Row& References::row(std::uint32_t number) const {
  const std::size_t own = node_.ovn.rows.size();
  return number < own ? node_.ovn.rows[number] : node_.ovs_rows[number - own];
}

std::vector<const ovn::Row*> References::rows(const ovn::Row& to, const std::string& set) const {
  const Numbers by_uuid = found(rows_, to.uuid), by_name = found(rows_, set);
  Numbers numbers;
  std::set_union(by_uuid.begin(), by_uuid.end(), by_name.begin(), by_name.end(), std::back_inserter(numbers));
  std::vector<const ovn::Row*> all;
  for (const std::uint32_t number : numbers)
    if (const ovn::Row& other = row(number); &other != &to && (to.uuid.empty() || other.uuid != to.uuid)) all.push_back(&other);
  return all;
}

std::vector<const ovn::LogicalFlow*> References::logical_flows(const ovn::Row& to, const std::string& set) const {
  const Numbers by_hint = to.database == "NB" ? found(flows_, to.uuid.substr(0, 8)) : Numbers{}, by_name = found(flows_, set);
  Numbers numbers;
  std::set_union(by_hint.begin(), by_hint.end(), by_name.begin(), by_name.end(), std::back_inserter(numbers));
  std::vector<const ovn::LogicalFlow*> all;
  for (const std::uint32_t number : numbers) all.push_back(&node_.ovn.logical_flows[number]);
  return all;
}

std::string set_reference(const ovn::Row& row) {
  if (row.table == "Address_Set") return "$" + text_of(row, "name");
  if (row.table == "Port_Group") return "@" + text_of(row, "name");
  return {};
}

}  // namespace egt::explain
