#include "egtrace/explain/dump_lines.h"

#include <algorithm>

namespace egt::explain {
namespace {

constexpr std::size_t kMostOfALine = 400;  // bytes

std::size_t nth_line(std::string_view text, std::uint32_t n) {
  std::size_t at = 0;
  for (; n > 0; --n) {
    const std::size_t end = text.find('\n', at);
    if (end == std::string_view::npos) return text.size();
    at = end + 1;
  }
  return at;
}

DumpLine line_at(std::string_view text, std::size_t at, std::uint32_t number) {
  std::string_view line = text.substr(at, text.find('\n', at) - at);
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.size() <= kMostOfALine) return {number, std::string(line), false};
  std::size_t end = kMostOfALine;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xc0) == 0x80) --end;  // not within a character
  return {number, std::string(line.substr(0, end)), true};
}

// `at`: where the line begins.
std::vector<DumpLine> lines_around(std::string_view text, std::size_t at, std::uint32_t number, std::uint32_t reach) {
  std::uint32_t before = 0;
  std::size_t begin = at;
  for (; before < reach && begin > 0; ++before) {
    const std::size_t end = text.rfind('\n', begin - 1);  // of the line before
    const std::size_t previous = end == 0 || end == std::string_view::npos ? std::string_view::npos : text.rfind('\n', end - 1);
    if (end == std::string_view::npos) break;
    begin = previous == std::string_view::npos ? 0 : previous + 1;
  }
  std::vector<DumpLine> lines;
  number -= before;
  for (std::size_t next = begin; next < text.size() && lines.size() <= before + reach; ++number) {
    lines.push_back(line_at(text, next, number));
    const std::size_t end = text.find('\n', next);
    if (end == std::string_view::npos) break;
    next = end + 1;
  }
  return lines;
}

}  // namespace

DumpLines::DumpLines(const SourceTable& sources, Hide hide) : sources_(sources), hide_(std::move(hide)) {
  for (const SourceId id : sources.dumps()) by_path_[sources.path_of(id)].push_back(id);
}

const std::string* DumpLines::shown_text(SourceId source) {
  if (!hide_) return nullptr;
  const auto [found, fresh] = hidden_.try_emplace(source);
  if (fresh) found->second = hide_(sources_.at(source).text);
  return found->second ? &*found->second : nullptr;
}

std::vector<DumpLine> DumpLines::around(const EvidenceLine& line, std::uint32_t reach) {
  const auto sources = by_path_.find(line.dump);
  if (sources == by_path_.end() || !line.table.empty() || line.line == 0) return {};
  for (const SourceId id : sources->second) {
    const Source& source = sources_.at(id);
    const std::string_view text = sources_.line_text({id, line.line});
    if (text != line.text || text.data() == nullptr || line.line < source.first_line) continue;
    if (text.data() < source.text.data() || text.data() > source.text.data() + source.text.size()) continue;
    if (const std::string* shown = shown_text(id))
      return lines_around(*shown, nth_line(*shown, line.line - source.first_line), line.line, reach);
    return lines_around(source.text, static_cast<std::size_t>(text.data() - source.text.data()), line.line, reach);
  }
  return {};
}

}  // namespace egt::explain
