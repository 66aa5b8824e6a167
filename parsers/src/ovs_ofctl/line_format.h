// The common loop of formats whose lines stand for themselves: read a line, print it from what was read, compare.
#pragma once

#include <string>
#include <string_view>

#include "ovs_ofctl/reply.h"
#include "support/lines.h"

namespace egt::parsers::ofctl {

enum class LineResult : std::uint8_t { ignored, understood, no };

// `print(text, out)` appends the line as it understood it and shows whether it did. What it prints is put out only
// where it is what stands in the dump; any other line is kept and reported.
template <class Print>
void reprint_lines(const Dump& dump, std::string& out, Report& report, Print print) {
  LineReport lines_report(dump, report);
  LineReader lines(dump);
  Line line;
  std::string buffer, printed;
  while (lines.next(line)) {
    const std::string_view text = without_colour(line.text, buffer);
    printed.clear();
    ReplyHeader h;
    LineResult result = LineResult::ignored;
    if (read_reply_header(text, h)) {
      write_reply_header(h, printed);
    } else if (is_filler(text)) {
      printed = text;
    } else {
      result = print(text, printed);
    }
    if (result == LineResult::no || printed != text) {
      lines_report.not_understood(line, 1, "line not understood");
      out += text;
    } else {
      result == LineResult::understood ? lines_report.understood() : lines_report.ignored();
      out += printed;
    }
    out += line.end;
  }
}

}  // namespace egt::parsers::ofctl
