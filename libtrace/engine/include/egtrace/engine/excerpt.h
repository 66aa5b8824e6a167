// What a handful of dump lines prove of a packet when the walk itself is impossible: the port by which the packet enters is
// not known, and most tables are missing. Each line is judged alone, with three outcomes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "egtrace/cluster/cluster.h"
#include "egtrace/engine/truth.h"
#include "egtrace/packet/packet.h"

namespace egt::engine {

struct JudgedFlow {
  const cluster::Node* node = nullptr;
  const openflow::Bridge* bridge = nullptr;
  openflow::FlowIndex flow = openflow::kNoFlow;
  Truth matches = Truth::unknown;
  std::vector<FieldId> conflicts;  // fields in which this packet differs
  std::vector<FieldId> open;       // fields that these lines do not show (registers, metadata, MACs, …)
  bool shadowed = false;           // a flow of higher priority for the same datapath and table may match
  bool bookkeeping = false;        // counts the use of a MAC binding; an empty action list drops nothing
};

// Flows of all bridges, by node, bridge, table, descending priority. `first` is a first packet: no connection knows it.
std::vector<JudgedFlow> judge_flows(const cluster::Cluster& cluster, const FlowKey& first);

struct JudgedRule {
  const cluster::Node* node = nullptr;
  const netfilter::Table* table = nullptr;
  const netfilter::Chain* chain = nullptr;
  const netfilter::Rule* rule = nullptr;
  const netfilter::NatTarget* target = nullptr;
  std::string front_end;                           // "iptables", "nft"
  std::string out_device;                          // the rule, or the element of its map, asks for it
  std::optional<IpAddr> mapped;                    // what its map holds for this packet
  const netfilter::SetElement* element = nullptr;  // that holds it
  const Provenance& from() const { return element != nullptr ? element->from : rule->from; }
};

// Source translations of one node whose source address test this packet passes; other tests may still fail. Of a map by
// source and outgoing device (`ip saddr . oifname`) one for each device.
std::vector<JudgedRule> judge_source_nat(const cluster::Node& node, const FlowKey& first);

// Translations of the source (snat, masquerade) or destination (dnat) that name the packet's address, or look it up in a
// map that has it. None of their other tests is known to fail; some may.
std::vector<JudgedRule> judge_nat(const cluster::Cluster& cluster, const FlowKey& first);

}  // namespace egt::engine
