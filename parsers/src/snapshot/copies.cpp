#include "snapshot/copies.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "egtrace/base/text.h"
#include "egtrace/parsers/snapshot.h"

namespace egt::parsers {
namespace {

bool all_digits(std::string_view s) { return !s.empty() && std::all_of(s.begin(), s.end(), is_digit); }

// The name without what tells a copy from its original; none where nothing does.
std::optional<std::string_view> original_name(std::string_view name) {
  for (const std::string_view mark : {"~", ".bak", ".old", ".orig", ".save", " (copy)", " - Copy", "-copy", "_copy"})
    if (name.size() > mark.size() && name.ends_with(mark)) return name.substr(0, name.size() - mark.size());
  const bool in_parentheses = name.ends_with(')');
  if (in_parentheses) name.remove_suffix(1);
  const std::size_t sign = name.find_last_of(in_parentheses ? "(" : ".");
  if (sign == std::string_view::npos || sign == 0 || name.size() - sign > 4 || !all_digits(name.substr(sign + 1)))
    return std::nullopt;
  return trim_right(name.substr(0, sign));
}

std::string_view parent_of(std::string_view path) { return path.substr(0, path.rfind('/') + 1); }

}  // namespace

void find_copies(std::vector<FoundFile>& files) {
  std::map<std::string, const FoundFile*> by_name;  // without endings of compression and text
  for (const FoundFile& file : files)
    by_name.emplace(std::string(parent_of(file.path)) + command_of_path(file.path), &file);
  for (FoundFile& file : files) {
    const std::string name = command_of_path(file.path);
    const auto original = original_name(name);
    if (!original) continue;
    const auto beside = by_name.find(std::string(parent_of(file.path)) + command_of_path(*original));
    if (beside != by_name.end() && beside->second != &file) file.copy_of = beside->second->path;
  }
}

}  // namespace egt::parsers
