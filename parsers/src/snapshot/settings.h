// egtrace.yaml at the root of a snapshot: what guessing gets wrong (docs/formats/snapshot.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "egtrace/base/result.h"
#include "egtrace/cluster/cluster.h"

namespace egt::parsers {

struct SnapshotSettings {
  struct NodeSetting {
    std::string name;
    std::string path;                  // folder or glob below the root; empty: a folder of the node's name
    std::vector<cluster::Role> roles;  // empty: shown by content
    std::uint32_t line = 0;
  };
  struct DumpSetting {
    std::string path;                 // glob below the root
    std::string node, kind, command;  // empty: as guessed
    std::uint32_t line = 0;
  };
  std::string root;  // folder of egtrace.yaml with '/' behind it, to which its paths are relative
  std::vector<NodeSetting> nodes;
  std::vector<DumpSetting> dumps;
  std::vector<cluster::DeclaredLink> links;  // Provenance: line only

  const NodeSetting* node_of(std::string_view path) const;
  const DumpSetting* dump_of(std::string_view path) const;
  const NodeSetting* node_named(std::string_view name) const;
};

// The error is "LINE: what".
Result<SnapshotSettings> parse_settings(std::string_view text);

// Shell pattern with '*', '?' and '**'; '*' does not cross '/'.
bool glob_matches(std::string_view pattern, std::string_view path);

}  // namespace egt::parsers
