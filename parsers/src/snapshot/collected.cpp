#include "snapshot/collected.h"

#include <algorithm>

#include "egtrace/base/find_words.h"
#include "egtrace/base/text.h"

namespace egt::parsers {
namespace {

constexpr std::size_t kLooked = std::size_t{64} << 10;  // of each file: the words are everywhere or nowhere

bool is_named(const std::string& path, std::string_view name) {
  return path.ends_with(name) && (path.size() == name.size() || path[path.size() - name.size() - 1] == '/');
}

// First lines of sos's version.txt, must-gather's version, the log of `egtrace collect`.
std::string collector_of(const FoundFile& file) {
  std::string_view rest = file.content.text.substr(0, 400);
  const std::string_view first = trim(next_line(rest)), second = trim(next_line(rest));
  if (is_named(file.path, "version.txt") && (first.starts_with("sos report:") || first.starts_with("sosreport:"))) {
    return std::string(first);
  }
  if (is_named(file.path, "version") && first.find("must-gather") != std::string_view::npos) {
    return std::string(first) + " " + std::string(second);
  }
  if (is_named(file.path, "egtrace-collect.tsv")) return std::string(first.substr(0, first.find(':'))).erase(0, 2);
  return {};
}

}  // namespace

std::vector<std::string> collectors_of(const std::vector<FoundFile>& files) {
  std::vector<std::string> found;
  for (const FoundFile& file : files) {
    std::string name = collector_of(file);
    if (!name.empty() && std::find(found.begin(), found.end(), name) == found.end()) found.push_back(std::move(name));
  }
  return found;
}

std::string obfuscation_of(const std::vector<FoundFile>& files) {
  static constexpr std::string_view kOfMustGather = "x-ipv4-0", kWords[] = {kOfMustGather, "obfuscateddomain", "53:4f:53:"};
  for (const FoundFile& file : files) {
    const std::string_view text = file.content.text.substr(0, kLooked);
    const bool worded = has_any_word(text, kWords);
    if (is_named(file.path, "watermark.txt") || (worded && find_word(text, kOfMustGather) != std::string_view::npos))
      return "must-gather-clean";
    if (worded || file.path.find("-obfuscated") != std::string::npos) return "sos clean";
  }
  return {};
}

}  // namespace egt::parsers
