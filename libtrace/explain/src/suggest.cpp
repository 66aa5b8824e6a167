#include "egtrace/explain/suggest.h"

#include <algorithm>
#include <numeric>

namespace egt::explain {
namespace {

constexpr std::size_t kLongestWord = 128;

// Edits (insert, delete, replace) that turn one word into the other.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::vector<std::string> nearest(std::string_view word, const std::vector<std::string>& known, std::size_t most) {
  std::vector<std::pair<std::size_t, std::string>> ranked;
  if (word.size() > kLongestWord) return {};
  for (const std::string& candidate : known) {
    if (candidate.size() > kLongestWord) continue;
    std::size_t d = distance(word, candidate);
    if (candidate.find(word) != std::string::npos) d = std::min<std::size_t>(d, 1);
    if (d <= std::max(word.size(), candidate.size()) / 3 + 1) ranked.emplace_back(d, candidate);
  }
  std::sort(ranked.begin(), ranked.end());
  ranked.erase(std::unique(ranked.begin(), ranked.end()), ranked.end());
  std::vector<std::string> out;
  for (const auto& [d, candidate] : ranked)
    if (out.size() < most) out.push_back(candidate);
  return out;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  std::string out;
  for (const std::string& candidate : nearest(word, known)) out += (out.empty() ? "" : ", ") + candidate;
  return out.empty() ? out : " (did you mean " + out + "?)";
}

}  // namespace egt::explain
