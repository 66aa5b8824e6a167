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

std::string_view line_behind(std::string_view text, LineMark mark, std::uint32_t wanted) {
  std::string_view rest = text.substr(std::min<std::uint64_t>(mark.offset, text.size()));
  for (std::uint32_t line = mark.line; line < wanted; ++line) {
    if (rest.empty()) return {};
    next_line(rest);
  }
  return trim_right(next_line(rest));
}

}  // namespace

Source SourceTable::Entry::of(SourceId id) const {
  if (const auto* first = check.get()) checked.get_or([&] { return (*first)(), true; });
  if (!is_of_rows()) return source;
  const QuotedRow& row = rows.get().at(id - first);
  return {source.path, row.text, row.line, source.table};
}

SourceTable::Entry& SourceTable::add_entry(std::size_t count) {
  Entry& entry = entries_.emplace_back();
  entry.first = static_cast<SourceId>(size_ + 1);
  entry.count = count;
  size_ += count;
  return entry;
}

SourceId SourceTable::add(Name path, std::string_view text, std::shared_ptr<const void> keep, std::uint32_t first_line) {
  const std::unique_lock<std::shared_mutex> lock(guard_);
  Entry& entry = add_entry(1);
  entry.source = {path, text, first_line, {}};
  entry.keep = std::move(keep);
  return entry.first;
}

SourceId SourceTable::add_rows(Name path, std::string_view table, std::size_t count, ReadLater<std::vector<QuotedRow>> rows,
                               std::shared_ptr<const void> keep) {
  const std::unique_lock<std::shared_mutex> lock(guard_);
  Entry& entry = add_entry(count);
  entry.source = {path, {}, 0, table};
  entry.rows = std::move(rows);
  entry.keep = std::move(keep);
  return entry.first;
}

void SourceTable::replace(SourceId id, std::string_view text, std::shared_ptr<const void> keep) {
  const std::unique_lock<std::shared_mutex> lock(guard_);
  const std::size_t place = place_of(id);
  if (place == entries_.size() || entries_[place].is_of_rows()) return;
  entries_[place].source.text = text;
  entries_[place].keep = std::move(keep);
}

void SourceTable::check_first(SourceId id, std::function<void()> check) {
  const Entry* known = entry(id);
  assert(known != nullptr);
  known->check.publish(std::make_unique<std::function<void()>>(std::move(check)));
}

Name SourceTable::path_of(SourceId id) const {
  const Entry* known = entry(id);
  assert(known != nullptr);
  return known->source.path;
}

std::size_t SourceTable::size_of(SourceId id) const {
  const Entry* known = entry(id);
  assert(known != nullptr);
  return known->source.text.size();
}

std::size_t SourceTable::size() const {
  const std::shared_lock<std::shared_mutex> lock(guard_);
  return size_;
}

std::vector<SourceId> SourceTable::dumps() const {
  const std::shared_lock<std::shared_mutex> lock(guard_);
  std::vector<SourceId> all;
  for (const Entry& one : entries_)
    if (!one.is_of_rows()) all.push_back(one.first);
  return all;
}

std::size_t SourceTable::place_of(SourceId id) const {
  if (id == kNoSource || id > size_) return entries_.size();
  const auto behind =
      std::upper_bound(entries_.begin(), entries_.end(), id, [](SourceId wanted, const Entry& e) { return wanted < e.first; });
  return static_cast<std::size_t>(behind - entries_.begin()) - 1;
}

const SourceTable::Entry* SourceTable::entry(SourceId id) const {
  const std::shared_lock<std::shared_mutex> lock(guard_);
  const std::size_t place = place_of(id);
  return place == entries_.size() ? nullptr : &entries_[place];
}

Source SourceTable::at(SourceId id) const {
  const Entry* known = entry(id);
  assert(known != nullptr);
  return known->of(id);
}

SourceTable::RowSources SourceTable::rows_with(SourceId id) const {
  const Entry* known = entry(id);
  if (known == nullptr || !known->is_of_rows()) return {};
  return {known->first, known->count, &known->rows};
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
  if (of == nullptr) return {};
  const Source source = of->of(p.source);
  if (p.line < source.first_line) return {};
  if (of->is_of_rows()) return line_behind(source.text, {source.first_line, 0}, p.line);
  const std::vector<LineMark>& marks = of->marks.get_or([&] { return mark_all(source); });
  const auto behind =
      std::upper_bound(marks.begin(), marks.end(), p.line, [](std::uint32_t line, const LineMark& m) { return line < m.line; });
  return behind == marks.begin() ? std::string_view() : line_behind(source.text, *std::prev(behind), p.line);
}

std::string diagnostic_head(const Diagnostic& d, const SourceTable& sources) {
  std::string out;
  if (d.at.known()) {
    out += sources.path_of(d.at.source);
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
