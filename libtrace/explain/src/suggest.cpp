#include "egtrace/explain/suggest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "egtrace/base/nearest.h"

namespace egt::explain {

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  constexpr std::size_t kFew = 6;
  if (const std::vector<std::string> near = nearest(word, known); !near.empty())
    return fmt::format(" (did you mean {}?)", fmt::join(near, ", "));
  const std::set<std::string> all(known.begin(), known.end());
  return all.empty() || all.size() > kFew ? std::string() : fmt::format(" (there are {})", fmt::join(all, ", "));
}

}  // namespace egt::explain
