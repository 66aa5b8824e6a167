#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "egtrace/parsers/format.h"
#include "egtrace/parsers/snapshot.h"

namespace egt::parsers {

std::string command_of_path(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  for (bool again = true; again;) {
    again = false;
    for (const std::string_view ending : {".gz", ".xz", ".zst", ".bz2", ".lz4", ".txt", ".log", ".out", ".tailed"}) {
      if (name.size() > ending.size() && name.ends_with(ending)) name.remove_suffix(ending.size()), again = true;
    }
  }
  return std::string(name);
}

Result<DumpArgument> parse_dump_argument(std::string_view text) {
  DumpArgument argument;
  std::error_code failed;
  std::string_view rest = text;
  if (rest != "-" && !std::filesystem::exists(rest, failed)) {
    const std::size_t colon = rest.find(':');
    if (colon != std::string_view::npos && rest.substr(0, colon).find_first_of("/=") == std::string_view::npos) {
      argument.node = rest.substr(0, colon);
      rest.remove_prefix(colon + 1);
    }
    const std::size_t equals = rest.find('=');
    if (equals != std::string_view::npos && !std::filesystem::exists(rest, failed)) {
      argument.kind = rest.substr(0, equals);
      rest.remove_prefix(equals + 1);
    }
  }
  argument.path = rest;
  if (argument.path.empty()) return Error{fmt::format("{}: names no file; --dump takes [NODE:][KIND=]PATH", text)};
  if (!argument.kind.empty() && find_format(argument.kind) == nullptr) {
    return Error{fmt::format("{}: unknown kind `{}`; `egtrace parse --help` lists them", text, argument.kind)};
  }
  return argument;
}

}  // namespace egt::parsers
