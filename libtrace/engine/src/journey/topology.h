// What is plugged into what: which node takes a frame off the wire, who answers ARP, what a pod's network looks like.
#pragma once

#include <memory>

#include "device_index.h"
#include "egtrace/base/published.h"
#include "egtrace/engine/workload.h"
#include "neighbour_answers.h"
#include "pod_neighbours.h"
#include "router_ports.h"
#include "stale_neighbours.h"

namespace egt::engine {

class LogicalNode;

// The cluster must outlive it and not change.
class Topology {
 public:
  explicit Topology(const cluster::Cluster& cluster);

  const Workloads& workloads() const { return workloads_; }
  const DeviceIndex& devices() const { return devices_; }
  const PodNeighbours& pod_neighbours() const { return pod_neighbours_; }
  const StaleNeighbours& stale_neighbours() const { return stale_neighbours_; }
  const NeighbourAnswers& neighbours() const { return neighbours_; }
  // Of a node that has Ovn::program.
  const LogicalNode& logical(const cluster::Node& node) const;

 private:
  Workloads workloads_;
  DeviceIndex devices_;
  RouterPorts router_ports_;
  PodNeighbours pod_neighbours_;
  StaleNeighbours stale_neighbours_;
  NeighbourAnswers neighbours_;
  Memo<const cluster::Node*, std::shared_ptr<const LogicalNode>> logical_;
};

}  // namespace egt::engine
