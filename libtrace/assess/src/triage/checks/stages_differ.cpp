// Connections that the OpenFlow flows of a node send on another path than the logical flows that these stand for.
#include <algorithm>
#include <map>
#include <set>

#include "egtrace/explain/cross_check.h"
#include "egtrace/ovn/southbound.h"
#include "triage/checks.h"

namespace egt::assess {
namespace stages_differ {

using explain::CrossCheck;
using explain::Explanation;
using explain::Question;
using explain::StageDifference;

constexpr std::size_t kMost = 48;  // connections that are compared: each is walked twice, step by step

// Without its bindings and groups a logical walk ends where OVN goes on.
bool has_bindings(const ovn::Ovn& ovn) {
  if (ovn.southbound == nullptr || !ovn.southbound->complete.contains("Port_Binding")) return false;
  return ovn.southbound->complete.contains("Multicast_Group") || ovn.complete_tables.contains("NB Logical_Switch_Port");
}

bool has_both(const cluster::Node& node) {
  const openflow::Bridge* bridge = node.integration_bridge();
  return node.ovn.program != nullptr && has_bindings(node.ovn) && bridge != nullptr && bridge->flows && !bridge->by_logical_flows;
}

std::optional<Lack> needs(const Facts& f) {
  const bool any = std::any_of(f.cluster.nodes.begin(), f.cluster.nodes.end(), [](const auto& node) { return has_both(*node); });
  return lack_if(!any, Lack::flows_of_both_kinds);
}

struct Connection {
  std::string from, to;
};

// Those of pods that audit walks, one for each of its destinations.
std::vector<Connection> connections_of(const Facts& f) {
  std::vector<Connection> all;
  std::set<std::pair<std::string, std::string>> known;
  for (const AuditRow& row : f.connections()) {
    const cluster::Node* node = row.pod.empty() ? nullptr : f.cluster.node(row.node);
    const std::string from = row.namespace_ + "/" + row.pod;
    if (node != nullptr && has_both(*node) && known.emplace(from, row.to).second) all.push_back({from, row.to});
  }
  return all;
}

// As many as are compared, evenly over all.
std::vector<Connection> sample(const std::vector<Connection>& all) {
  if (all.size() <= kMost) return all;
  std::vector<Connection> some;
  for (std::size_t i = 0; i < kMost; ++i) some.push_back(all[i * all.size() / kMost]);
  return some;
}

struct Compared {
  CrossCheck check;
  bool outcomes_differ = false;
};

Compared compare(const explain::Explainer& explainer, const Connection& connection) {
  const auto from = explain::parse_point(connection.from), to = explain::parse_point(connection.to);
  if (!from || !to) return {};
  Question q;
  q.from = *from;
  q.to = *to;
  q.dport = to->port;
  q.registers = false;
  const auto realised = explainer.explain(q);
  q.as_intended = true;
  const auto intended = explainer.explain(q);
  if (!realised || !intended) return {};
  return {cross_check(*realised, *intended), realised->outcome != intended->outcome};
}

// Of the flow that is taken; absent where no further stage is come to.
void add_terms(const std::optional<explain::LflowRef>& flow, Terms& about) {
  if (flow)
    about.insert(about.end(), {flow->datapath, flow->stage, flow->priority, flow->actions});
  else
    about.resize(about.size() + 4);
}

// The first difference of each node in one stage: the connections behind it differ likewise.
struct FirstDifference {
  const Connection* connection = nullptr;
  const StageDifference* difference = nullptr;
  std::size_t count = 0;
  bool outcomes_differ = false;
};

void report(const std::map<std::pair<std::string, std::string>, FirstDifference>& found, Findings& out) {
  for (const auto& [where, f] : found) {
    Terms about{f.difference->direction == explain::Direction::reply, f.connection->from, f.connection->to, more(f.count - 1)};
    add_terms(f.difference->realised, about);
    add_terms(f.difference->intended, about);
    out.weigh(f.outcomes_differ ? Severity::error : Severity::warning);
    out.add(Claim::stages_differ, where.first, "", about, f.difference->evidence);
  }
}

void run(const Facts& f, Findings& out) {
  const std::vector<Connection> all = connections_of(f), some = sample(all);
  const std::vector<Compared> compared =
      ask_all(f.explainer, some.size(), 0,
              [&](const explain::Explainer& explainer, std::size_t i) { return compare(explainer, some[i]); });
  std::map<std::pair<std::string, std::string>, FirstDifference> found;
  for (std::size_t i = 0; i < compared.size(); ++i) {
    if (compared[i].check.differences.empty()) continue;
    const StageDifference& first = compared[i].check.differences.front();
    const auto& flow = first.intended ? first.intended : first.realised;
    const auto [at, fresh] = found.try_emplace({first.node, flow->stage}, FirstDifference{&some[i], &first, 0, false});
    ++at->second.count;
    at->second.outcomes_differ |= compared[i].outcomes_differ;
  }
  report(found, out);
  if (some.size() < all.size()) out.sampled(some.size(), all.size());
}

}  // namespace stages_differ

const Check kStagesDiffer{"stages-differ", Severity::error, stages_differ::needs, stages_differ::run};

}  // namespace egt::assess
