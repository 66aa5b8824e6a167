// Where a fact was read. Every fact in the model carries a Provenance, so that each step of an explanation can show
// the dump line behind it. The text of dumps stays where it was mapped; a Provenance is eight bytes.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/base/name.h"
#include "egtrace/base/published.h"
#include "egtrace/base/read_later.h"

namespace egt {

using SourceId = std::uint32_t;
constexpr SourceId kNoSource = 0;

// A line of a dump. `line` is 1-based; 0 means the dump as a whole.
struct Provenance {
  SourceId source = kNoSource;
  std::uint32_t line = 0;

  bool known() const { return source != kNoSource; }
  friend bool operator==(const Provenance&, const Provenance&) = default;
  friend auto operator<=>(const Provenance&, const Provenance&) = default;
};

// One dump: a file of the snapshot, or a part of a file into which several commands' output was pasted.
struct Source {
  Name path;                     // as shown to users: relative to the snapshot
  std::string_view text;         // decompressed content; lives as long as the SourceTable
  std::uint32_t first_line = 1;  // number of text's first line in the file it came from
  std::string_view table = {};   // of a row of a database ("UUID":{…}): its table; lives as long as the text
};

// A row of a database that is a source of its own: a file has all its rows in one line.
struct QuotedRow {
  std::string_view text;   // "UUID":{…}
  std::uint32_t line = 0;  // of the file, 1-based
};

// Where a line begins in its source's text.
struct LineMark {
  std::uint32_t line = 0;  // as a Provenance counts
  std::uint64_t offset = 0;
};

// Owns the text of all dumps. Sources are added while nodes are read and never removed; any number of threads may add and
// read.
class SourceTable {
 public:
  // `keep` owns the memory behind `text` (a mapping, or a decompressed buffer).
  SourceId add(Name path, std::string_view text, std::shared_ptr<const void> keep, std::uint32_t first_line = 1);
  // A source for each row of a table; gives the first one's, behind which the others follow.
  SourceId add_rows(Name path, std::string_view table, std::size_t count, ReadLater<std::vector<QuotedRow>> rows,
                    std::shared_ptr<const void> keep);
  // Another text in its place, before the text was read.
  void replace(SourceId id, std::string_view text, std::shared_ptr<const void> keep);
  // Called once before the text is first handed out, which it may refuse by throwing: of a file of which not all was read
  // so far.
  void check_first(SourceId id, std::function<void()> check);
  Source at(SourceId id) const;
  Name path_of(SourceId id) const;  // without the text, as is this of a dump
  std::size_t size_of(SourceId id) const;
  std::size_t size() const;
  std::vector<SourceId> dumps() const;  // those that are no rows
  // The rows that were added with this one; null: it is a dump.
  struct RowSources {
    SourceId first = kNoSource;
    std::size_t count = 0;
    const ReadLater<std::vector<QuotedRow>>* rows = nullptr;
  };
  RowSources rows_with(SourceId id) const;
  // The line's text without its end; empty when unknown. Line starts are indexed on first use, unless some are known.
  std::string_view line_text(Provenance p) const;
  // Where some lines begin, ascending, the first line among them: large dumps are then not gone through once more.
  void mark_lines(SourceId id, std::vector<LineMark> marks);
  const std::vector<LineMark>& line_marks(SourceId id) const;

 private:
  // A dump, or the rows of a table.
  struct Entry {
    SourceId first = kNoSource;
    std::size_t count = 1;
    Source source;  // of rows what they have in common
    ReadLater<std::vector<QuotedRow>> rows;
    std::shared_ptr<const void> keep;
    MadeOnce<std::vector<LineMark>> marks;
    Published<std::function<void()>> check;  // none: there is nothing to be checked
    MadeOnce<bool> checked;

    bool is_of_rows() const { return !source.table.empty(); }
    Source of(SourceId id) const;
  };
  Entry& add_entry(std::size_t count);      // guard_ is held,
  std::size_t place_of(SourceId id) const;  // as it is here; in entries_, behind all where there is none
  const Entry* entry(SourceId id) const;    // null: there is none

  mutable std::shared_mutex guard_;  // of the list; entries stay where they are
  std::deque<Entry> entries_;        // by their first source
  std::size_t size_ = 0;
};

// Something that a parser or a merge of dumps reports about one place.
struct Diagnostic {
  enum class Severity : std::uint8_t { note, warning, error };
  Severity severity = Severity::warning;
  Provenance at;
  std::uint32_t column = 0;  // 1-based; 0 when the whole line is meant
  std::string message;
  std::string hint;  // what would help, or empty
};

// "PATH:LINE:COLUMN: warning: MESSAGE", the line and a caret below it, as compilers print.
std::string format_diagnostic(const Diagnostic& d, const SourceTable& sources);

// Something the snapshot does not hold and the simulation needed.
struct Gap {
  std::string node;     // empty: not bound to a node
  std::string what;     // "OpenFlow groups of br-int"
  std::string command;  // what would close it: "ovs-ofctl -O OpenFlow15 dump-groups br-int"
  friend bool operator==(const Gap&, const Gap&) = default;
  friend auto operator<=>(const Gap&, const Gap&) = default;
};

}  // namespace egt
