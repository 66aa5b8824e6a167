#include "expect/path.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/glob.h"

namespace egt::assess {
namespace {

constexpr std::string_view kKinds[] = {"node", "device", "stage", "table", "chain", "rule"};

bool has_kind(std::string_view wanted) {
  return std::any_of(std::begin(kKinds), std::end(kKinds), [&](std::string_view kind) {
    return wanted.size() > kind.size() && wanted.starts_with(kind) && wanted[kind.size()] == ':';
  });
}

std::string item_of(const explain::Passage& passage) {
  static constexpr std::string_view kNames[] = {"table", "chain", "rule"};
  return fmt::format("{}:{}", kNames[static_cast<std::size_t>(passage.kind)], passage.name);
}

}  // namespace

PathItems path_items(const explain::PathReport& path) {
  PathItems items;
  for (const explain::Hop& hop : path.hops) {
    if (!hop.node.empty()) items.insert("node:" + hop.node);
    for (const explain::LflowRef& l : hop.lflows) items.insert("stage:" + l.stage);
    for (const explain::Passage& passage : hop.passes) items.insert(item_of(passage));
  }
  for (const explain::SightingReport& s : path.sightings) {
    items.insert("device:" + s.device);
    items.insert(fmt::format("device:{}/{}", s.node, s.device));
    items.insert("node:" + s.node);
  }
  return items;
}

bool on_path(const PathItems& path, const std::string& wanted) {
  const bool kind = has_kind(wanted);
  return std::any_of(path.begin(), path.end(), [&](const std::string& item) {
    return glob_match(wanted, kind ? std::string_view(item) : std::string_view(item).substr(item.find(':') + 1));
  });
}

}  // namespace egt::assess
