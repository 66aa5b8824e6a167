// What OVN keeps in a register that a step changed, by the layout of the releases that the snapshot may come from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "egtrace/engine/record.h"

namespace egt::explain {

// `kind` of the datapath: "switch", "router", or empty where it is not known; then only what both share is shown.
// "reg10[3] = 1, flags.force_snat_for_lb: load-balanced, must be SNATed". What only some of the candidates have is marked so.
std::vector<std::string> register_meanings(const engine::FieldChange& change, std::string_view kind,
                                           const std::vector<std::string>& ovn_candidates);

}  // namespace egt::explain
