// What the last few destinations turned out to be: many senders are asked about the same one.
#pragma once

#include <string>
#include <vector>

#include "egtrace/explain/point.h"

namespace egt::explain {

class Destinations {
 public:
  // As explain::resolve, always with the same cluster and workloads.
  Result<Resolved> resolve(const Point& point, const cluster::Cluster& cluster, const engine::Workloads& workloads,
                           const std::string& network) {
    for (const ResolvedPoint& k : known_)
      if (k.point == point && k.network == network) return k.resolved;
    Result<Resolved> fresh = explain::resolve(point, cluster, workloads, &network);
    if (!fresh) return fresh;
    constexpr std::size_t kMost = 8;
    if (known_.size() < kMost) known_.emplace_back();
    known_[next_] = {point, network, *fresh};
    next_ = (next_ + 1) % kMost;
    return fresh;
  }

 private:
  struct ResolvedPoint {
    Point point;
    std::string network;  // of the sender
    Resolved resolved;
  };
  std::vector<ResolvedPoint> known_;
  std::size_t next_ = 0;  // to be forgotten for another
};

}  // namespace egt::explain
