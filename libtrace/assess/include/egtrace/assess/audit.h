// For every pod and node: the source address that the other end sees, and where the packet leaves.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/assess/shard.h"
#include "egtrace/base/result.h"
#include "egtrace/cluster/node_budget.h"
#include "egtrace/explain/explainer.h"

namespace egt::assess {

// What the destination of a row stands for. `given`: it was asked for by --to.
enum class Target : std::uint8_t { outside_v4, outside_v6, service, other_node, pod, given };
std::string_view name_of(Target target);  // "outside v4": that JSON and CSV have
std::optional<Target> parse_target(std::string_view name);
inline bool is_outside(Target target) { return target == Target::outside_v4 || target == Target::outside_v6; }

// One path of one packet.
struct AuditRow {
  std::string pod, namespace_, node, ip;  // pod and namespace empty: the node itself
  std::string to;                         // as --to takes it
  Target to_kind = Target::given;
  explain::Outcome outcome = explain::Outcome::undecided;         // of the connection, on this path
  explain::Verdict verdict = explain::Verdict::inconclusive;      // of the request
  explain::Confidence confidence = explain::Confidence::assumed;  // of the outcome
  std::optional<explain::Direction> fails;                        // the packet of the connection that fails
  std::optional<explain::StopReport> stopped_at;                  // and where
  std::optional<explain::SeenAddress> source_seen;
  std::string egress_node, egress_device, decided_by;
  explain::Evidence evidence;
  std::string object;     // the egress object that selects the pod: "EgressIP project"; empty: none
  bool leak = false;      // it does, and this path leaves otherwise
  std::string expected;   // what that object asks for; empty: nothing
  std::size_t order = 0;  // of its sender among all senders, where rows are put together from shards
  bool service_moved =
      false;  // OVN on the node has the service at other addresses: objects and databases are of different moments
};

// Whether the connection is refused or not answered, on this path or on some of those it stands for.
bool is_failure(const AuditRow& row);

struct AuditOptions {
  std::vector<std::string> to;          // POINTs; empty: outside (of both families), a service, another node
  std::vector<std::string> namespaces;  // patterns; empty: all pods, and the nodes
  bool one_way = false;                 // walk requests alone
  unsigned jobs = 1;                    // threads that share the rows out; 0: one a processor
  Shard shard = {};                     // senders of some nodes alone
};

// Leaks first, then rows whose outcome differs from that of most rows to the same destination; within both by namespace,
// pod, node and destination. The error is for a POINT that cannot be read.
// Of a shard the order is that of all rows once they are together.
void sort_by_interest(std::vector<AuditRow>& rows);
Result<std::vector<AuditRow>> audit(const explain::Explainer& explainer, const AuditOptions& options = {});
// The same of a snapshot whose nodes are read when they are needed: where they take more than `budget` they are put away and read
// again, so that the caller must not keep pointers into one. `collection`: as Explainer has it.
Result<std::vector<AuditRow>> audit(const cluster::Cluster& cluster, const cluster::Collection* collection,
                                    const cluster::NodeBudget& budget, const AuditOptions& options = {});

}  // namespace egt::assess
