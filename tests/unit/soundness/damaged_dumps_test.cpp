// Whatever dump is missing, cut within a line, in a wrong order, has a line twice or is another machine's: what differs from
// the answer of the whole snapshot is not proven. Lines of which the order has a meaning stay in order, and none is taken
// away: a listing without one of its rules is the listing of another host. EGTRACE_MUTATIONS sets how many dumps are damaged,
// EGTRACE_SEED which, EGTRACE_SCENARIO in which snapshot.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <random>
#include <string_view>

#include "answers.h"

namespace egt::assess {
namespace {

namespace fs = std::filesystem;

fs::path scenario() {
  const char* other = std::getenv("EGTRACE_SCENARIO");
  return other != nullptr ? fs::path(other) : fs::path(EGTRACE_SOURCE_DIR) / "samples/egressip-secondary";
}

// Lists of rules and commands, and lines that belong to the line before them.
bool order_matters(const fs::path& dump) {
  constexpr std::string_view kOrdered[] = {"iptables", "ip6tables", "nft", "show", "list", "link", "ip_a", "conf", ".yaml", ".json", ".db"};
  const std::string name = dump.filename().string();
  return std::any_of(std::begin(kOrdered), std::end(kOrdered), [&](std::string_view part) { return name.find(part) != name.npos; });
}

struct Damage { std::optional<std::string> text; std::string what; };

class Damager {
 public:
  Damager(const std::vector<fs::path>& dumps, unsigned seed) : dumps_(dumps), dice_(seed) {}

  const fs::path& pick() { return dumps_[dice_() % dumps_.size()]; }

  Damage damage(const fs::path& dump) {
    const std::string text = read_text(dump);
    switch (dice_() % 4) {
      case 0: return {std::nullopt, "removed"};
      case 1: return cut(text);
      case 2: return of_another(dump, text);
      default: return order_matters(dump) ? cut(text) : shuffled(text);
    }
  }

 private:
  Damage cut(const std::string& text) {
    const std::size_t at = dice_() % (text.size() + 1);
    return {text.substr(0, at), "cut at byte " + std::to_string(at)};
  }
  Damage of_another(const fs::path& dump, const std::string& text) {
    std::vector<fs::path> others;
    for (const fs::path& d : dumps_)
      if (d != dump && d.filename() == dump.filename()) others.push_back(d);
    if (others.empty()) return cut(text);
    const fs::path& other = others[dice_() % others.size()];
    return {read_text(other), "replaced by that of " + other.parent_path().filename().string()};
  }
  Damage shuffled(const std::string& text) {
    std::vector<std::string> lines = lines_of(text);
    if (lines.size() < 2) return {text, "unchanged"};
    const std::size_t at = dice_() % (lines.size() - 1);
    if (dice_() % 2 == 0) {
      std::swap(lines[at], lines[at + 1]);
      return {joined(lines), "line " + std::to_string(at + 1) + " behind the next one"};
    }
    lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at), lines[at]);
    return {joined(lines), "line " + std::to_string(at + 1) + " twice"};
  }

  const std::vector<fs::path>& dumps_;
  std::mt19937 dice_;
};

TEST(DamagedDumps, ProveNothingWrong) {
  const DamagedCopy copy(scenario());
  Damager damager(copy.dumps(), number("EGTRACE_SEED", 1));
  for (unsigned i = number("EGTRACE_MUTATIONS", 12); i-- > 0;) {
    const fs::path& dump = damager.pick();
    const Damage damage = damager.damage(dump);
    copy.expect_nothing_wrong_proven(dump, damage.text ? &*damage.text : nullptr, damage.what);
  }
}

}  // namespace
}  // namespace egt::assess
