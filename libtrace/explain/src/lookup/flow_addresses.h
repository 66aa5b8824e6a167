// OpenFlow flows that have to do with an address.
#pragma once

#include <vector>

#include "egtrace/openflow/flow_table.h"
#include "lookup/term.h"

namespace egt::explain {

// Ascending. With a port, those that match it at the address alone.
struct AddressFlows {
  std::vector<openflow::FlowIndex> matching;         // the address itself
  std::vector<openflow::FlowIndex> matching_prefix;  // a prefix that holds it
  std::vector<openflow::FlowIndex> naming;           // in their actions
};

// Of a term that has an address. Goes through all flows, on all processors.
AddressFlows flows_with_address_of(const LookupTerm& term, const openflow::FlowTables& flows);

}  // namespace egt::explain
