#include "egtrace/parsers/dump_copies.h"

#include <algorithm>

#include "egtrace/parsers/format.h"

namespace egt::parsers {
namespace {

bool has_counters(std::string_view kind) {
  return kind == "ovs-ofctl dump-flows" || kind.find("tables") != std::string_view::npos || kind.starts_with("nft");
}

// The bridges of a node with nothing but their ports, by whose names flows may go.
cluster::Node ports_of(const cluster::Node& node) {
  cluster::Node bare;
  bare.name = node.name;
  for (const openflow::Bridge& bridge : node.bridges) {
    openflow::Bridge& b = bare.bridges.emplace_back();
    b.name = bridge.name;
    b.interfaces = bridge.interfaces;
  }
  return bare;
}

}  // namespace

std::vector<cluster::DumpCopy> dump_copies(const cluster::Cluster& cluster, const cluster::Collection& collection) {
  std::vector<cluster::DumpCopy> copies;
  const std::size_t count = std::min(cluster.dumps.size(), collection.dumps.size());
  for (std::size_t i = 0; i < count; ++i) {
    const cluster::DumpInfo& other = cluster.dumps[i];
    const cluster::Node* node = cluster.node(other.node);
    const Format* format = find_format(other.kind);
    if (other.superseded_by.empty() || node == nullptr || format == nullptr || !has_counters(other.kind)) continue;
    for (std::size_t k = 0; k < count; ++k) {
      const cluster::DumpInfo& read = cluster.dumps[k];
      const bool same = read.superseded_by.empty() && read.node == other.node && read.kind == other.kind &&
                        collection.dumps[k].note.empty() && collection.dumps[k].topic == collection.dumps[i].topic;
      if (!same || cluster.sources->at(read.source).text == cluster.sources->at(other.source).text) continue;
      const Source& source = cluster.sources->at(other.source);
      Dump dump;
      dump.source = other.source;
      dump.path = source.path;
      dump.command = collection.dumps[i].command;
      dump.text = source.text;
      dump.first_line = source.first_line;
      dump.partial = other.partial;
      cluster::Cluster around;
      around.sources = cluster.sources;
      auto content = std::make_shared<cluster::Node>(ports_of(*node));
      Report report;
      format->load(dump, around, *content, report);
      copies.push_back({other.node, read.source, other.source, std::move(content)});
      break;
    }
  }
  return copies;
}

}  // namespace egt::parsers
