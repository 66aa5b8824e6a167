#include "expected_number.h"

#include <algorithm>
#include <functional>
#include <iterator>
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

// How many of the expected ones are there with all their members, each as one of those installed: the same, as a rule. Of those that
// differ no more are compared than any cluster has; what is not compared counts as lost.
std::size_t covered(std::vector<ClauseSizes> expected, std::vector<ClauseSizes> installed) {
  constexpr std::size_t kMostDifferent = 200;
  std::sort(expected.begin(), expected.end());
  std::sort(installed.begin(), installed.end());
  std::vector<ClauseSizes> missing, others;
  std::set_difference(expected.begin(), expected.end(), installed.begin(), installed.end(), std::back_inserter(missing));
  std::set_difference(installed.begin(), installed.end(), expected.begin(), expected.end(), std::back_inserter(others));
  std::size_t n = expected.size() - missing.size();
  if (missing.size() > kMostDifferent || others.size() > kMostDifferent) return n;
  for (auto one = missing.rbegin(); one != missing.rend(); ++one) {  // the largest first
    const auto found = std::find_if(others.begin(), others.end(), [&](const ClauseSizes& other) { return covers(other, *one); });
    if (found == others.end()) continue;
    others.erase(found);
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
  std::vector<std::size_t> products;  // of those that may be either
  for (const ConjunctiveFlows& c : conjunctive)
    if (c.may_be_plain) products.push_back(c.product);
  const std::size_t decided = conjunctive.size() - products.size(), there = present.conjunctions.size();
  if (there < decided) return true;
  std::sort(products.begin(), products.end());
  const std::size_t multiplied_out = products.size() - std::min(products.size(), there - decided);
  const std::size_t least =
      std::accumulate(products.begin(), products.begin() + static_cast<std::ptrdiff_t>(multiplied_out), plain);
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
