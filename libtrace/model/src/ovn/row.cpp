#include <algorithm>

#include "egtrace/ovn/ovn.h"

namespace egt::ovn {

std::string text_of(const Row& row, const std::string& column) {
  const auto it = row.columns.find(column);
  if (it == row.columns.end() || it->second == "[]" || it->second == "{}") return {};
  const std::string& printed = it->second;
  if (printed.size() < 2 || printed.front() != '"') return printed;
  std::string text;
  for (std::size_t i = 1; i + 1 < printed.size(); ++i) {
    if (printed[i] == '\\' && i + 2 < printed.size()) ++i;
    text.push_back(printed[i]);
  }
  return text;
}

const Chassis* own_chassis(const Ovn& ovn, std::string_view host) {
  const auto& all = ovn.chassis;
  const auto named = std::find_if(all.begin(), all.end(), [&](const Chassis& c) { return c.hostname == host; });
  if (named != all.end()) return &*named;
  const auto is_local = [](const Chassis& c) { return !c.is_remote; };
  return std::count_if(all.begin(), all.end(), is_local) == 1 ? &*std::find_if(all.begin(), all.end(), is_local) : nullptr;
}

}  // namespace egt::ovn
