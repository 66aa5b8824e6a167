// What a snapshot holds: nodes, dumps, networks, what was not understood, what is missing, and what flows are for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "egtrace/cluster/cluster.h"
#include "egtrace/cluster/collection.h"
#include "egtrace/explain/explanation.h"

namespace egt::explain {

struct DumpReport {
  std::string path, kind, tool;
  std::uint32_t lines = 0, understood = 0, ignored = 0;
  bool partial = false;
  std::vector<EvidenceLine> not_understood;
  std::string command;  // that printed it, as far as it is shown
  std::uint64_t bytes = 0;
  std::string time;  // "2026-03-01T12:00:00Z"; empty: nothing shows
  std::string why_partial, note;
  std::string superseded_by;  // the dump of the same thing that was read instead
};
struct NodeReport {
  std::string name;
  std::vector<std::string> roles, addresses;
  std::string ovs_version;
  std::string gateway_mode;  // "local", "shared" or empty
  std::string gateway_because;
  std::vector<DumpReport> dumps;
};
// Whether a node does what OVN demands (one that the dumps show it of).
struct AgreementReport {
  std::string node;
  std::size_t missing = 0, orphaned = 0;  // logical flows without OpenFlow flow; cookies without logical flow
  Evidence missing_examples, orphaned_examples;
};
struct Count {
  std::string what;
  std::uint64_t number = 0;
};

// A range of addresses and what it is for.
struct NetworkReport {
  std::string what, node, prefix;
  Evidence evidence;
};

// Flows of one bridge that serve one purpose, shown by the stages of the logical flows that they come from.
struct FeatureReport {
  std::string node, bridge, feature;
  std::uint64_t flows = 0, hit = 0, packets = 0;  // hit: flows that ever counted a packet
};
// A logical flow (of an ACL: one rule) with the packets that its OpenFlow flows counted.
struct LogicalFlowReport {
  std::string node, uuid, stage, match, actions;
  std::uint64_t flows = 0, packets = 0;
};

// What dumps hold and no walk asks: meters, queues, bonds and the like.
struct UnconsideredReport {
  std::string node, what;
  std::size_t lines = 0;
  Evidence first;
};

// What a parser or a merge of dumps remarks on a place.
struct DiagnosticReport {
  std::string head;          // "w1/ip_rule:7:3: warning: no such selector"
  std::string line;          // of the dump; empty: none is meant
  std::uint32_t column = 0;  // of that line, in bytes from 1; 0: the whole
};

struct Inspection {
  std::vector<NodeReport> nodes;
  std::vector<DumpReport> objects;  // dumps that belong to no node: Kubernetes objects
  std::vector<std::string> collected_by;
  std::string obfuscated_by;
  bool translated_back = false;             // by the private map of `sos clean`
  std::vector<std::string> ovn_candidates;  // release series that fit
  std::string ovn_because;
  std::vector<AgreementReport> agreements;
  std::vector<NetworkReport> networks;
  std::vector<Count> counts;
  std::vector<FeatureReport> features;
  std::vector<LogicalFlowReport> acls;     // all, busiest first
  std::vector<LogicalFlowReport> busiest;  // logical flows, at most 20
  std::vector<std::string> times;          // what the times of dumps show
  std::vector<DiagnosticReport> diagnostics;
  std::vector<Gap> gaps;
  std::vector<UnconsideredReport> unconsidered;  // empty unless asked for: report_unconsidered()
};

Inspection inspect(const cluster::Cluster& cluster, const cluster::Collection& collection = {});
DiagnosticReport report_diagnostic(const Diagnostic& d, const SourceTable& sources);
// By node and name. Goes through all flows.
std::vector<UnconsideredReport> report_unconsidered(const cluster::Cluster& cluster);

}  // namespace egt::explain
