// Reads the machines of a snapshot once their dumps are sorted: all of them, or each when somebody first looks at it.
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
#include "snapshot/examine.h"
#include "snapshot/machines.h"
#include "snapshot/settings.h"

namespace egt::parsers {

// What all machines of a snapshot are read from.
struct Sorted {
  bool as_told = false, as_of = false;
  SnapshotProgress* progress = nullptr;   // until the snapshot is open
  SnapshotSettings settings;
  std::vector<Candidate> candidates;      // parallel to Cluster::dumps
  std::shared_ptr<cluster::Cluster*> cluster;
  MadeOnce<cluster::DumpsBySize> sizes;

  std::size_t index_of(const Candidate& c) const { return static_cast<std::size_t>(&c - candidates.data()); }
  cluster::DumpInfo& info_of(const Candidate& c) const { return (*cluster)->dumps[index_of(c)]; }
};

// What a database told of the moment that it was read as of.
using Moments = std::vector<std::pair<const Candidate*, cluster::DatabaseMoment>>;

// Before a dump is read, shown or compared, once: damage of a compiled snapshot is an error (std::runtime_error), and secrets are
// masked. Of machines that share a dump one does it after the other.
void prepare_text(const Sorted& sorted, Candidate& c);

// Puts a dump into the model. What it has to say besides goes to `diagnostics` and `moments`.
void load_dump(const Sorted& sorted, Candidate& c, cluster::Cluster& cluster, cluster::Node& node,
               std::vector<Diagnostic>& diagnostics, Moments& moments);

class MachineReader : public cluster::NodeReader {
 public:
  MachineReader(std::shared_ptr<Sorted> sorted, Machine machine);

  cluster::Outline outline() override;
  bool may_have_port(std::string_view told) override;
  void read(cluster::Node& node) override;
  void compare_with_others(cluster::Node& node) override;

  // Which dumps are of it, once its name is known.
  void assign_dumps(cluster::Node& node) const;
  // Whether it has databases of OVN and no flows of a switch.
  bool lacks_flows() const;
  // Of what was read.
  const std::vector<Candidate*>& chosen() const { return chosen_; }
  std::vector<Diagnostic> diagnostics;
  Moments moments;

 private:
  std::string name_of_nameless(const cluster::Node& node) const;
  void load(Candidate& c, cluster::Node& node);
  void read_namespace(const std::string& name, const std::vector<Candidate*>& dumps, cluster::Node& node);

  std::shared_ptr<Sorted> sorted_;
  Machine machine_;
  std::vector<Candidate*> all_dumps_;   // with those of its network namespaces
  std::vector<Candidate*> chosen_;
  std::mutex guard_;   // of the candidates, which choosing among them marks
  bool is_read_ = false;
};

}  // namespace egt::parsers
