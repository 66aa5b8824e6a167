#include "flows/counterpart.h"

#include <algorithm>

namespace egt::explain {
namespace {

using cluster::Cluster;
using cluster::DumpInfo;
using cluster::Node;

std::size_t count_of(const FlowDumps& dumps) {
  return dumps.collection == nullptr ? 0 : std::min(dumps.cluster->dumps.size(), dumps.collection->dumps.size());
}

std::optional<std::size_t> index_of(const FlowDumps& dumps, SourceId source) {
  for (std::size_t i = 0; i < count_of(dumps); ++i)
    if (dumps.cluster->dumps[i].source == source) return i;
  return std::nullopt;
}

std::int64_t time_of(const FlowDumps& dumps, SourceId source) {
  const auto index = index_of(dumps, source);
  return index ? dumps.collection->dumps[*index].time : 0;
}

SourceId of_bridge(const Node& node, const std::string& name) {
  const openflow::Bridge* bridge = node.bridge(name);
  return bridge == nullptr || bridge->presumed ? kNoSource : bridge->flows_source;
}

SourceId of_datapath(const Cluster& cluster, const Node& node) {
  for (const std::size_t i : node.dumps)
    if (const DumpInfo& dump = cluster.dumps[i]; dump.kind == kDatapathDump && dump.superseded_by.empty()) return dump.source;
  return kNoSource;
}

SourceId in_other_snapshot(const Cluster& other, const FlowQuery& query, const Node& node, const std::string& bridge) {
  if (other.handle(node.name) == nullptr) return kNoSource;
  const Node* there = other.node(node.name);
  if (there == nullptr) return kNoSource;
  return query.kind == FlowKind::datapath ? of_datapath(other, *there) : of_bridge(*there, bridge);
}

// One that was not read, as another of the same was.
SourceId second_dump(const FlowDumps& own, const FlowQuery& query, const Node& node, SourceId listed) {
  const auto read = index_of(own, listed);
  if (!read) return kNoSource;
  const SourceTable& sources = *own.cluster->sources;
  for (std::size_t i = 0; i < count_of(own); ++i) {
    const DumpInfo& dump = own.cluster->dumps[i];
    const bool same = dump.kind == (query.kind == FlowKind::datapath ? kDatapathDump : kOpenFlowDump) && dump.node == node.name &&
                      !dump.superseded_by.empty() && !dump.partial &&
                      own.collection->dumps[i].topic == own.collection->dumps[*read].topic;
    if (same && sources.at(dump.source).text != sources.at(listed).text) return dump.source;
  }
  return kNoSource;
}

}  // namespace

std::optional<Counterpart> find_counterpart(const Cluster& cluster, const FlowQuery& query, const Node& node,
                                            const std::string& bridge, SourceId listed) {
  const FlowDumps own{&cluster, query.collection};
  const bool has_other = query.since.cluster != nullptr;
  const FlowDumps& of = has_other ? query.since : own;
  const SourceId other =
      has_other ? in_other_snapshot(*query.since.cluster, query, node, bridge) : second_dump(own, query, node, listed);
  if (other == kNoSource) return std::nullopt;
  const Source source = of.cluster->sources->at(other);
  return Counterpart{
      source, of.name.empty() ? source.path.str() : of.name + ":" + source.path, {time_of(of, other), time_of(own, listed)}};
}

}  // namespace egt::explain
