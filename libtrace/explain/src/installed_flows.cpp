#include "installed_flows.h"

#include <algorithm>

#include "egtrace/base/parallel.h"
#include "in_pieces.h"

namespace egt::explain {
namespace {

using openflow::Conjunction;
using openflow::FlowIndex;
using openflow::FlowTables;

using ByCookie = std::unordered_map<std::uint64_t, InstalledFlows::OfCookie>;
using ByConjunction = std::unordered_map<std::uint32_t, ClauseSizes>;

void count_members(const std::vector<Conjunction>& memberships, ByConjunction& out) {
  for (const Conjunction& of : memberships) {
    ClauseSizes& sizes = out[of.id];
    if (sizes.size() < of.n_clauses) sizes.resize(of.n_clauses);
    if (of.clause >= 1 && of.clause <= sizes.size()) ++sizes[of.clause - std::size_t{1}];
  }
}

void add(const ByConjunction& more, ByConjunction& all) {
  for (const auto& [id, counted] : more) {
    ClauseSizes& sizes = all[id];
    sizes.resize(std::max(sizes.size(), counted.size()));
    for (std::size_t i = 0; i < counted.size(); ++i) sizes[i] += counted[i];
  }
}

std::uint32_t conjunction_of(const FlowTables& flows, FlowIndex i) {
  return static_cast<std::uint32_t>(openflow::value_of(openflow::match_of(flows.flow(i)), FieldId::conj_id));
}

// The cookie of each flow, read once, and what the members say of their conjunctive matches.
std::vector<std::uint64_t> read_cookies(const FlowTables& flows, ByConjunction& by_conjunction) {
  std::vector<std::uint64_t> cookies(flows.size());
  const auto look = [&](FlowIndex begin, FlowIndex end, ByConjunction& found) {
    std::vector<Conjunction> memberships;
    for (FlowIndex i = begin; i < end; ++i) {
      cookies[i] = flows.cookie_of(i);
      if (!flows.is_conjunctive(i)) continue;
      flows.memberships_of(i, memberships);
      count_members(memberships, found);
    }
  };
  for (const ByConjunction& some : in_pieces<ByConjunction>(flows, look)) add(some, by_conjunction);
  return cookies;
}

// Of the cookies that leave `part` when divided by `parts`.
ByCookie count(const FlowTables& flows, const std::vector<std::uint64_t>& cookies, const std::vector<bool>& of_conjunction,
               std::size_t part, std::size_t parts) {
  constexpr std::size_t kUsual = 8;  // flows of a cookie, of a large node
  ByCookie out;
  out.reserve(cookies.size() / kUsual / parts);
  InstalledFlows::OfCookie* last = nullptr;
  for (FlowIndex i = 0; i < cookies.size(); ++i) {
    if (cookies[i] == 0 || cookies[i] % parts != part) continue;
    if (last == nullptr || i == 0 || cookies[i - 1] != cookies[i]) last = &out[cookies[i]];
    last->first = std::min(last->first, i);
    if (of_conjunction[flows.shape_of(i)]) {
      last->conjunctions.push_back(conjunction_of(flows, i));
    } else {
      ++last->plain;
    }
  }
  return out;
}

}  // namespace

InstalledFlows installed_flows(const FlowTables& flows) {
  constexpr std::size_t kWorthAThread = 100'000;
  InstalledFlows all;
  const std::vector<std::uint64_t> cookies = read_cookies(flows, all.by_conjunction);
  const std::vector<bool> of_conjunction = shapes_that_look_at(flows, FieldId::conj_id);
  std::vector<ByCookie> counted(useful_threads(flows.size(), 0, kWorthAThread));
  for_each_index(counted.size(), 0, 1,
                 [&](std::size_t i) { counted[i] = count(flows, cookies, of_conjunction, i, counted.size()); });
  std::size_t cookies_seen = 0;
  for (const ByCookie& some : counted) cookies_seen += some.size();
  all.by_cookie = std::move(counted.front());
  all.by_cookie.reserve(cookies_seen);
  for (ByCookie& some : counted) all.by_cookie.merge(some);
  return all;
}

}  // namespace egt::explain
