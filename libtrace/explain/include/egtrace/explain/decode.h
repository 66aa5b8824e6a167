// What a number, address or assignment copied out of a flow, a trace or a dump means, without any snapshot: the registers,
// marks, labels and tables of OVN (ovn-architecture(7), include/ovn/logical-fields.h, northd/northd.h) and the numbers
// that OVN-Kubernetes uses. Where several readings are possible all are shown, the likelier first.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace egt::explain {

struct Meaning {
  std::string as;  // "IPv4", "packet mark", "OpenFlow table", …
  std::string text;
  friend bool operator==(const Meaning&, const Meaning&) = default;
};

struct DecodeOptions {
  std::string ovn;  // "25.03" or "25.03.1"; empty: every release since 20.03
};

// Understands values (0x64580003, 1008, 100.88.0.3, 0a:58:64:58:00:03, +trk-new, UUIDs), fields with values
// ("reg0=0x64580003", "ct_mark=0x2/0x2"), writes as flows print them ("load:0x64580003->NXM_NX_XXREG0[96..127]",
// "set_field:0x1->ct_mark"), names of stages ("lr_in_policy") and tables ("table=25"), and lists of these with commas.
// Empty when nothing is known of it.
std::vector<Meaning> decode_value(std::string_view text, const DecodeOptions& options = {});

// One place of the pipeline that an OpenFlow table of br-int can be, for the releases named.
struct TableUse {
  std::string name;      // "lr_in_policy", or "OFTABLE_LOG_TO_PHY"
  int stage = -1;        // number that lflow-list shows; -1 for tables that are no logical stage
  unsigned table = 0;    // of OpenFlow
  std::string releases;  // "23.06.1-23.06.5, 25.03.0"
  friend bool operator==(const TableUse&, const TableUse&) = default;
};
// Uses of one table number, and places of one name; a release that is not known gives nothing.
std::vector<TableUse> uses_of_table(unsigned table, const DecodeOptions& options = {});
std::vector<TableUse> tables_of_name(std::string_view name, const DecodeOptions& options = {});

}  // namespace egt::explain
