// The formats of this folder, one function a file; ovs_ofctl_formats() lists them.
#pragma once

#include "egtrace/parsers/format.h"

namespace egt::parsers::ofctl {

const Format& dump_flows_format();
const Format& dump_groups_format();
const Format& dump_group_stats_format();
const Format& dump_meters_format();
const Format& meter_stats_format();
const Format& show_format();
const Format& dump_ports_desc_format();
const Format& dump_tlv_map_format();
const Format& fdb_format();

}  // namespace egt::parsers::ofctl
