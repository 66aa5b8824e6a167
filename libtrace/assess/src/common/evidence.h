// Dump lines as evidence.
#pragma once

#include <string_view>
#include <vector>

#include "egtrace/cluster/cluster.h"
#include "egtrace/explain/explanation.h"

namespace egt::assess {

// Unknown places are left out, and each line is given once.
explain::Evidence evidence(const cluster::Cluster& cluster, const std::vector<Provenance>& from);
// The line that shows most of an object or a database record, which begins at `from`: the first one in it that has the
// text, quotes left aside. Without such a line: `from`.
Provenance line_within(const cluster::Cluster& cluster, Provenance from, std::string_view text);

// The dump lines that decided what became of a path: where it stopped, else its last source translation, else the last
// routing decision.
explain::Evidence deciding_evidence(const explain::PathReport& path);
// Of an answer the walks that end before they are delivered, by a drop or a refusal that the dumps show.
struct LostWalk {
  explain::Direction direction = explain::Direction::request;
  const explain::PathReport* walk = nullptr;  // of the answer; `stopped_at` is there
};
std::vector<LostWalk> lost_walks(const explain::Explanation& answer);
// The object for which the row was made that stopped the packet: "NetworkPolicy shop/deny"; empty: none is known.
std::string stopped_for(const explain::StopReport& stop);
std::string stopped_for(const explain::PathReport& path);
// The same as words: "iptables on worker-1: OVN-KUBE-EGRESS-IP-MULTI-NIC".
std::string decided_by(const explain::PathReport& path);

}  // namespace egt::assess
