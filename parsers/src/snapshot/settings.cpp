#include "snapshot/settings.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "egtrace/base/text.h"
#include "egtrace/cluster/role_names.h"

namespace egt::parsers {
namespace {

std::uint32_t line_of(const YAML::Node& node) {
  return node.Mark().line < 0 ? 0 : static_cast<std::uint32_t>(node.Mark().line) + 1;
}

[[noreturn]] void refuse(const YAML::Node& node, const std::string& what) {
  throw std::runtime_error(fmt::format("{}: {}", line_of(node), what));
}

std::string text_at(const YAML::Node& map, const char* key) {
  const YAML::Node value = map[key];
  if (!value) return {};
  if (!value.IsScalar()) refuse(value, fmt::format("`{}` must be a text", key));
  return value.Scalar();
}

void check_keys(const YAML::Node& map, std::initializer_list<std::string_view> known) {
  if (!map.IsMap()) refuse(map, fmt::format("expected a map with the keys {}", fmt::join(known, ", ")));
  for (const auto& entry : map) {
    const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : std::string("?");
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      refuse(entry.first, fmt::format("unknown key `{}`; known are {}", key, fmt::join(known, ", ")));
    }
  }
}

cluster::Role role_of(const YAML::Node& value) {
  for (const auto& [name, role] : cluster::kRoleNames) {
    if (value.IsScalar() && value.Scalar() == name) return role;
  }
  refuse(value, "roles are cluster-node, router, gateway, server");
}

void read_node(const YAML::Node& item, SnapshotSettings& out) {
  check_keys(item, {"name", "path", "roles"});
  SnapshotSettings::NodeSetting node;
  node.name = text_at(item, "name");
  node.path = text_at(item, "path");
  node.line = line_of(item);
  if (node.name.empty()) refuse(item, "a node needs a `name`");
  if (const YAML::Node roles = item["roles"]) {
    for (const YAML::Node& role : roles) node.roles.push_back(role_of(role));
  }
  out.nodes.push_back(std::move(node));
}

void read_dump(const YAML::Node& item, SnapshotSettings& out) {
  check_keys(item, {"path", "node", "kind", "command"});
  SnapshotSettings::DumpSetting dump{text_at(item, "path"), text_at(item, "node"), text_at(item, "kind"),
                                     text_at(item, "command"), line_of(item)};
  if (dump.path.empty()) refuse(item, "a dump needs a `path`");
  out.dumps.push_back(std::move(dump));
}

std::pair<std::string, std::string> wire_end(const YAML::Node& value) {
  const std::string text = value.IsScalar() ? value.Scalar() : std::string();
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos || slash == 0 || slash + 1 == text.size()) refuse(value, "a link's end is NODE/DEVICE");
  return {text.substr(0, slash), text.substr(slash + 1)};
}

void read_link(const YAML::Node& item, SnapshotSettings& out) {
  if (!item.IsSequence() || item.size() != 2) refuse(item, "a link is [NODE/DEVICE, NODE/DEVICE]");
  auto [node_a, device_a] = wire_end(item[0]);
  auto [node_b, device_b] = wire_end(item[1]);
  out.links.push_back({node_a, device_a, node_b, device_b, {kNoSource, line_of(item)}});
}

void read_list(const YAML::Node& root, const char* key, void (*read)(const YAML::Node&, SnapshotSettings&),
               SnapshotSettings& out) {
  const YAML::Node list = root[key];
  if (!list) return;
  if (!list.IsSequence()) refuse(list, fmt::format("`{}` must be a list", key));
  for (const YAML::Node& item : list) read(item, out);
}

bool below(std::string_view folder, std::string_view path) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

}  // namespace

const SnapshotSettings::NodeSetting* SnapshotSettings::node_of(std::string_view path) const {
  consume(path, root);
  for (const NodeSetting& node : nodes) {
    const std::string& where = node.path.empty() ? node.name : node.path;
    std::string_view folder = where;
    while (folder.ends_with('/')) folder.remove_suffix(1);
    if (below(folder, path) || glob_matches(where, path)) return &node;
  }
  return nullptr;
}

const SnapshotSettings::DumpSetting* SnapshotSettings::dump_of(std::string_view path) const {
  consume(path, root);
  for (const DumpSetting& dump : dumps) {
    if (glob_matches(dump.path, path)) return &dump;
  }
  return nullptr;
}

const SnapshotSettings::NodeSetting* SnapshotSettings::node_named(std::string_view name) const {
  for (const NodeSetting& node : nodes) {
    if (node.name == name) return &node;
  }
  return nullptr;
}

Result<SnapshotSettings> parse_settings(std::string_view text) {
  if (text.size() > (std::size_t{1} << 20)) return Error{"0: too long"};
  SnapshotSettings out;
  try {
    const YAML::Node root = YAML::Load(std::string(text));
    if (!root || root.IsNull()) return out;
    check_keys(root, {"version", "nodes", "dumps", "links"});
    read_list(root, "nodes", read_node, out);
    read_list(root, "dumps", read_dump, out);
    read_list(root, "links", read_link, out);
    return out;
  } catch (const YAML::Exception& error) {
    return Error{fmt::format("{}: {}", error.mark.line + 1, error.msg)};
  } catch (const std::runtime_error& error) {
    return Error{error.what()};
  }
}

bool glob_matches(std::string_view pattern, std::string_view path) {
  // Greedy with one point to come back to for each kind of star: linear in practice, without recursion.
  std::size_t p = 0, s = 0, star = std::string_view::npos, star_s = 0;
  bool crosses = false;
  while (s < path.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      crosses = p + 1 < pattern.size() && pattern[p + 1] == '*';
      p += crosses ? 2 : 1;
      star = p;
      star_s = s;
    } else if (p < pattern.size() && (pattern[p] == path[s] || (pattern[p] == '?' && path[s] != '/'))) {
      ++p, ++s;
    } else if (star != std::string_view::npos && (crosses || path[star_s] != '/')) {
      p = star;
      s = ++star_s;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace egt::parsers
