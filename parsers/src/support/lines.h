// The lines of a dump with their numbers, and what a format reports about them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/parsers/format.h"

namespace egt::parsers {

struct Line {
  std::string_view text;     // without its end
  std::string_view end;      // "\n", "\r\n", or empty at a cut end of the dump
  std::uint32_t number = 0;  // in the file
};

class LineReader {
 public:
  explicit LineReader(const Dump& dump) : rest_(dump.text), number_(dump.first_line) {}
  bool next(Line& line);
  std::size_t left() const { return rest_.size(); }

 private:
  std::string_view rest_;
  std::uint32_t number_;
};

// The text in pieces of about so many bytes, which end where lines do.
std::vector<std::string_view> pieces_of_lines(std::string_view text, std::size_t about);

// `line` without terminal colours (ESC [ … letter). `buffer` holds the text when something had to be taken out.
std::string_view without_colour(std::string_view line, std::string& buffer);

// Keeps the first `kDiagnosticsKept` diagnostics of a dump; the counts are exact.
constexpr std::size_t kDiagnosticsKept = 200;

class LineReport {
 public:
  LineReport(const Dump& dump, Report& report) : dump_(dump), report_(report) {}
  void understood() { ++report_.lines, ++report_.understood; }
  void ignored() { ++report_.lines, ++report_.ignored; }
  void not_understood(const Line& line, std::uint32_t column, std::string message, std::string hint = {});
  // A remark about a line that counts otherwise.
  void note(const Line& line, std::uint32_t column, std::string message, Diagnostic::Severity severity);
  Provenance at(const Line& line) const { return {dump_.source, line.number}; }

 private:
  const Dump& dump_;
  Report& report_;
};

}  // namespace egt::parsers
