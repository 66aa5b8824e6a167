#include "support/lines.h"

#include <cstring>
#include <utility>

#include "egtrace/base/text.h"

namespace egt::parsers {

bool LineReader::next(Line& line) {
  if (rest_.empty()) return false;
  const void* found = std::memchr(rest_.data(), '\n', rest_.size());
  const std::size_t length = found ? static_cast<std::size_t>(static_cast<const char*>(found) - rest_.data()) : rest_.size();
  const std::size_t text = length > 0 && rest_[length - 1] == '\r' ? length - 1 : length;
  const std::size_t whole = found ? length + 1 : length;
  line.text = rest_.substr(0, text);
  line.end = rest_.substr(text, whole - text);
  line.number = number_++;
  rest_.remove_prefix(whole);
  return true;
}

std::vector<std::string_view> pieces_of_lines(std::string_view text, std::size_t about) {
  std::vector<std::string_view> pieces;
  while (!text.empty()) {
    const std::size_t newline = about < text.size() ? text.find('\n', about) : std::string_view::npos;
    pieces.push_back(text.substr(0, newline == std::string_view::npos ? text.size() : newline + 1));
    text.remove_prefix(pieces.back().size());
  }
  return pieces;
}

std::string_view without_colour(std::string_view line, std::string& buffer) {
  std::size_t escape =
      line.empty() || !std::memchr(line.data(), '\x1b', line.size()) ? std::string_view::npos : line.find("\x1b[");
  if (escape == std::string_view::npos) return line;
  buffer.clear();
  std::size_t from = 0;
  while (escape != std::string_view::npos) {
    std::size_t end = escape + 2;
    while (end < line.size() && (is_digit(line[end]) || line[end] == ';')) ++end;
    buffer.append(line.substr(from, escape - from));
    from = end < line.size() ? end + 1 : end;
    escape = line.find("\x1b[", from);
  }
  buffer.append(line.substr(from));
  if (buffer.find("\x1b[") != std::string::npos) return line;  // nested: no colours, but garbage
  return buffer;
}

void LineReport::not_understood(const Line& line, std::uint32_t column, std::string message, std::string hint) {
  ++report_.lines;
  report_.not_understood.push_back(at(line));
  if (report_.diagnostics.size() >= kDiagnosticsKept) return;
  report_.diagnostics.push_back({Diagnostic::Severity::warning, at(line), column, std::move(message), std::move(hint)});
}

void LineReport::note(const Line& line, std::uint32_t column, std::string message, Diagnostic::Severity severity) {
  if (report_.diagnostics.size() >= kDiagnosticsKept) return;
  report_.diagnostics.push_back({severity, at(line), column, std::move(message), {}});
}

}  // namespace egt::parsers
