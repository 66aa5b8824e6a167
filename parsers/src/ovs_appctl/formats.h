// Dumps of ovs-appctl about the datapath below the bridges, one function a file; ovs_ofctl_formats() lists them.
#pragma once

#include "egtrace/parsers/format.h"

namespace egt::parsers::appctl {

const Format& datapath_ports_format();     // dpctl/show
const Format& datapath_flows_format();     // dpctl/dump-flows
const Format& tunnels_format();            // ofproto/list-tunnels
const Format& tunnel_ends_format();        // tnl/ports/show
const Format& tunnel_routes_format();      // ovs/route/show
const Format& tunnel_neighbours_format();  // tnl/neigh/show, tnl/arp/show
const Format& zone_limits_format();        // dpctl/ct-get-limits
const Format& most_connections_format();   // dpctl/ct-get-maxconns
const Format& connection_count_format();   // dpctl/ct-get-nconns

}  // namespace egt::parsers::appctl
