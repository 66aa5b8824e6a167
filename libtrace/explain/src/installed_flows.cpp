#include "installed_flows.h"

#include <algorithm>

#include "egtrace/base/parallel.h"

namespace egt::explain {
namespace {

using openflow::Conjunction;
using openflow::FlowIndex;
using openflow::FlowTables;

void count_members(const std::vector<Conjunction>& memberships, InstalledFlows& out) {
  for (const Conjunction& of : memberships) {
    ClauseSizes& sizes = out.by_conjunction[of.id];
    if (sizes.size() < of.n_clauses) sizes.resize(of.n_clauses);
    if (of.clause >= 1 && of.clause <= sizes.size()) ++sizes[of.clause - std::size_t{1}];
  }
}

std::uint32_t conjunction_of(const FlowTables& flows, FlowIndex i) {
  return static_cast<std::uint32_t>(openflow::value_of(openflow::match_of(flows.flow(i)), FieldId::conj_id));
}

InstalledFlows count(const FlowTables& flows, FlowIndex begin, FlowIndex end) {
  constexpr std::size_t kUsual = 8;  // flows of a cookie, of a large node
  InstalledFlows out;
  out.by_cookie.reserve((end - begin) / kUsual);
  std::vector<Conjunction> memberships;
  for (FlowIndex i = begin; i < end; ++i) {
    if (flows.is_conjunctive(i)) {
      flows.memberships_of(i, memberships);
      count_members(memberships, out);
    }
    const std::uint64_t cookie = flows.cookie_of(i);
    if (cookie == 0) continue;
    InstalledFlows::OfCookie& of = out.by_cookie[cookie];
    of.first = std::min(of.first, i);
    if (openflow::looks_at(flows.shapes()[flows.shape_of(i)], FieldId::conj_id)) {
      of.conjunctions.push_back(conjunction_of(flows, i));
    } else {
      ++of.plain;
    }
  }
  return out;
}

void add(const InstalledFlows& more, InstalledFlows& all) {
  for (const auto& [cookie, counted] : more.by_cookie) {
    InstalledFlows::OfCookie& of = all.by_cookie[cookie];
    of.first = std::min(of.first, counted.first);
    of.plain += counted.plain;
    of.conjunctions.insert(of.conjunctions.end(), counted.conjunctions.begin(), counted.conjunctions.end());
  }
  for (const auto& [id, counted] : more.by_conjunction) {
    ClauseSizes& sizes = all.by_conjunction[id];
    sizes.resize(std::max(sizes.size(), counted.size()));
    for (std::size_t i = 0; i < counted.size(); ++i) sizes[i] += counted[i];
  }
}

}  // namespace

InstalledFlows installed_flows(const FlowTables& flows) {
  constexpr std::size_t kWorthAThread = 100'000;
  const std::size_t pieces = useful_threads(flows.size(), 0, kWorthAThread), n = flows.size();
  std::vector<InstalledFlows> counted(pieces);
  for_each_index(pieces, 0, 1, [&](std::size_t i) {
    counted[i] = count(flows, static_cast<FlowIndex>(n * i / pieces), static_cast<FlowIndex>(n * (i + 1) / pieces));
  });
  for (std::size_t i = 1; i < pieces; ++i) add(counted[i], counted.front());
  return std::move(counted.front());
}

}  // namespace egt::explain
