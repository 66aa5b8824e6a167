// What nodes lack of what a table is made of.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "context.h"

namespace egt::sql {

inline bool is_cluster_node(const cluster::Node& node) {
  return node.roles.empty() || std::find(node.roles.begin(), node.roles.end(), cluster::Role::cluster_node) != node.roles.end();
}

// `lacks`: 0 nothing, 1 an excerpt alone is there, 2 all of it.
enum class Lack { nothing, rest, all };
template <class LackOf>
std::vector<Gap> gaps_of_nodes(const Context& context, const std::string& what, const std::string& command, LackOf lack_of) {
  std::vector<Gap> gaps;
  for (const auto& node : context.cluster().nodes) {
    const Lack lack = lack_of(*node);
    if (lack != Lack::nothing)
      gaps.push_back({node->name, lack == Lack::rest ? what + " (the dump is an excerpt)" : what, command});
  }
  return gaps;
}
template <class T>
Lack lack_of_part(const host::Part<T>& part) {
  return !part.present ? Lack::all : part.partial ? Lack::rest : Lack::nothing;
}

inline std::vector<Gap> gap_of_objects(bool there, const std::string& what, const std::string& command) {
  if (there) return {};
  return {{"", what, command}};
}

}  // namespace egt::sql
