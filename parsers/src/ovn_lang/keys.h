// Tunnel keys of datapaths and ports as the node's OpenFlow flows show them, for snapshots that lack the southbound rows.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "egtrace/openflow/flow_table.h"
#include "egtrace/ovn/ovn.h"

namespace egt::parsers::ovn_lang {

struct TunnelKeys {
  std::map<std::string, std::uint32_t, std::less<>> datapaths;                      // by name
  std::map<std::pair<std::string, std::string>, std::uint32_t, std::less<>> ports;  // by datapath and port
};

// A flow bears the first digits of its logical flow's UUID as its cookie; what that flow calls inport, outport and its
// datapath are reg14, reg15 and metadata of this one (ovn-architecture(7), "Logical Pipeline registers"). What two flows
// contradict is left out.
TunnelKeys keys_in_flows(const ovn::Ovn& ovn, const openflow::FlowTables& flows);

// Those that northbound rows request (column other_config or options, requested-tnl-key), and of datapaths those in the names of
// southbound port groups ("KEY_NAME").
TunnelKeys keys_in_rows(const ovn::Ovn& ovn);

// Adds what `more` has and `known` lacks.
void add_keys(TunnelKeys& known, const TunnelKeys& more);

}  // namespace egt::parsers::ovn_lang
