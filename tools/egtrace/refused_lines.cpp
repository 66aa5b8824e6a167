#include "refused_lines.h"

#include <fmt/format.h>

namespace egt::cli {

ExitStatus refuse_lines(const std::string& file, const std::vector<std::size_t>& lines) {
  const std::string more = lines.size() == 1   ? ""
                           : lines.size() == 2 ? ", nor is line " + std::to_string(lines.back())
                                               : fmt::format(", nor are {} more lines", lines.size() - 1);
  print_error(fmt::format("egtrace: {}:{}: not answered{}; each has its error in its place\n",
                          file == "-" ? "standard input" : file, lines.front(), more));
  return ExitStatus::unusable;
}

}  // namespace egt::cli
