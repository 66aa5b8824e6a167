// Reads the nodes of a snapshot once their dumps are sorted: all of them, or each when it is first asked for.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "egtrace/base/published.h"
#include "egtrace/cluster/cluster.h"
#include "egtrace/parsers/snapshot.h"
#include "snapshot/compiled_state.h"
#include "snapshot/examine.h"
#include "snapshot/node_dumps.h"
#include "snapshot/settings.h"
#include "snapshot/word_places.h"

namespace egt::parsers {

// What all nodes of a snapshot are read from.
struct Sorted {
  bool as_dumped = false, as_of = false;
  bool when_needed = false;              // each node is read when it is asked for, and may be read again
  SnapshotProgress* progress = nullptr;  // until the snapshot is open
  SnapshotSettings settings;
  std::vector<Candidate> candidates;   // parallel to Cluster::dumps
  SourceId known_sources = kNoSource;  // the last that is there before a node is read
  std::shared_ptr<cluster::Cluster*> cluster;
  MadeOnce<cluster::DumpsBySize> sizes;

  std::size_t index_of(const Candidate& c) const { return static_cast<std::size_t>(&c - candidates.data()); }
  cluster::DumpInfo& info_of(const Candidate& c) const { return (*cluster)->dumps[index_of(c)]; }
};

// What a database said of the moment that it was read as of.
using Moments = std::vector<std::pair<const Candidate*, cluster::DatabaseMoment>>;

// Before a dump is read, shown or compared, once: damage of a compiled snapshot is an error (std::runtime_error), and secrets are
// masked. Of nodes that share a dump one does it after the other.
void prepare_text(const Sorted& sorted, Candidate& c);

// Puts a dump into the model. What it has to say besides goes to `diagnostics` and `moments`.
void load_dump(const Sorted& sorted, Candidate& c, cluster::Cluster& cluster, cluster::Node& node,
               std::vector<Diagnostic>& diagnostics, Moments& moments);

class NodeDumpsReader : public cluster::NodeReader {
 public:
  // `known`: of a compiled snapshot, what it keeps of the node.
  NodeDumpsReader(std::shared_ptr<Sorted> sorted, NodeDumps own_dumps, std::optional<KnownNode> known = std::nullopt);

  cluster::Outline outline() override;
  bool may_have_port(std::string_view shown) override;
  void read(cluster::Node& node) override;
  void compare_with_others(cluster::Node& node) override;
  bool forget() override;

  // Which dumps are of it, once its name is known.
  void assign_dumps(cluster::Node& node) const;
  // Whether it has databases of OVN and no flows of a switch.
  bool lacks_flows() const;
  bool has_pods_without_address() const;  // ports of pods of which only the names are listed
  const NodeDumps& own_dumps() const { return own_dumps_; }
  // What reading it, which is done, found out, as bytes from which it is read again: without looking at its dumps but for flows.
  // Empty where that would come to something else.
  std::string kept(const cluster::Node& node) const;
  // Of what was read.
  const std::vector<Candidate*>& chosen() const { return chosen_; }
  std::vector<Diagnostic> diagnostics;
  Moments moments;

 private:
  void read_kept(cluster::Node& node);
  void read_bytes(std::string_view bytes, const std::shared_ptr<const void>& keep, cluster::Node& node);
  void load_flows(cluster::Node& node) const;
  std::shared_ptr<const WordPlaces> words() const;
  std::string bytes_of(const cluster::Node& node, const std::shared_ptr<const WordPlaces>& words) const;
  std::string name_of_nameless(const cluster::Node& node) const;
  void load(Candidate& c, cluster::Node& node);
  void read_namespace(const std::string& name, const std::vector<Candidate*>& dumps, cluster::Node& node);

  std::shared_ptr<Sorted> sorted_;
  NodeDumps own_dumps_;
  std::vector<Candidate*> all_dumps_;  // with those of its network namespaces
  std::vector<Candidate*> chosen_;
  std::optional<KnownNode> known_;
  std::vector<std::string_view> texts_;                         // of all dumps, before they are read
  std::vector<std::shared_ptr<const CompiledDump>> unchecked_;  // of those whose text was not checked as a whole
  std::shared_ptr<const void> kept_texts_;                      // which what was kept views
  std::mutex guard_;                                            // of the candidates, which choosing among them marks
  bool is_read_ = false;
};

}  // namespace egt::parsers
