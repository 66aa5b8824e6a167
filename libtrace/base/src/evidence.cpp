#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "egtrace/base/text.h"
#include "egtrace/evidence/diagnostic_head.h"

namespace egt {
namespace {

constexpr std::string_view severity_name(Diagnostic::Severity s) {
  switch (s) {
    case Diagnostic::Severity::note: return "note";
    case Diagnostic::Severity::warning: return "warning";
    case Diagnostic::Severity::error: return "error";
  }
  return "error";
}

// The line again, cut to a readable length around the column, and a caret below it.
std::string excerpt(std::string_view line, std::uint32_t column) {
  constexpr std::size_t kWidth = 160;
  std::size_t begin = 0;
  if (column > kWidth / 2) begin = column - kWidth / 2;
  if (begin > line.size()) begin = line.size();
  std::string shown(line.substr(begin, kWidth));
  for (char& c : shown)
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  if (column == 0) return fmt::format("    {}\n", shown);
  return fmt::format("    {}\n    {:>{}}\n", shown, "^", column - begin);
}

constexpr std::uint32_t kMarkEvery = 32;  // lines

std::vector<LineMark> mark_all(const Source& source) {
  std::vector<LineMark> marks{{source.first_line, 0}};
  std::uint32_t line = source.first_line;
  const std::string_view text = source.text;
  for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1))
    if (++line % kMarkEvery == 0) marks.push_back({line, at + 1});
  return marks;
}

}  // namespace

SourceId SourceTable::add(std::string path, std::string_view text, std::shared_ptr<const void> keep, std::uint32_t first_line,
                          std::string_view table) {
  auto entry = std::make_unique<Entry>();
  entry->source = {std::move(path), text, first_line, table};
  entry->keep = std::move(keep);
  const std::unique_lock<std::shared_mutex> lock(guard_);
  sources_.push_back(std::move(entry));
  return static_cast<SourceId>(sources_.size());
}

void SourceTable::replace(SourceId id, std::string_view text, std::shared_ptr<const void> keep) {
  Entry* known = entry(id);
  if (known == nullptr) return;
  known->source.text = text;
  known->keep = std::move(keep);
}

std::size_t SourceTable::size() const {
  const std::shared_lock<std::shared_mutex> lock(guard_);
  return sources_.size();
}

SourceTable::Entry* SourceTable::entry(SourceId id) const {
  const std::shared_lock<std::shared_mutex> lock(guard_);
  return id == kNoSource || id > sources_.size() ? nullptr : sources_[id - 1].get();
}

const Source& SourceTable::at(SourceId id) const {
  const Entry* known = entry(id);
  assert(known != nullptr);
  return known->source;
}

void SourceTable::mark_lines(SourceId id, std::vector<LineMark> marks) {
  const Entry* known = entry(id);
  assert(known != nullptr);
  if (!marks.empty()) known->marks.get_or([&] { return std::move(marks); });
}

const std::vector<LineMark>& SourceTable::line_marks(SourceId id) const {
  static const std::vector<LineMark> kNone;
  const Entry* of = entry(id);
  assert(of != nullptr);
  const std::vector<LineMark>* known = of->marks.get();
  return known != nullptr ? *known : kNone;
}

std::string_view SourceTable::line_text(Provenance p) const {
  const Entry* of = entry(p.source);
  if (of == nullptr || p.line < of->source.first_line) return {};
  const std::string_view text = of->source.text;
  const std::vector<LineMark>& marks = of->marks.get_or([&] { return mark_all(of->source); });
  const auto behind =
      std::upper_bound(marks.begin(), marks.end(), p.line, [](std::uint32_t line, const LineMark& m) { return line < m.line; });
  if (behind == marks.begin()) return {};
  const LineMark mark = *std::prev(behind);
  std::string_view rest = text.substr(std::min<std::uint64_t>(mark.offset, text.size()));
  for (std::uint32_t line = mark.line; line < p.line; ++line) {
    if (rest.empty()) return {};
    next_line(rest);
  }
  return trim_right(next_line(rest));
}

std::string diagnostic_head(const Diagnostic& d, const SourceTable& sources) {
  std::string out;
  if (d.at.known()) {
    out += sources.at(d.at.source).path;
    if (d.at.line != 0) out += fmt::format(":{}", d.at.line);
    if (d.column != 0) out += fmt::format(":{}", d.column);
    out += ": ";
  }
  out += fmt::format("{}: {}", severity_name(d.severity), d.message);
  if (!d.hint.empty()) out += fmt::format(" ({})", d.hint);
  return out;
}

std::string format_diagnostic(const Diagnostic& d, const SourceTable& sources) {
  std::string out = diagnostic_head(d, sources) + '\n';
  if (d.at.line != 0) out += excerpt(sources.line_text(d.at), d.column);
  return out;
}

}  // namespace egt
