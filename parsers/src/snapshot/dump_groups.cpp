#include "snapshot/dump_groups.h"

#include <algorithm>
#include <utility>

#include "egtrace/base/text.h"
#include "snapshot/layout.h"
#include "snapshot/node_signs.h"

namespace egt::parsers {
namespace {

bool of_a_node(const Candidate& c) { return c.format != nullptr && !c.is_object(); }

bool in_support_archive(const std::string& place) { return sos_root(place).found || must_gather_root(place).found; }

// A folder that is the only one on its level and holds no node's dump itself is packaging.
std::string find_wrapper(const std::vector<Candidate>& candidates) {
  std::string wrapper;
  for (;;) {
    std::string first;
    for (const Candidate& c : candidates) {
      if (c.place.empty() || in_support_archive(c.place)) continue;  // empty: given by --dump, or standard input
      if (!c.place.starts_with(wrapper)) return wrapper;
      const std::size_t slash = c.place.find('/', wrapper.size());
      if (slash == std::string::npos) return wrapper;
      const std::string folder = c.place.substr(0, slash + 1);
      if (!first.empty() && folder != first) return wrapper;
      if (of_a_node(c) && c.place.find('/', slash + 1) == std::string::npos) return wrapper;
      first = folder;
    }
    if (first.empty()) return wrapper;
    wrapper = first;
  }
}

bool is_prefixed(const std::string& key) {
  return key.starts_with(kByUser) || key.starts_with(kByHost) || key.starts_with(kByPod) || key.starts_with(kReport);
}

// By the folders directly below `key`; what lies in `key` itself stays with it.
std::map<std::string, DumpGroup> parts_of(const std::string& key, const DumpGroup& group) {
  std::map<std::string, DumpGroup> parts;
  for (Candidate* c : group.dumps) {
    const std::size_t slash = c->place.find('/', key.size());
    parts[slash == std::string::npos ? key : c->place.substr(0, slash + 1)].dumps.push_back(c);
  }
  return parts;
}

}  // namespace

std::string_view without_packing(std::string_view name) {
  for (const std::string_view ending : {".zst", ".xz", ".gz", ".bz2", ".tar", ".tgz", ".zip"})
    if (name.ends_with(ending) && name.size() > ending.size()) name.remove_suffix(ending.size());
  return name;
}

std::string last_part(std::string_view folder) {
  while (folder.ends_with('/')) folder.remove_suffix(1);
  const std::size_t slash = folder.rfind('/');
  return std::string(slash == std::string_view::npos ? folder : folder.substr(slash + 1));
}

DumpGroups::DumpGroups(std::vector<Candidate>& candidates, const SnapshotSettings& settings, const cluster::Objects& objects)
    : settings_(settings), wrapper_(find_wrapper(candidates)) {
  for (const auto& node : objects.nodes) node_names_.insert(node.name);
  for (const Candidate& c : candidates) {
    places_.insert(c.place);
    if (const Root root = sos_root(c.place); root.found) reports_.insert(root.folder);
  }
  for (Candidate& c : candidates) {
    if (!c.is_object()) groups_[key_of(c)].dumps.push_back(&c);
  }
  split_parents();
}

std::string DumpGroups::key_of(const Candidate& c) const {
  if (!c.node.empty()) return std::string(kByUser) + c.node;
  if (const auto* setting = settings_.node_of(c.place)) return std::string(kByUser) + setting->name;
  if (const auto report = report_of(c.place)) return std::string(kReport) + *report;
  if (c.central) return std::string(kCentral);
  const bool gathered = must_gather_root(c.place).found;
  const bool database = !c.pod.empty() && read_place(c.place).pod == c.pod;
  if (gathered || database) {
    if (!c.pod.empty()) return std::string(kByPod) + c.pod;
    if (!c.host.empty()) return std::string(kByHost) + c.host;
    return std::string(gathered ? kNoNode : std::string_view());
  }
  const std::string path = home_of(c), folder = folder_of(path);
  if (!folder.empty() || path != c.place) return folder;
  if (!c.netns.empty() && !c.within_node) return std::string(kByHost) + c.netns;
  if (!c.host.empty()) return std::string(kByHost) + c.host;
  return c.pod.empty() ? std::string() : std::string(kByPod) + c.pod;
}

// later/ is a node's only beside what it is later than.
std::string DumpGroups::home_of(const Candidate& c) const {
  std::string path = path_in_node(c.place);
  const std::string log = path.substr(0, path.rfind('/') + 1) + "egtrace-collect.tsv";
  return is_second_dump(c.place) && !places_.contains(path) && !places_.contains(log) ? c.place : path;
}

// A folder whose own folders are several nodes by what their dumps say is no node itself, at any depth. One that has
// dumps of its own, or is called like a node, is: those below it may be of network namespaces.
void DumpGroups::split_parents() {
  std::vector<std::string> left;
  for (const auto& [key, group] : groups_)
    if (key.ends_with('/') && !is_prefixed(key)) left.push_back(key);
  while (!left.empty()) {
    const std::string key = std::move(left.back());
    left.pop_back();
    if (!holds_several_nodes(key, groups_[key])) continue;
    std::map<std::string, DumpGroup> parts = parts_of(key, groups_[key]);
    groups_.erase(key);
    for (auto& [folder, part] : parts) {
      if (folder != key) left.push_back(folder);
      groups_[folder] = std::move(part);
    }
  }
}

// Here or in a folder further down: a folder may have no more in it than the next one.
bool DumpGroups::holds_several_nodes(const std::string& key, const DumpGroup& group) const {
  if (is_node_object(last_part(key))) return false;
  const std::map<std::string, DumpGroup> parts = parts_of(key, group);
  if (const auto own = parts.find(key); own != parts.end() && own->second.known()) return false;
  return are_several_nodes(key, parts) || std::any_of(parts.begin(), parts.end(), [&](const auto& part) {
           return part.first != key && holds_several_nodes(part.first, part.second);
         });
}

// Two that call themselves differently, have no address in common, or are called like two nodes of the cluster.
bool DumpGroups::are_several_nodes(const std::string& key, const std::map<std::string, DumpGroup>& parts) const {
  std::optional<NodeSigns> first;
  std::size_t nodes = 0;
  for (const auto& [folder, part] : parts) {
    if (folder == key) continue;
    if (is_node_object(std::string(without_packing(last_part(folder)))) && ++nodes == 2) return true;
    const NodeSigns signs = signs_of(part.dumps);
    if (first && differ(*first, signs)) return true;
    if (!first && signs.any()) first = signs;
  }
  return false;
}

std::optional<std::string> DumpGroups::report_of(const std::string& place) const {
  std::optional<std::string> best;
  for (const std::string& root : reports_) {
    if (place.starts_with(root) && (!best || root.size() > best->size())) best = root;
  }
  // A report that is the snapshot's root does not claim a must-gather beside it.
  if (best && best->empty() && must_gather_root(place).found) return std::nullopt;
  return best;
}

std::string DumpGroups::folder_of(const std::string& place) const {
  if (!place.starts_with(wrapper_)) return {};
  const std::size_t slash = place.find('/', wrapper_.size());
  return slash == std::string::npos ? std::string() : place.substr(0, slash + 1);
}

std::vector<Candidate*> DumpGroups::take(std::string_view key) {
  const auto group = groups_.find(std::string(key));
  if (group == groups_.end()) return {};
  std::vector<Candidate*> dumps = std::move(group->second.dumps);
  groups_.erase(group);
  return dumps;
}

void DumpGroups::join_loose() {
  const auto loose = groups_.find("");
  if (loose == groups_.end() || groups_.size() != 2) return;
  DumpGroup& only = std::find_if(groups_.begin(), groups_.end(), [](const auto& g) { return !g.first.empty(); })->second;
  if (!only.known()) return;
  only.dumps.insert(only.dumps.end(), loose->second.dumps.begin(), loose->second.dumps.end());
  groups_.erase(loose);
}

bool DumpGroups::has_folder(const std::string& name) const {
  return std::any_of(groups_.begin(), groups_.end(), [&](const auto& g) {
    return !is_prefixed(g.first) && short_name_of(without_packing(last_part(g.first))) == short_name_of(name);
  });
}

}  // namespace egt::parsers
