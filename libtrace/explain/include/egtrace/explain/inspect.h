// What a snapshot holds: machines, dumps, what was not understood, what is missing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "egtrace/cluster/cluster.h"
#include "egtrace/explain/explanation.h"

namespace egt::explain {

struct DumpReport {
  std::string path, kind, tool;
  std::uint32_t lines = 0, understood = 0, ignored = 0;
  bool partial = false;
  std::vector<EvidenceLine> not_understood;
};
struct NodeReport {
  std::string name;
  std::vector<std::string> roles, addresses;
  std::string ovs_version;
  std::vector<DumpReport> dumps;
};
// Whether a node does what OVN says (one that the dumps tell it of).
struct AgreementReport {
  std::string node;
  std::size_t missing = 0, orphaned = 0;   // logical flows without OpenFlow flow; cookies without logical flow
  Evidence missing_examples, orphaned_examples;
};
struct Count { std::string what; std::uint64_t number = 0; };

struct Inspection {
  std::vector<NodeReport> nodes;
  std::vector<DumpReport> objects;         // dumps that belong to no node: Kubernetes objects
  std::vector<std::string> ovn_candidates; // release series that fit
  std::string ovn_because;
  std::vector<AgreementReport> agreements;
  std::vector<Count> counts;
  std::vector<std::string> diagnostics;
  std::vector<Gap> gaps;
};

Inspection inspect(const cluster::Cluster& cluster);

}  // namespace egt::explain
