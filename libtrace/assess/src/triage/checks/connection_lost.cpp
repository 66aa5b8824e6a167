// Connections of pods, of nodes and of clients outside that are not answered, and that no other finding explains.
#include <map>
#include <set>
#include <tuple>

#include "common/evidence.h"
#include "common/look.h"
#include "triage/checks.h"

namespace egt::assess {
namespace connection_lost {

using explain::Direction;

// One connection that fails.
struct Failure {
  std::string sender;  // a POINT
  bool is_of_node = false;
  std::string to;
  Target to_kind = Target::pod;
  Direction direction = Direction::request;
  const explain::StopReport* at = nullptr;
  const explain::Evidence* evidence = nullptr;
  std::string object;       // that asks for it: "NetworkPolicy shop/deny"
  std::string selected_by;  // the egress object that selects the sender
  bool service_moved = false;
  const LostFromOutside* outside = nullptr;  // of which client it is
};

// What connections have in common that fail for one reason: a policy stops what is sent anywhere, and each node has the same flows.
auto kind_of(const Failure& f) {
  return std::make_tuple(f.is_of_node, f.outside != nullptr, f.direction, f.object.empty() ? f.to_kind : Target::given, f.object,
                         f.at->where, f.at->reason);
}

// The other nodes on which they are lost, in order.
std::vector<std::string> other_nodes(const std::vector<const Failure*>& alike) {
  std::set<std::string> nodes;
  for (const Failure* failure : alike)
    if (failure->at->node != alike.front()->at->node) nodes.insert(failure->at->node);
  return {nodes.begin(), nodes.end()};
}

// How many besides that of the first.
Term other_destinations(const std::vector<const Failure*>& alike) {
  std::set<std::string> all;
  for (const Failure* failure : alike) all.insert(failure->to);
  return alike.front()->object.empty() ? Term() : more(all.size() - 1);
}

std::size_t senders_of(const std::vector<const Failure*>& alike) {
  std::set<std::string> all;
  for (const Failure* failure : alike) all.insert(failure->sender);
  return all.size();
}

std::vector<Failure> failures_of(const Facts& f) {
  std::vector<Failure> all;
  for (const AuditRow& row : f.connections())
    if (row.stopped_at && is_failure(row) &&
        !(row.pod.empty() && row.to_kind == Target::service))  // to services as pods of the node
      all.push_back({row.pod.empty() ? "node:" + row.node : row.namespace_ + "/" + row.pod, row.pod.empty(), row.to, row.to_kind,
                     *row.fails, &*row.stopped_at, &row.evidence, stopped_for(*row.stopped_at), row.object, row.service_moved});
  for (const LostBetweenNodes& lost : f.lost_between_nodes())
    if (!lost.at.in_tunnel)
      all.push_back({lost.from->full_name(),
                     false,
                     lost.to->full_name(),
                     Target::pod,
                     lost.direction,
                     &lost.at,
                     &lost.evidence,
                     stopped_for(lost.at),
                     {},
                     false});
  for (const LostFromNode& lost : f.lost_from_nodes())
    all.push_back({"node:" + lost.to->node,
                   true,
                   lost.to->full_name(),
                   Target::pod,
                   lost.direction,
                   &lost.at,
                   &lost.evidence,
                   {},
                   {},
                   false});
  for (const LostFromOutside& lost : f.lost_from_outside())
    all.push_back({lost.client.to_string(),
                   false,
                   lost.to,
                   Target::service,
                   lost.direction,
                   &lost.at,
                   &lost.evidence,
                   {},
                   {},
                   lost.moved,
                   &lost});
  return all;
}

// What a policy asks for may be meant; what goes to a node by its address is rarely what applications do, and what a node sends
// itself is not what the cluster is for, but for kubelet's probes of its pods.
Severity severity_of(const Failure& failure) {
  const bool is_of_node = failure.is_of_node && failure.to_kind != Target::pod;
  const bool is_minor = failure.to_kind == Target::other_node || is_of_node || failure.service_moved;
  return failure.object.empty() && !is_minor ? Severity::error : Severity::note;
}

void report(const std::vector<const Failure*>& alike, Findings& out) {
  const Failure& first = *alike.front();
  const explain::StopReport& stop = *first.at;
  out.weigh(severity_of(first));
  out.also_on(other_nodes(alike));
  if (first.outside != nullptr)
    return out.add(Claim::connection_from_outside_lost, stop.node, "",
                   {first.sender, first.to, other_destinations(alike), first.direction, stop.where, stop.why, first.service_moved,
                    if_any(first.outside->arrive_at), if_any(first.outside->protocol == "tcp" ? "" : first.outside->protocol),
                    first.outside->service->full_name()},
                   *first.evidence);
  out.add(Claim::connection_lost, stop.node, first.object,
          {first.sender, first.is_of_node, more(senders_of(alike) - 1), first.to, other_destinations(alike), first.direction,
           stop.where, stop.why, first.service_moved},
          *first.evidence);
}

void run(const Facts& f, Findings& out) {
  const std::vector<Failure> failures = failures_of(f);
  std::vector<std::vector<const Failure*>> losses;
  std::map<decltype(kind_of(failures.front())), std::size_t> places;  // in `losses`
  for (const Failure& failure : failures) {
    if ((!failure.selected_by.empty() && out.has_cause(failure.selected_by, failure.sender)) || out.explains(*failure.at))
      continue;
    const auto [place, is_new] = places.emplace(kind_of(failure), losses.size());
    if (is_new) losses.emplace_back();
    losses[place->second].push_back(&failure);
  }
  for (const auto& alike : losses) report(alike, out);
}

}  // namespace connection_lost

const Check kConnectionLost{"connection-lost", Severity::error, always, connection_lost::run, Check::Finds::consequence};

}  // namespace egt::assess
