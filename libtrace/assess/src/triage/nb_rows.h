// Rows of a node's northbound database that others name by their UUIDs.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/cluster/cluster.h"
#include "egtrace/ovn/rows/nb.h"

namespace egt::assess {

// Nothing of the table is left out of the node's dumps.
inline bool has_complete(const cluster::Node& node, const char* table) {
  return node.ovn.complete_tables.contains(std::string("NB ") + table);
}

template <class View>
std::vector<View> rows_named(const cluster::Node& node, const std::vector<std::string>& uuids) {
  const std::set<std::string_view> wanted(uuids.begin(), uuids.end());
  std::vector<View> all;
  for (const View row : rows_of<View>(node.ovn.rows))
    if (wanted.contains(row.uuid())) all.push_back(row);
  return all;
}

}  // namespace egt::assess
