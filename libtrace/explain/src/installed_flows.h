// The OpenFlow flows that a bridge has, counted by what ovn-controller made them of: the cookie of a flow is the first eight
// digits of its logical flow's UUID. Members of conjunctive matches, which logical flows may share, have none
// (ofctrl_add_or_append_conj_flow() of controller/ofctrl.c).
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "egtrace/openflow/flow_table.h"

namespace egt::explain {

// How many flows are members of each clause of a conjunctive match.
using ClauseSizes = std::vector<std::size_t>;

struct InstalledFlows {
  struct OfCookie {
    openflow::FlowIndex first = openflow::kNoFlow;
    std::size_t plain = 0;                    // that match on no conj_id
    std::vector<std::uint32_t> conjunctions;  // the conj_id of each other
    bool has_row = false;                     // in the southbound database: noted by agreement_of(), not counted here
  };
  std::unordered_map<std::uint64_t, OfCookie> by_cookie;          // without that of cookie 0
  std::unordered_map<std::uint32_t, ClauseSizes> by_conjunction;  // by conj_id; clause 1 comes first
};

InstalledFlows installed_flows(const openflow::FlowTables& flows);

}  // namespace egt::explain
