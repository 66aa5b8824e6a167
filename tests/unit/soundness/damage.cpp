#include "damage.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <regex>
#include <string_view>
#include <utility>

#include "answers.h"

namespace egt::assess {
namespace {

namespace fs = std::filesystem;

// Commands that print what another one prints as well, and conf.db, which several lists show: dumps of them that were damaged
// conflict with the others.
bool is_shown_twice(const fs::path& dump, const std::vector<fs::path>& all) {
  constexpr std::string_view kAlike[][3] = {
      {"iptables-save", "iptables-save_-c", "iptables_-t_nat_-S"},
      {"nft_list_ruleset", "nft_-a_list_ruleset", "nft_-j_list_ruleset"},
      {"ip_route_show_table_all", "ip_-j_route_show_table_all", "ip_-j_route_show_table_all"},
      {"ip_a", "ip_-d_addr", "ip_-j_addr"},
      {"ip_neigh", "ip_-j_neigh", "ip_-s_-s_neigh_show"},
      {"ovs-vsctl_list_interface", "conf.db", "ovs-vsctl_show"}};
  const auto has = [&](std::string_view name) {
    return std::find(all.begin(), all.end(), dump.parent_path() / name) != all.end();
  };
  const std::string name = dump.filename().string();
  for (const auto& group : kAlike)
    if (std::find(std::begin(group), std::end(group), name) != std::end(group))
      return std::count_if(std::begin(group), std::end(group), has) > 1;
  return false;
}

// Lists of which lines may stand in any order, each of them whole.
bool is_unordered(const fs::path& dump) {
  constexpr std::string_view kOrdered[] = {"iptables", "ip6tables", "nft",   "show", "list",  "link", "ip_a",  "ip_-d",
                                           "conf",     ".yaml",     ".json", ".db",  "route", "rule", "vtysh", "neigh"};
  const std::string name = dump.filename().string();
  return std::none_of(std::begin(kOrdered), std::end(kOrdered),
                      [&](std::string_view part) { return name.find(part) != name.npos; });
}

std::string line_at(const std::string& text, std::size_t at) {
  return " in line " + std::to_string(1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

using Range = std::pair<std::size_t, std::size_t>;  // first, length

std::vector<Range> places_of(const std::regex& what, const std::string& text) {
  std::vector<Range> found;
  for (std::sregex_iterator at(text.begin(), text.end(), what), end; at != end; ++at)
    found.emplace_back(static_cast<std::size_t>(at->position()), static_cast<std::size_t>(at->length()));
  return found;
}

std::vector<Range> places_of(std::string_view what, const std::string& text) {
  std::vector<Range> found;
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) found.emplace_back(at, what.size());
  return found;
}

Damage replaced(std::string text, Range at, std::string_view by) {
  const std::string what = text.substr(at.first, at.second) + " became " + std::string(by) + line_at(text, at.first);
  text.replace(at.first, at.second, by);
  return {std::move(text), what};
}

}  // namespace

Damager::Damager(const std::vector<fs::path>& dumps, unsigned seed) : dumps_(dumps), dice_(seed) {
  std::map<fs::path, std::vector<std::size_t>> by_name;
  for (std::size_t i = 0; i < dumps.size(); ++i) by_name[dumps[i].filename()].push_back(i);
  for (auto& [name, places] : by_name) kinds_.push_back(std::move(places));
}

const fs::path& Damager::pick() {
  const auto& kind = kinds_[below(kinds_.size())];
  return dumps_[kind[below(kind.size())]];
}

Damage Damager::damage(const fs::path& dump) {
  const std::string text = read_text(dump);
  const bool twice = is_shown_twice(dump, dumps_), unordered = is_unordered(dump);
  switch (below(twice ? 10 : unordered ? 6 : 4)) {
    case 0: return {std::nullopt, "removed"};
    case 1: return cut(text);
    case 2: return of_another(dump, text);
    case 3: return twice ? cut_at_line(lines_of(text)) : cut(text);
    case 4: return doubled(lines_of(text));
    case 5: return moved(lines_of(text));
    case 6: return without_lines(lines_of(text));
    case 7: return with_other_address(text);
    case 8: return with_other_number(text);
    default: return with_other_flag(text);
  }
}

Damage Damager::cut(const std::string& text) {
  const std::size_t at = below(text.size() + 1);
  return {text.substr(0, at), "cut at byte " + std::to_string(at)};
}

Damage Damager::cut_at_line(Lines lines) {
  lines.resize(below(lines.size() + 1));
  return {joined(lines), "cut after line " + std::to_string(lines.size())};
}

Damage Damager::of_another(const fs::path& dump, const std::string& text) {
  std::vector<fs::path> others;
  for (const fs::path& d : dumps_)
    if (d != dump && d.filename() == dump.filename()) others.push_back(d);
  if (others.empty()) return cut(text);
  const fs::path& other = others[below(others.size())];
  return {read_text(other), "replaced by that of " + other.parent_path().filename().string()};
}

Damage Damager::without_lines(Lines lines) {
  if (lines.empty()) return {std::string(), "unchanged"};
  const std::size_t first = below(lines.size()), count = std::min(lines.size() - first, 1 + below(2) * below(8));
  const auto begin = lines.begin() + static_cast<std::ptrdiff_t>(first);
  lines.erase(begin, begin + static_cast<std::ptrdiff_t>(count));
  return {joined(lines), std::to_string(count) + " lines from line " + std::to_string(first + 1) + " lost"};
}

Damage Damager::doubled(Lines lines) {
  if (lines.empty()) return {std::string(), "unchanged"};
  const std::size_t at = below(lines.size());
  const std::string line = lines[at];
  lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at), line);
  return {joined(lines), "line " + std::to_string(at + 1) + " twice"};
}

Damage Damager::moved(Lines lines) {
  if (lines.size() < 2) return {joined(lines), "unchanged"};
  const std::size_t at = below(lines.size() - 1), to = below(2) == 0 ? at + 1 : below(lines.size());
  const std::string line = lines[at];
  lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at));
  lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(to), line);
  return {joined(lines), "line " + std::to_string(at + 1) + " moved to line " + std::to_string(to + 1)};
}

Damage Damager::with_other_address(const std::string& text) {
  static const std::regex kAddress(R"(\b\d+\.\d+\.\d+\.\d+\b|\b(?:[0-9a-f]{2}:){5}[0-9a-f]{2}\b|\bf[de][0-9a-f:]+::[0-9a-f]+\b)");
  const auto places = places_of(kAddress, text);
  if (places.empty()) return {text, "unchanged"};
  const Range at = places[below(places.size())], of = places[below(places.size())];
  std::string by = text.substr(of.first, of.second);
  if (below(2) == 0) {  // none that stands elsewhere
    by = text.substr(at.first, at.second);
    by.back() = by.back() == '3' ? '4' : '3';
  }
  return replaced(text, at, by);
}

Damage Damager::with_other_number(const std::string& text) {
  static const std::regex kNumber(R"([ =]\d+\b(?![.:]))");
  const auto places = places_of(kNumber, text);
  if (places.empty()) return {text, "unchanged"};
  const Range at = places[below(places.size())];
  constexpr std::string_view kOthers[] = {"0", "1", "2", "900", "65535"};
  return replaced(text, {at.first + 1, at.second - 1}, kOthers[below(std::size(kOthers))]);
}

Damage Damager::with_other_flag(const std::string& text) {
  constexpr std::pair<std::string_view, std::string_view> kFlags[] = {{"UP", "DOWN"},
                                                                      {",LOWER_UP", ""},
                                                                      {"BROADCAST,", "NOARP,"},
                                                                      {"REACHABLE", "FAILED"},
                                                                      {"PERMANENT", "INCOMPLETE"},
                                                                      {"ACCEPT", "DROP"},
                                                                      {"accept", "drop"},
                                                                      {"true", "false"},
                                                                      {"default via", "unreachable default via"},
                                                                      {"netdev", "system"},
                                                                      {"scope link", "scope host"},
                                                                      {"-j ", "-g "},
                                                                      {"-s ", "-d "},
                                                                      {"saddr", "daddr"},
                                                                      {"tcp", "udp"}};
  std::vector<std::pair<Range, std::string_view>> all;
  for (const auto& [flag, other] : kFlags)
    for (const Range& at : places_of(flag, text)) all.emplace_back(at, other);
  if (all.empty()) return {text, "unchanged"};
  const auto& [at, other] = all[below(all.size())];
  return replaced(text, at, other);
}

}  // namespace egt::assess
