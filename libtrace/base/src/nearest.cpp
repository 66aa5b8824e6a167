#include "egtrace/base/nearest.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace egt {
namespace {

constexpr std::size_t kLongestWord = 128;

// Insertions, deletions, substitutions and swaps of neighbours that lead from one word to the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last, last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last = last;
    last = row;
  }
  return last[b.size()];
}

}  // namespace

std::vector<std::string> nearest(std::string_view word, const std::vector<std::string>& known, std::size_t most) {
  if (word.size() > kLongestWord) return {};
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& candidate : known) {
    if (candidate.size() > kLongestWord) continue;
    std::size_t distance = edit_distance(word, candidate);
    if (word.size() > 1 && candidate.find(word) != std::string::npos) distance = std::min<std::size_t>(distance, 1);
    if (distance <= std::max<std::size_t>(1, std::max(word.size(), candidate.size()) / 3)) near.emplace_back(distance, candidate);
  }
  std::sort(near.begin(), near.end());
  near.erase(std::unique(near.begin(), near.end()), near.end());
  std::vector<std::string> names;
  for (auto& [distance, name] : near)
    if (names.size() < most) names.push_back(std::move(name));
  return names;
}

}  // namespace egt
