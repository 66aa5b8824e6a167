#include "expected_number.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace egt::explain {
namespace {

// Largest first, without what has a single member, which a clause that lost its other addresses has as well.
ClauseSizes comparable(ClauseSizes sizes) {
  std::erase(sizes, std::size_t{1});
  std::sort(sizes.begin(), sizes.end(), std::greater<>());
  return sizes;
}

bool covers(const ClauseSizes& installed, const ClauseSizes& expected) {
  ClauseSizes a = installed, b = expected;
  const std::size_t n = std::max(a.size(), b.size());
  a.resize(n, 1);
  b.resize(n, 1);
  std::sort(a.begin(), a.end(), std::greater<>());
  std::sort(b.begin(), b.end(), std::greater<>());
  return std::equal(a.begin(), a.end(), b.begin(), [](std::size_t x, std::size_t y) { return x >= y; });
}

// How many of the expected ones are there with all their members, each as one of those installed.
std::size_t covered(std::vector<ClauseSizes> expected, std::vector<ClauseSizes> installed) {
  std::sort(expected.begin(), expected.end(), std::greater<>());
  std::sort(installed.begin(), installed.end());
  std::size_t n = 0;
  for (const ClauseSizes& one : expected) {
    auto found = std::lower_bound(installed.begin(), installed.end(), one);   // the same one, as a rule
    if (found == installed.end() || *found != one)
      found = std::find_if(installed.begin(), installed.end(), [&](const ClauseSizes& i) { return covers(i, one); });
    if (found == installed.end()) continue;
    installed.erase(found);
    ++n;
  }
  return n;
}

}  // namespace

void ExpectedNumber::add(const ExpectedNumber& more, std::size_t times) {
  plain += more.plain * times;
  for (std::size_t i = 0; i < times; ++i) conjunctive.insert(conjunctive.end(), more.conjunctive.begin(), more.conjunctive.end());
}

bool ExpectedNumber::exceeds(const InstalledFlows::OfCookie& present, const InstalledFlows& installed, std::size_t shared) const {
  std::vector<std::size_t> products;   // of those that may be either
  for (const ConjunctiveFlows& c : conjunctive)
    if (c.may_be_plain) products.push_back(c.product);
  const std::size_t decided = conjunctive.size() - products.size(), there = present.conjunctions.size();
  if (there < decided) return true;
  std::sort(products.begin(), products.end());
  const std::size_t multiplied_out = products.size() - std::min(products.size(), there - decided);
  const std::size_t least = std::accumulate(products.begin(), products.begin() + static_cast<std::ptrdiff_t>(multiplied_out), plain);
  if (present.plain + shared < least) return true;
  if (there == 0) return false;

  std::vector<ClauseSizes> wanted, found;
  for (const ConjunctiveFlows& c : conjunctive) wanted.push_back(comparable(c.clauses));
  for (const std::uint32_t id : present.conjunctions) {
    const auto members = installed.by_conjunction.find(id);
    found.push_back(members == installed.by_conjunction.end() ? ClauseSizes(2) : comparable(members->second));
  }
  return covered(std::move(wanted), std::move(found)) < std::min(conjunctive.size(), there);
}

}  // namespace egt::explain
