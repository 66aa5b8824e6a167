#include "help.h"

#include <algorithm>
#include <string_view>

#include "egtrace/base/columns.h"
#include "egtrace/base/text.h"
#include "egtrace/render/wrap.h"

namespace egt::cli {
namespace {

std::string fit_line(std::string_view line, std::size_t width) {
  if (columns_of(line) <= width) return std::string(line) + '\n';
  const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
  const bool described =
      indent > 0 && line.size() > kHelpColumn && line.substr(kHelpColumn - 2, 2) == "  " && line[kHelpColumn] != ' ';
  if (described) return render::wrap_behind(line.substr(0, kHelpColumn), line.substr(kHelpColumn), width);
  // A long synopsis of an option ends its line before the description does.
  if (indent >= kHelpColumn) return render::wrap(line, kHelpColumn, width);
  if (indent == 0) return render::wrap(line, 0, width);
  return render::wrap_behind(std::string(indent, ' '), line.substr(indent), width);
}

}  // namespace

std::string fit_help(const std::string& text, std::size_t width) {
  std::string out;
  for (std::string_view rest = text; !rest.empty();) out += fit_line(next_line(rest), width);
  return out;
}

}  // namespace egt::cli
