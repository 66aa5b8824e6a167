#include "snapshot/flat_names.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "egtrace/base/text.h"
#include "egtrace/parsers/snapshot.h"
#include "snapshot/prompt.h"

namespace egt::parsers {
namespace {

constexpr std::string_view kBetween = "_-.";  // a node's name and the command's

// With the '/' behind it.
std::string_view folder_around(std::string_view path) { return path.substr(0, path.rfind('/') + 1); }

std::string_view host_part(std::string_view host) { return host.substr(0, host.find('.')); }

// What stands before "_hostname" in the file's name, if the text calls the node so; empty: it does not.
std::string_view node_named_by(const FoundFile& file, const std::string& command) {
  constexpr std::string_view kHostname = "hostname";
  if (!command.ends_with(kHostname) || command.size() < kHostname.size() + 2) return {};
  const std::string_view node = std::string_view(command).substr(0, command.size() - kHostname.size() - 1);
  if (kBetween.find(command[node.size()]) == std::string_view::npos) return {};
  std::string_view rest = file.content.text;
  return host_part(trim(next_line(rest))) == host_part(node) ? node : std::string_view();
}

// By folder.
std::map<std::string, std::set<std::string>, std::less<>> nodes_by_name(std::span<const FoundFile> files) {
  std::map<std::string, std::set<std::string>, std::less<>> nodes;
  for (const FoundFile& file : files) {
    const std::string command = command_of_path(file.path);
    if (const std::string_view node = node_named_by(file, command); !node.empty())
      nodes[std::string(folder_around(file.path))].emplace(node);
  }
  std::erase_if(nodes, [](const auto& folder) { return folder.second.size() < 2; });
  return nodes;
}

// The longest of the nodes that the name begins with, where a command stands behind it; empty: none.
std::string_view node_before(std::string_view name, const std::set<std::string>& nodes) {
  std::string_view best;
  for (const std::string& node : nodes)
    if (node.size() > best.size() && name.starts_with(node) && name.size() > node.size() + 1 &&
        kBetween.find(name[node.size()]) != std::string_view::npos &&
        begins_with_tool(command_of_path(name.substr(node.size() + 1))))
      best = node;
  return best;
}

}  // namespace

void give_nodes_folders(std::vector<FoundFile>& files, std::size_t count) {
  const std::span<FoundFile> some(files.data(), std::min(count, files.size()));
  const auto folders = nodes_by_name(some);
  if (folders.empty()) return;
  const auto placed = [&](const std::string& path) {
    const std::string_view folder = folder_around(path), name = std::string_view(path).substr(folder.size());
    const auto nodes = folders.find(folder);
    const std::string_view node = nodes == folders.end() ? std::string_view() : node_before(name, nodes->second);
    return node.empty() ? path : std::string(folder) + std::string(node) + "/" + std::string(name.substr(node.size() + 1));
  };
  for (FoundFile& file : some) {
    file.path = placed(file.path);
    if (!file.copy_of.empty()) file.copy_of = placed(file.copy_of);
  }
  std::stable_sort(some.begin(), some.end(), [](const FoundFile& a, const FoundFile& b) { return a.path < b.path; });
}

}  // namespace egt::parsers
