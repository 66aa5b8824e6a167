// Whether a fact that holds for some OVN releases ("24.03 on, 23.06.5") holds for those that a snapshot may come from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace egt::explain {

enum class Holds { no, some, all };

// `candidates` as infer_ovn_version() names them: "25.09", "24.03.0-24.03.4", "23.06.1+". Of no candidate nothing is
// known: a fact that is bound to releases then holds for some.
Holds holds_for(std::string_view releases, const std::vector<std::string>& candidates);

}  // namespace egt::explain
