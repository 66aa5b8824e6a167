// What differs in meaning between two snapshots of one cluster: numbers that count, times and UUIDs do not.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "egtrace/base/result.h"
#include "egtrace/explain/explainer.h"

namespace egt::assess {

// Of one thing what only one of the snapshots has, or what each has of it.
struct Difference {
  std::string topic;  // one of difference_topics()
  std::string node;   // empty: of the cluster
  std::string what;   // "iptables nat POSTROUTING", "v4 main 10.0.0.0/8", "shop/cart to 192.0.2.1"
  std::vector<std::string> before, after;
  explain::Evidence evidence_before, evidence_after;  // of the first of each
  std::optional<std::size_t> cause = {};  // index in Differences::all of what this follows from, which has none itself
};

// A topic of which one of the snapshots shows nothing.
struct NotCompared {
  std::string topic, node, part, why;  // part: "nft", "br-int", "NAT"; empty: all of it
};

struct Differences {
  std::vector<Difference> all;  // by topic, node and thing
  std::vector<NotCompared> not_compared;
};

struct DifferenceOptions {
  std::vector<std::string> topics;          // empty: all
  std::vector<std::string> to, namespaces;  // of the paths, as AuditOptions has them
  unsigned jobs = 1;
};

// "paths", "objects", "addresses", "routes", "rules", "northbound", "logical flows", "flows".
const std::vector<std::string>& difference_topics();
// The error is for a POINT that cannot be read.
Result<Differences> compare(const explain::Explainer& before, const explain::Explainer& after,
                            const DifferenceOptions& options = {});

}  // namespace egt::assess
