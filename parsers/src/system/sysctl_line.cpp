#include "system/sysctl_line.h"

#include <algorithm>
#include <array>

#include "egtrace/base/text.h"

namespace egt::parsers::system {
namespace {

constexpr std::string_view kProc = "/proc/sys/";

bool is_aside(std::string_view text) {
  const std::string_view s = trim(text);
  return s.starts_with('#') || s.starts_with(';') || s.starts_with("sysctl: ") || s.starts_with("* Applying ") || s == "--";
}

// Between letters and digits may stand what device names may hold.
bool is_key(std::string_view key) {
  if (key.find_first_of("./") == std::string_view::npos || key.size() > 512) return false;
  return std::all_of(key.begin(), key.end(), [](char c) { return c > ' ' && c != '=' && c != 0x7f; });
}

bool split_at(std::string_view text, std::size_t at, std::size_t length, SysctlLine& line) {
  line.key = text.substr(0, at);
  line.separator = text.substr(at, length);
  line.value = text.substr(at + length);
  return is_key(line.key);
}

bool read_setting(std::string_view text, SysctlLine& line) {
  if (text.starts_with(kProc)) {
    const std::size_t colon = text.find(':');
    return colon != std::string_view::npos && split_at(text, colon, 1, line);
  }
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) return false;
  const bool before = text[equals - 1] == ' ', after = equals + 1 < text.size() && text[equals + 1] == ' ';
  return split_at(text, before ? equals - 1 : equals, 1U + (before ? 1 : 0) + (after ? 1 : 0), line);
}

}  // namespace

SysctlLine parse_sysctl_line(std::string_view text) {
  SysctlLine line;
  if (trim(text).empty())
    line.kind = SysctlLine::Kind::blank;
  else if (is_aside(text))
    line.kind = SysctlLine::Kind::aside;
  else if (read_setting(text, line))
    line.kind = SysctlLine::Kind::setting;
  return line;
}

void print_sysctl_line(const SysctlLine& line, std::string& out) {
  if (line.kind == SysctlLine::Kind::setting) ((out += line.key) += line.separator) += line.value;
}

std::string sysctl_name(std::string_view key) {
  if (key.starts_with(kProc)) key.remove_prefix(kProc.size());
  std::string name(key);
  const std::size_t first = name.find_first_of("./");
  if (first == std::string::npos || name[first] == '.') return name;
  for (char& c : name) c = c == '/' ? '.' : c == '.' ? '/' : c;
  return name;
}

bool is_kernel_setting(std::string_view name) {
  static constexpr std::array<std::string_view, 10> kRoots = {"net.", "kernel.", "vm.",    "fs.",     "user.",
                                                              "dev.", "abi.",    "debug.", "sunrpc.", "crypto."};
  return std::any_of(kRoots.begin(), kRoots.end(), [&](std::string_view root) { return name.starts_with(root); });
}

}  // namespace egt::parsers::system
