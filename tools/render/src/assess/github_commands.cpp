#include "assess/github_commands.h"

#include <fmt/format.h>

#include "egtrace/render/printable.h"

namespace egt::render {
namespace {

// As actions/toolkit writes them (packages/core/src/command.ts). Invisible characters are written out first.
std::string escaped(std::string_view text, bool property) {
  std::string out;
  for (const char c : printable(text)) {
    const bool separator = property && (c == ':' || c == ',');
    if (c == '%' || c == '\r' || c == '\n' || separator)
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  return out;
}

}  // namespace

std::string github_command(const Annotation& a) {
  std::string properties;
  const auto add = [&](std::string_view name, std::string_view value) {
    properties += fmt::format("{}{}={}", properties.empty() ? " " : ",", name, escaped(value, true));
  };
  if (!a.file.empty()) add("file", a.file);
  if (!a.file.empty() && a.line > 0) add("line", std::to_string(a.line));
  if (!a.title.empty()) add("title", a.title);
  return fmt::format("::{}{}::{}\n", a.level, properties, escaped(a.message, false));
}

}  // namespace egt::render
