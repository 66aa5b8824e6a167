// The names of roles, as settings give them and outputs show them.
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "egtrace/cluster/cluster.h"

namespace egt::cluster {

inline constexpr std::array<std::pair<std::string_view, Role>, 4> kRoleNames = {
    {{"cluster-node", Role::cluster_node}, {"router", Role::router}, {"gateway", Role::gateway}, {"server", Role::server}}};

constexpr std::string_view name_of(Role role) {
  for (const auto& [name, known] : kRoleNames)
    if (known == role) return name;
  return {};
}

}  // namespace egt::cluster
