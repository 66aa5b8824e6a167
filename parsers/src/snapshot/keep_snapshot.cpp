// What a compiled snapshot keeps of opening these files and of reading their nodes.
#include <algorithm>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include "egtrace/base/parallel.h"
#include "ovs_ofctl/compiled_parts.h"
#include "snapshot/compiled.h"
#include "snapshot/compiled_state.h"
#include "snapshot/gather.h"
#include "snapshot/open_snapshot.h"

namespace egt::parsers {
namespace {

class NodeKeeper {
 public:
  // `parts`: what is found in dumps of flows goes there, by the paths of files.
  NodeKeeper(const SortedSnapshot& open, const CompareFlows& compare, std::map<std::string, std::string>& parts)
      : open_(open), compare_(compare), parts_(parts) {}

  // Each file has its place before nodes are read by several threads.
  void add_file(const FoundFile& file) { files_.emplace(file.path, &file), parts_[file.path]; }

  KnownNode keep_node(NodeDumpsReader& reader, std::string& bytes) {
    KnownNode known;
    known.outline = reader.outline();
    known.lacks_flows = reader.lacks_flows();
    known.has_pods_without_address = reader.has_pods_without_address();
    cluster::Node node;
    node.name = reader.own_dumps().name;
    reader.assign_dumps(node);
    reader.read(node);
    for (ofctl::CompiledPart& part : ofctl::compiled_parts(node, *open_.cluster.sources)) keep_found(std::move(part));
    if (compare_) node.agreement = compare_(open_.cluster, node);
    bytes = reader.kept(node);
    return known;
  }

 private:
  // Of a dump that is a whole file, as it will be opened: what is kept of the node is read with it.
  void keep_found(ofctl::CompiledPart part) {
    if (part.source == kNoSource || part.source > open_.sorted->known_sources) return;
    const auto dump = std::find_if(open_.candidates().begin(), open_.candidates().end(),
                                   [&](const Candidate& c) { return c.dump.source == part.source; });
    const auto file = dump == open_.candidates().end() ? files_.end() : files_.find(dump->place);
    if (file == files_.end() || file->second->masked || !is_whole(dump->dump, *file->second)) return;
    std::string& kept = parts_.find(dump->place)->second;
    kept = std::move(part.found);
    dump->dump.compiled = std::make_shared<CompiledDump>(nullptr, kept);
  }

  const SortedSnapshot& open_;
  const CompareFlows& compare_;
  std::map<std::string_view, const FoundFile*> files_;
  std::map<std::string, std::string>& parts_;
};

}  // namespace

KeptSnapshot keep_snapshot(std::vector<FoundFile> files, const NodesOfDumps& nodes_of_dumps, bool flows, unsigned jobs,
                           const CompareFlows& compare) {
  SnapshotRequest request;
  request.jobs = jobs;
  Result<Gathered> gathered = gather(request, std::move(files));
  if (!gathered) return {};
  const std::vector<FoundFile> given = gathered->files;  // before links among them are followed
  SnapshotOpener opener(request, &nodes_of_dumps);
  if (opener.open(std::move(*gathered))) return {};
  const SortedSnapshot open = opener.take();
  // Which node is which does not show before they are read.
  if (open.has_nameless || open.has_shared_dumps()) return {};
  StateWriter state(open.files, open.cluster, open.collection, open.candidates());
  KeptSnapshot all{std::vector<std::string>(1), {}};
  const CompareFlows how = flows ? compare : CompareFlows();
  NodeKeeper keeper(open, how, all.found);
  if (flows)
    for (const FoundFile& file : given) keeper.add_file(file);
  std::vector<KnownNode> known(open.readers.size());
  std::vector<std::string> nodes(open.readers.size());
  for_each_index(open.readers.size(), jobs, 1, [&](std::size_t i) { known[i] = keeper.keep_node(*open.readers[i], nodes[i]); });
  for (std::size_t i = 0; i < open.readers.size(); ++i) {
    known[i].section = nodes[i].empty() ? 0 : all.sections.size();
    if (!nodes[i].empty()) all.sections.push_back(std::move(nodes[i]));
    state.add(open.readers[i]->own_dumps(), known[i]);
  }
  all.sections[0] = state.take();
  return all;
}

}  // namespace egt::parsers
