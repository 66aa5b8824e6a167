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
  std::map<std::string, std::uint32_t, std::less<>> datapaths;                     // by name
  std::map<std::pair<std::string, std::string>, std::uint32_t, std::less<>> ports;   // by datapath and port
};

// A flow bears the first digits of its logical flow's UUID as its cookie; what that flow calls inport, outport and its
// datapath are reg14, reg15 and metadata of this one (ovn-architecture(7), "Logical Pipeline registers"). What two flows
// contradict is left out.
TunnelKeys keys_in_flows(const ovn::Ovn& ovn, const openflow::FlowTables& flows);

}  // namespace egt::parsers::ovn_lang
