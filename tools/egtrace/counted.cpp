#include "counted.h"

#include <algorithm>
#include <string_view>

#include "egtrace/explain/counter_evidence.h"
#include "egtrace/parsers/counters.h"

namespace egt::cli {
namespace {

using explain::DropKind;

struct Finding {
  std::string_view id;
  DropKind kind;
};
constexpr Finding kFindings[] = {
    {"egress-rp-filter", DropKind::source_check},
    {"egressip-forwarding-off", DropKind::routing},
    {"underlay-mtu", DropKind::size},
    {"tunnel-mtu", DropKind::size},
    {"pod-mtu", DropKind::size},
    {"uplink-down", DropKind::device},
};

// The node of "node/device".
std::string node_of(const std::string& place) { return place.substr(0, place.find('/')); }

}  // namespace

const std::vector<host::Counter>& Counted::of(const std::string& node) {
  const auto [at, is_new] = known_.try_emplace(node);
  if (const cluster::Node* n = is_new ? cluster_.node(node) : nullptr) at->second = parsers::read_counters(cluster_, *n);
  return at->second;
}

void Counted::add_to(explain::Explanation& explanation) {
  if (!explanation.fault || explanation.fault->at.node.empty()) return;
  const explain::StopReport& at = explanation.fault->at;
  explanation.counters =
      explain::counters_of(at.reason, explain::counted_packet(explanation.packet), at.node, of(at.node), *cluster_.sources);
}

void Counted::add_to(explain::FlowReport& flow) {
  if (flow.fate != explain::Fate::lost || !flow.last_seen || flow.last_seen->node.empty()) return;
  const explain::CountedPacket packet = explain::counted_packet(flow.packet);
  const auto drop = std::find_if(flow.events.begin(), flow.events.end(),
                                 [](const explain::EventReport& e) { return e.drop && e.drop->ends_flow; });
  if (drop != flow.events.end()) {
    const DropKind kind = explain::drop_reason(drop->drop->subsystem, drop->drop->reason).kind;
    flow.counters = explain::counters_of(kind, packet, drop->node, of(drop->node), *cluster_.sources);
    return;
  }
  const std::string last = flow.lost_between ? node_of(flow.lost_between->second) : flow.last_seen->node;
  if (flow.predicted_end != engine::Reason::none) {
    flow.counters = explain::counters_of(flow.predicted_end, packet, last, of(last), *cluster_.sources);
    return;
  }
  flow.counters = explain::counted_drops(packet, flow.last_seen->node, of(flow.last_seen->node), *cluster_.sources);
  if (last == flow.last_seen->node || cluster_.node(last) == nullptr) return;
  for (explain::CounterReport& c : explain::counted_drops(packet, last, of(last), *cluster_.sources))
    flow.counters.push_back(std::move(c));
}

void Counted::add_to(assess::Triage& triage) {
  for (assess::Finding& finding : triage.findings)
    for (const Finding& f : kFindings) {
      if (f.id != finding.id || finding.node.empty()) continue;
      for (const explain::CounterReport& c : explain::counters_of(f.kind, finding.node, of(finding.node), *cluster_.sources))
        if (c.value > 0) finding.evidence.insert(finding.evidence.end(), c.evidence.begin(), c.evidence.end());
    }
}

}  // namespace egt::cli
