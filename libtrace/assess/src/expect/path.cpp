#include "expect/path.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/glob.h"
#include "egtrace/base/text.h"

namespace egt::assess {
namespace {

constexpr std::string_view kKinds[] = {"node", "device", "stage", "table", "chain", "rule"};

bool has_kind(std::string_view wanted) {
  return std::any_of(std::begin(kKinds), std::end(kKinds), [&](std::string_view kind) {
    return wanted.size() > kind.size() && wanted.starts_with(kind) && wanted[kind.size()] == ':';
  });
}

// A hop says where it is in words: "br-int table 25 lr_in_policy", "ip rule 6000, table 1004", "iptables nat CHAIN".
void add_place(const std::string& where, PathItems& items) {
  const std::vector<std::string_view> parts = words(where);
  if (parts.size() >= 3 && parts[1] == "table") {
    items.insert(fmt::format("table:{} {}", parts[0], parts[2]));
    for (std::size_t i = 3; i < parts.size(); ++i) items.insert(fmt::format("stage:{}", parts[i]));
  } else if (parts.size() >= 3 && parts[0] == "ip" && parts[1] == "rule") {
    std::string_view number = parts[2];
    if (number.ends_with(',')) number.remove_suffix(1);
    items.insert(fmt::format("rule:{}", number));
  } else if (parts.size() == 3 && (parts[0] == "iptables" || parts[0] == "ip6tables" || parts[0] == "nft")) {
    items.insert(fmt::format("chain:{}", parts[2]));
  }
}

}  // namespace

PathItems path_items(const explain::PathReport& path) {
  PathItems items;
  for (const explain::Hop& hop : path.hops) {
    if (!hop.node.empty()) items.insert("node:" + hop.node);
    for (const explain::LflowRef& l : hop.lflows) items.insert("stage:" + l.stage);
    add_place(hop.where, items);
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
