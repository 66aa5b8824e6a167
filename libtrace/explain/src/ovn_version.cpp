#include "ovn_version.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <unordered_map>

#include "phrases/inspections.h"

namespace egt::explain {
namespace {

using cluster::Node;
using openflow::Bridge;

// Shape of the pipeline by release: first OpenFlow table of the egress pipeline (OFTABLE_LOG_EGRESS_PIPELINE), logical
// number of lr_in_policy and of ls_out_pre_lb, highest physical table (controller/lflow.h, northd/northd.h at the tags).
// A stable series can change its shape in a patch release; each shape has a row.
struct Shape {
  const char* series;
  int egress_base, lr_in_policy, ls_out_pre_lb, highest_table;
};
constexpr Shape kShapes[] = {
    {"22.09.0-22.09.1", 40, 14, 0, 78}, {"22.12.0", 40, 15, 0, 78},  {"23.03.0", 40, 15, 1, 78},
    {"22.09.2+", 42, 14, 1, 78},        {"22.12.1+", 42, 15, 1, 78}, {"23.03.1+", 42, 15, 1, 78},
    {"23.06.0", 43, 15, 1, 78},         {"23.06.1+", 42, 15, 1, 78}, {"23.09", 42, 15, 1, 79},
    {"24.03.0-24.03.4", 42, 15, 1, 79}, {"24.03.5", 42, 15, 1, 83},  {"24.03.6+", 42, 15, 1, 85},
    {"24.09.0-24.09.1", 45, 16, 1, 80}, {"24.09.2", 45, 16, 1, 83},  {"24.09.3+", 45, 16, 1, 85},
    {"25.03.0", 45, 17, 3, 84},         {"25.03.1+", 45, 17, 3, 85}, {"25.09", 47, 18, 3, 87},
    {"26.03", 48, 18, 3, 88},           {"26.09", 62, 18, 3, 113},
};

struct StageNumbers {
  std::optional<int> egress_base, lr_in_policy, ls_out_pre_lb, highest_table;
};

using Stages = std::unordered_map<std::uint64_t, int>;  // logical tables of egress flows by cookie

// Where the egress pipeline begins at the earliest: cookies of flows in tables before it need not be read.
constexpr int kFirstEgressTable = std::min_element(std::begin(kShapes), std::end(kShapes), [](const Shape& a, const Shape& b) {
                                    return a.egress_base < b.egress_base;
                                  })->egress_base;

// The first flow of this or a later table where the tables follow each other, as in dumps of a switch; else any.
openflow::FlowIndex first_flow_from(const openflow::FlowTables& flows, int table) {
  openflow::FlowIndex begin = 0, end = static_cast<openflow::FlowIndex>(flows.size());
  while (begin < end) {
    const openflow::FlowIndex middle = begin + (end - begin) / 2;
    if (flows.table_of(middle) < table)
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}

// The tables of flows minus their logical stage numbers, and how often each was seen.
class EgressBases {
 public:
  EgressBases(const openflow::FlowTables& flows, const Stages& stages) : flows_(flows), stages_(stages) {}

  void look_at(openflow::FlowIndex begin, openflow::FlowIndex end) {
    constexpr int kEnough = 16;  // of a million flows that show the same
    for (openflow::FlowIndex i = begin; i < end && seen_ < kEnough; ++i) {
      const int table = flows_.table_of(i);
      if (table < kFirstEgressTable) continue;
      const std::uint64_t cookie = flows_.cookie_of(i);
      if (const auto found = stages_.find(cookie); found != stages_.end() && cookie != 0)
        ++votes_[table - found->second], ++seen_;
    }
  }
  // Where cookies collide.
  std::optional<int> commonest() const {
    const auto best = std::max_element(votes_.begin(), votes_.end(), [](auto& a, auto& b) { return a.second < b.second; });
    return best == votes_.end() ? std::nullopt : std::optional(best->first);
  }

 private:
  const openflow::FlowTables& flows_;
  const Stages& stages_;
  std::map<int, int> votes_;
  int seen_ = 0;
};

// The table of egress flows minus their logical stage number.
std::optional<int> egress_base(const Bridge& bridge, const Stages& stages) {
  EgressBases bases(*bridge.flows, stages);
  const openflow::FlowIndex egress = first_flow_from(*bridge.flows, kFirstEgressTable);
  bases.look_at(egress, static_cast<openflow::FlowIndex>(bridge.flows->size()));
  bases.look_at(0, egress);
  return bases.commonest();
}

// By some of the logical flows, and by all where those do not show it.
std::optional<int> egress_base(const Node& node, const Bridge& bridge) {
  constexpr std::size_t kSome = 1024;
  Stages stages;
  std::size_t seen = 0;
  for (const ovn::LogicalFlow& f : node.ovn.logical_flows) {
    if (seen++ == kSome)
      if (const auto base = egress_base(bridge, stages)) return base;
    if (!f.ingress && f.uuid_prefix) stages[*f.uuid_prefix] = f.table;
  }
  return egress_base(bridge, stages);
}

std::optional<int> stage_number(const Node& node, std::string_view stage) {
  for (const ovn::LogicalFlow& f : node.ovn.logical_flows)
    if (f.stage == stage) return f.table;
  return std::nullopt;
}

StageNumbers look(const Node& node) {
  StageNumbers seen;
  seen.lr_in_policy = stage_number(node, "lr_in_policy");
  seen.ls_out_pre_lb = stage_number(node, "ls_out_pre_lb");
  if (const Bridge* bridge = node.integration_bridge();
      bridge != nullptr && bridge->flows && bridge->flows->size() > 0 && !bridge->flows_partial) {
    seen.egress_base = egress_base(node, *bridge);
    for (int t = 120; t >= 66 && !seen.highest_table; --t)
      if (bridge->flows->has_table(static_cast<std::uint8_t>(t))) seen.highest_table = t;
  }
  return seen;
}

bool fits(const Shape& shape, const StageNumbers& seen) {
  if (seen.egress_base && *seen.egress_base != shape.egress_base) return false;
  if (seen.lr_in_policy && *seen.lr_in_policy != shape.lr_in_policy) return false;
  if (seen.ls_out_pre_lb && *seen.ls_out_pre_lb != shape.ls_out_pre_lb) return false;
  // Tables may be empty, so the highest one in use only excludes older releases.
  return !seen.highest_table || *seen.highest_table <= shape.highest_table;
}

std::string reason(const Node& node, const StageNumbers& seen) {
  return phrase_of_pipeline(node.name, {seen.egress_base, seen.lr_in_policy, seen.ls_out_pre_lb, seen.highest_table});
}

std::vector<std::string> candidates_for(const StageNumbers& seen) {
  std::vector<std::string> candidates;
  if (!seen.egress_base && !seen.lr_in_policy) return candidates;
  for (const Shape& shape : kShapes)
    if (fits(shape, seen)) candidates.emplace_back(shape.series);
  return candidates;
}

}  // namespace

std::vector<std::string> ovn_versions_of(const cluster::Node& node) { return candidates_for(look(node)); }

OvnVersion infer_ovn_version(const cluster::Cluster& cluster) {
  OvnVersion version;
  for (const auto& node : cluster.nodes) {
    const StageNumbers seen = look(*node);
    if (!seen.egress_base && !seen.lr_in_policy) continue;
    std::vector<std::string> candidates = candidates_for(seen);
    if (version.because.empty()) {
      version.candidates = candidates;
      version.because = reason(*node, seen);
    } else if (candidates != version.candidates) {
      // Nodes in the middle of an upgrade differ; all that fits any node is named.
      for (std::string& c : candidates)
        if (std::find(version.candidates.begin(), version.candidates.end(), c) == version.candidates.end())
          version.candidates.push_back(std::move(c));
      version.because += "; " + reason(*node, seen);
    }
  }
  if (version.because.empty()) version.because = phrase(Observation::no_stage_names, {});
  return version;
}

}  // namespace egt::explain
