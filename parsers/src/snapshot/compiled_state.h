// What a compiled snapshot keeps of opening it and of reading its nodes, so that neither is done again: which dumps there are and
// whose, the objects, where each node may be found without reading it, and of each node all that its dumps showed but for flows
// and groups, which have sections of their own.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/cluster/cluster.h"
#include "egtrace/cluster/collection.h"
#include "egtrace/parsers/compile.h"
#include "snapshot/compiled.h"
#include "snapshot/examine.h"
#include "snapshot/node_dumps.h"

namespace egt::parsers {

// What a node's text mentions: hashes of its words, by which a name or an address is shown not to be there.
class MentionedWords {
 public:
  MentionedWords() = default;
  explicit MentionedWords(std::string_view hashes) : hashes_(hashes) {}  // as bytes_of() gave them
  static std::string bytes_of(const std::vector<std::string_view>& texts);

  // False: none of the texts has it as a name or an address of its own.
  bool may_have(std::string_view shown) const;

 private:
  std::string_view hashes_;  // 32 bits each, ascending
};

// Of one node, before it is read.
struct KnownNode {
  cluster::Outline outline;
  bool lacks_flows = false, has_pods_without_address = false;
  MentionedWords words;  // of dumps that list ports, but for the remote ends of tunnels
  std::shared_ptr<const CompiledSections> sections;
  std::size_t section = 0;  // what reading it found out; 0: nothing is kept
};

struct OpenedNode {
  NodeDumps node;
  std::optional<KnownNode> known;
};

// A snapshot whose dumps are sorted.
struct OpenedSnapshot {
  std::vector<Candidate> candidates;
  std::vector<cluster::DumpInfo> dumps;
  std::vector<Diagnostic> diagnostics;
  cluster::Objects objects;
  std::string obfuscated_by;
  std::vector<std::string> collected_by, missing;
  bool translated_back = false;
  std::vector<OpenedNode> nodes;  // their dumps are among `candidates`
};

class StateWriter {
 public:
  // To be called before any node is looked at; `sources` has the dumps and nothing of what is in them.
  StateWriter(const std::vector<FoundFile>& files, const cluster::Cluster& cluster, const cluster::Collection& collection,
              const std::vector<Candidate>& candidates);
  // In the order in which they are opened; the words of its dumps are looked for here.
  void add(const NodeDumps& node, const KnownNode& known);
  std::string take();

 private:
  struct Kept;
  std::shared_ptr<Kept> kept_;
};

// Throws std::runtime_error where the section is not what StateWriter wrote for these files.
OpenedSnapshot read_state(const std::vector<FoundFile>& files, const std::shared_ptr<const CompiledSections>& sections,
                          SourceTable& sources, SourceId known);

// What is kept of a snapshot of these files (file_to_open()).
struct KeptSnapshot {
  std::vector<std::string> sections;         // none where it is opened as if none were kept
  std::map<std::string, std::string> found;  // by path of the file, if there are sections
};
// `nodes_of_dumps`: by paths of dumps the nodes that they were found to be of, also where only their content shows it; the node
// of a dump that is not there has to show itself. Each node is read once. `flows`: whether what is found in dumps of flows and
// groups is kept, and what they come to beside logical flows.
using NodesOfDumps = std::map<std::string, std::string, std::less<>>;
KeptSnapshot keep_snapshot(std::vector<FoundFile> files, const NodesOfDumps& nodes_of_dumps, bool flows, unsigned jobs,
                           const CompareFlows& compare = {});

// Whether a dump is all of a file, unchanged.
bool is_whole(const Dump& dump, const FoundFile& file);

}  // namespace egt::parsers
