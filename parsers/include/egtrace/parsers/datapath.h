// What a node's dumps of ovs-appctl tell of the datapath below its bridges: dpctl/show, ofproto/list-tunnels,
// ovs/route/show, tnl/neigh/show (tnl/arp/show), tnl/ports/show -v. Found by content; lines that are not understood are
// passed over.
#pragma once

#include "egtrace/cluster/cluster.h"
#include "egtrace/openflow/datapath.h"

namespace egt::parsers {

openflow::Datapath read_datapath(const cluster::Cluster& cluster, const cluster::Node& node);
// The text of one such dump, added to `datapath`; false when it is none of them.
bool read_datapath_text(std::string_view text, SourceId source, openflow::Datapath& datapath);

}  // namespace egt::parsers
