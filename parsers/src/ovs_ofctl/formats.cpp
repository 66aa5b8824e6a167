#include "ovs_appctl/formats.h"

#include <array>

#include "ovs_ofctl/formats.h"

namespace egt::parsers {

std::span<const Format> ovs_ofctl_formats() {
  // Ports first: flows with port names need their numbers.
  static const std::array<Format, 18> formats = {ofctl::show_format(),
                                                 ofctl::dump_ports_desc_format(),
                                                 ofctl::dump_tlv_map_format(),
                                                 ofctl::dump_flows_format(),
                                                 ofctl::dump_groups_format(),
                                                 ofctl::dump_group_stats_format(),
                                                 ofctl::dump_meters_format(),
                                                 ofctl::meter_stats_format(),
                                                 ofctl::fdb_format(),
                                                 appctl::datapath_ports_format(),
                                                 appctl::datapath_flows_format(),
                                                 appctl::tunnels_format(),
                                                 appctl::tunnel_ends_format(),
                                                 appctl::tunnel_routes_format(),
                                                 appctl::tunnel_neighbours_format(),
                                                 appctl::zone_limits_format(),
                                                 appctl::most_connections_format(),
                                                 appctl::connection_count_format()};
  return formats;
}

}  // namespace egt::parsers
