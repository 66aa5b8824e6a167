// What northd makes of northbound rows (northd/northd.c), for snapshots that hold no southbound database.
#pragma once

#include <set>
#include <string>

#include "egtrace/ovn/ovn.h"
#include "egtrace/ovn/southbound.h"

namespace egt::parsers::ovn_lang {

// "25.03.2-20.41.0-79.6", which northd notes in NB_Global as well; empty where no dump shows.
std::string northd_version(const ovn::Ovn& ovn);

// Port security, where northbound rows show it. Ports that only lists without it shown are marked so.
void copy_port_security(const ovn::Ovn& ovn, ovn::Southbound& southbound);

// Ports of routers that are bound to a chassis, and their peers, are of type "l3gateway".
void mark_gateway_ports(const ovn::Ovn& ovn, ovn::Southbound& southbound);

// _MC_flood, _MC_flood_l2 and _MC_unknown of each switch. Those of multicast routers and of IGMP depend on more than
// northbound rows and are left out.
void add_multicast_groups(const ovn::Ovn& ovn, ovn::Southbound& southbound);

// One group of each datapath that has ports of it: "KEY_NAME".
void add_port_groups(const ovn::Ovn& ovn, ovn::Southbound& southbound);

}  // namespace egt::parsers::ovn_lang
