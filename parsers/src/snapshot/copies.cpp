#include "snapshot/copies.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/base/text.h"
#include "egtrace/parsers/snapshot.h"

namespace egt::parsers {
namespace {

bool all_digits(std::string_view s) { return !s.empty() && std::all_of(s.begin(), s.end(), is_digit); }

// The name without what shows a copy from its original; none where nothing does.
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

// A path as sos makes its links: relative, one line without an end.
bool is_link_text(std::string_view text) {
  constexpr std::size_t kLongest = 4096;  // PATH_MAX
  return text.size() < kLongest && text.find('/') != std::string_view::npos && !text.starts_with('/') &&
         text.find_first_of(std::string_view(" \t\r\n\0", 5)) == std::string_view::npos;
}

// None where it leads out of the snapshot.
std::optional<std::string> resolved(std::string_view folder, std::string_view target) {
  std::vector<std::string_view> parts;
  for (const std::string_view whole : {folder, target})
    for (const std::string_view part : split(whole, '/')) {
      if (part.empty() || part == ".") continue;
      if (part != "..")
        parts.push_back(part);
      else if (parts.empty())
        return std::nullopt;
      else
        parts.pop_back();
    }
  return fmt::format("{}", fmt::join(parts, "/"));
}

}  // namespace

void follow_flattened_links(std::vector<FoundFile>& files) {
  std::map<std::string_view, const FoundFile*> by_path;
  for (const FoundFile& file : files) by_path.emplace(file.path, &file);
  for (FoundFile& file : files) {
    const std::string text(file.content.text.substr(0, 4096));
    if (file.by_link || !is_link_text(text)) continue;
    const auto target = resolved(parent_of(file.path), text);
    const auto found = target ? by_path.find(*target) : by_path.end();
    if (found != by_path.end() && found->second != &file) {
      file.content = found->second->content;
      file.identity = found->second->identity;
      file.left_out = found->second->left_out;
      file.by_link = true;
    } else if (text.find("sos_commands/") != std::string::npos || text.find("sos_strings/") != std::string::npos) {
      file.problem = "is the text of a symbolic link to " + text + ", which is not here";
    }
  }
}

void find_copies(std::vector<FoundFile>& files) {
  std::map<std::string, const FoundFile*> by_name;  // without endings of compression and text
  for (const FoundFile& file : files) by_name.emplace(std::string(parent_of(file.path)) + command_of_path(file.path), &file);
  for (FoundFile& file : files) {
    const std::string name = command_of_path(file.path);
    const auto original = original_name(name);
    if (!original) continue;
    const auto beside = by_name.find(std::string(parent_of(file.path)) + command_of_path(*original));
    if (beside != by_name.end() && beside->second != &file) file.copy_of = beside->second->path;
  }
}

}  // namespace egt::parsers
