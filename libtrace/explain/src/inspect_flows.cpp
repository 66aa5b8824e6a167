#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "in_pieces.h"
#include "inspect_parts.h"
#include "phrases/inspections.h"

namespace egt::explain {
namespace {

constexpr std::size_t kBusiest = 20;

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// What a stage of northd is for (ovn-northd(8) describes each).
Purpose purpose_of(std::string_view stage) {
  if (has(stage, "acl")) return Purpose::policies;
  if (has(stage, "lr_in_policy")) return Purpose::routing_policies;
  if (has(stage, "lb") || has(stage, "hairpin") || has(stage, "lr_in_dnat") || has(stage, "stateful")) return Purpose::services;
  if (has(stage, "nat")) return Purpose::nat;
  if (has(stage, "ip_routing") || has(stage, "l2_lkup") || has(stage, "gw_redirect")) return Purpose::routing;
  if (has(stage, "arp") || has(stage, "_nd_") || has(stage, "neighbor")) return Purpose::neighbour_discovery;
  if (has(stage, "qos")) return Purpose::qos;
  if (has(stage, "dhcp") || has(stage, "dns")) return Purpose::dhcp_and_dns;
  if (has(stage, "port_sec") || has(stage, "admission")) return Purpose::admission;
  return Purpose::other_stages;
}

struct Sum {
  std::uint64_t flows = 0, hit = 0, packets = 0;
  void add(std::uint64_t counted) {
    ++flows;
    hit += counted > 0 ? 1 : 0;
    packets += counted;
  }
};

class Counting {
 public:
  explicit Counting(const cluster::Node& node) : node_(node) {
    for (const ovn::LogicalFlow& f : node.ovn.logical_flows)
      if (f.uuid_prefix) logical_.try_emplace(*f.uuid_prefix, Logical{&f, purpose_of(f.stage), {}});
  }

  void bridge(const openflow::Bridge& b, Inspection& out) {
    if (!b.flows) return;
    const auto pieces = in_pieces<std::vector<FlowCount>>(
        *b.flows, [&](openflow::FlowIndex begin, openflow::FlowIndex end, std::vector<FlowCount>& counted) {
          counted.reserve(end - begin);
          for (openflow::FlowIndex i = begin; i < end; ++i) counted.push_back(count(*b.flows, i));
        });
    std::map<Purpose, Sum> purposes;
    for (const std::vector<FlowCount>& counted : pieces)
      for (const auto& [packets, logical] : counted) {
        purposes[logical == nullptr ? without_logical() : logical->purpose].add(packets);
        if (logical != nullptr) logical->sum.add(packets);
      }
    const std::size_t first = out.features.size();
    for (const auto& [purpose, sum] : purposes)
      out.features.push_back({node_.name, b.name, std::string(words_of(purpose)), sum.flows, sum.hit, sum.packets});
    std::sort(out.features.begin() + static_cast<std::ptrdiff_t>(first), out.features.end(),
              [](const auto& one, const auto& other) { return one.feature < other.feature; });
  }

  void logical(Inspection& out) const {
    for (const auto& [cookie, of] : logical_) {
      const auto& [flow, purpose, sum] = of;
      if (sum.flows == 0) continue;
      const LogicalFlowReport report{node_.name,
                                     std::string(flow->uuid),
                                     std::string(flow->stage),
                                     std::string(flow->match),
                                     std::string(flow->actions),
                                     sum.flows,
                                     sum.packets};
      if (has(flow->stage, "acl")) out.acls.push_back(report);
      if (sum.packets > 0) out.busiest.push_back(report);
    }
  }

 private:
  struct Logical {
    const ovn::LogicalFlow* flow = nullptr;
    Purpose purpose = Purpose::other_stages;
    Sum sum;
  };

  struct FlowCount {
    std::uint64_t packets = 0;
    Logical* logical = nullptr;  // null: its cookie is of none
  };

  FlowCount count(const openflow::FlowTables& flows, openflow::FlowIndex i) {
    const auto known = logical_.find(flows.cookie_of(i));
    return {flows.packets_of(i).value_or(0), known == logical_.end() ? nullptr : &known->second};
  }
  Purpose without_logical() const { return logical_.empty() ? Purpose::all_flows : Purpose::no_logical_flow; }

  const cluster::Node& node_;
  std::unordered_map<std::uint64_t, Logical> logical_;  // by cookie
};

bool busier(const LogicalFlowReport& a, const LogicalFlowReport& b) {
  if (a.packets != b.packets) return a.packets > b.packets;
  return std::tie(a.node, a.stage, a.uuid, a.match) < std::tie(b.node, b.stage, b.uuid, b.match);
}

}  // namespace

void report_flows(const cluster::Cluster& cluster, Inspection& out) {
  for (const auto& node : cluster.nodes) {
    Counting counting(*node);
    for (const openflow::Bridge& b : node->bridges) counting.bridge(b, out);
    counting.logical(out);
  }
  std::sort(out.acls.begin(), out.acls.end(), busier);
  std::sort(out.busiest.begin(), out.busiest.end(), busier);
  if (out.busiest.size() > kBusiest) out.busiest.resize(kBusiest);
}

}  // namespace egt::explain
