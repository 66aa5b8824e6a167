// Counters of the nodes at which packets are lost, read where they are asked for.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "egtrace/assess/triage.h"
#include "egtrace/cluster/cluster.h"
#include "egtrace/explain/capture.h"
#include "egtrace/explain/explanation.h"
#include "egtrace/host/counter.h"

namespace egt::cli {

class Counted {
 public:
  explicit Counted(const cluster::Cluster& cluster) : cluster_(cluster) {}

  void add_to(explain::Explanation& explanation);
  void add_to(explain::FlowReport& flow);
  // To the evidence of findings about what drops packets.
  void add_to(assess::Triage& triage);

 private:
  const std::vector<host::Counter>& of(const std::string& node);

  const cluster::Cluster& cluster_;
  std::map<std::string, std::vector<host::Counter>> known_;
};

}  // namespace egt::cli
