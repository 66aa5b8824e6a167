// Dumps that are of one node by where they lie, or by what is said of them: a folder, a report, a pod, a prompt.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/cluster/objects.h"
#include "snapshot/examine.h"
#include "snapshot/settings.h"

namespace egt::parsers {

// What a key begins with says how the node was found. Folders end in '/'.
constexpr std::string_view kByUser = "node:", kByHost = "host:", kByPod = "pod:", kReport = "sos:";
constexpr std::string_view kCentral = "central", kNoNode = "none";

// An archive stands for the folder that was packed.
std::string_view without_packing(std::string_view name);
std::string last_part(std::string_view folder);

struct DumpGroup {
  std::vector<Candidate*> dumps;
  bool known() const {
    return std::any_of(dumps.begin(), dumps.end(), [](const Candidate* c) { return c->format != nullptr; });
  }
  std::int64_t time() const {
    std::int64_t last = 0;
    for (const Candidate* c : dumps) last = std::max(last, c->time);
    return last;
  }
};

class DumpGroups {
 public:
  DumpGroups(std::vector<Candidate>& candidates, const SnapshotSettings& settings, const cluster::Objects& objects);

  const std::map<std::string, DumpGroup>& all() const { return groups_; }  // by key
  std::vector<Candidate*> take(std::string_view key);
  // Loose dumps beside exactly one named node are of that node: `--dump PATH` adds to a snapshot of one node.
  void join_loose();

  const std::string& wrapper() const { return wrapper_; }
  bool is_node_object(const std::string& name) const { return node_names_.contains(name); }
  bool has_folder(const std::string& name) const;  // of a node; dumps of two moments make none
  // The innermost sosreport around a path.
  std::optional<std::string> report_of(const std::string& place) const;

 private:
  std::string key_of(const Candidate& c) const;
  std::string home_of(const Candidate& c) const;
  std::string folder_of(const std::string& place) const;
  void split_parents();
  bool holds_several_nodes(const std::string& key, const DumpGroup& group) const;
  bool are_several_nodes(const std::string& key, const std::map<std::string, DumpGroup>& parts) const;

  const SnapshotSettings& settings_;
  std::string wrapper_;  // folders around everything, with the '/' behind them
  std::set<std::string> node_names_;
  std::set<std::string_view> places_;  // of all candidates
  std::set<std::string> reports_;      // folders of sosreports
  std::map<std::string, DumpGroup> groups_;
};

}  // namespace egt::parsers
