#include "kube/own_line.h"

#include <algorithm>
#include <string>

#include "egtrace/base/text.h"

namespace egt::parsers::kube {
namespace {

std::string without_quotes(std::string_view line) {
  std::string plain(trim(line));
  std::erase_if(plain, [](char c) { return c == '"' || c == '\''; });
  return plain;
}

// "name: cart", "name: cart,", "metadata: {name: cart, …"; not "app.kubernetes.io/name: cart".
bool has_name(std::string_view line, std::string_view name) {
  const std::string plain = without_quotes(line), wanted = "name: " + std::string(name);
  for (std::size_t at = plain.find(wanted); at != std::string::npos; at = plain.find(wanted, at + 1)) {
    const char before = at == 0 ? ' ' : plain[at - 1];
    const std::size_t end = at + wanted.size();
    const char behind = end == plain.size() ? ' ' : plain[end];
    if ((before == ' ' || before == '{') && (behind == ' ' || behind == ',' || behind == '}')) return true;
  }
  return false;
}

bool begins_metadata(std::string_view line) {
  const std::string plain = without_quotes(line);
  return plain.starts_with("metadata:") || plain.starts_with("- metadata:") || plain.find("{metadata:") != std::string::npos ||
         plain.find(" metadata:") != std::string::npos;
}

}  // namespace

std::uint32_t OwnLines::of(Chunk where, std::string_view name) {
  bool in_metadata = false;
  do {
    if (line_.number < where.line) continue;
    if (line_.number >= where.line + where.lines) break;
    in_metadata = in_metadata || begins_metadata(line_.text);
    if (in_metadata && has_name(line_.text, name)) return line_.number;
  } while (lines_.next(line_));
  return where.line;
}

}  // namespace egt::parsers::kube
