// Whose a row of the northbound database is, by what OVN-Kubernetes writes into external_ids:k8s.ovn.org/id, of which the names of port
// groups and address sets are hashes.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace egt::explain {

// Of such an id, or of a name that may be its hash; adds nothing for others.
void add_owner(std::string_view name, std::vector<std::pair<std::string, std::string>>& meanings);

}  // namespace egt::explain
