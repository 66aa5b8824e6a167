// What dumps tell of OVN on one node: logical flows, logical ports, datapaths, chassis, address sets (ovn-sb(5),
// ovn-nb(5)). Engines walk OpenFlow; these facts give its steps names and causes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/base/ip.h"
#include "egtrace/base/mac.h"
#include "egtrace/evidence/evidence.h"

namespace egt::ovn {

struct Southbound;

struct LogicalFlow {
  static constexpr std::uint32_t kNoGroup = 0xffffffff;

  std::string_view datapath;            // name, or UUID where it has none; empty where `group` has several
  bool ingress = true;
  std::uint8_t table = 0;
  std::string_view stage;               // "lr_in_policy"; empty in very old dumps
  std::uint16_t priority = 0;
  std::string_view match, actions;
  std::optional<std::uint32_t> uuid_prefix;   // equals the cookie of its OpenFlow flows
  std::string_view uuid;                // as printed; full only in some dumps
  Provenance from;
  // Told by database files only. The hint is the first digits of the UUID of the northbound row that it was made for.
  std::string_view stage_hint, source;  // "ff2a5a3e", "northd.c:8453"
  std::uint32_t group = kNoGroup;       // index in Ovn::datapath_groups
};

// Datapaths that share logical flows (Logical_DP_Group).
struct DatapathGroup {
  std::string uuid;
  std::vector<std::string> datapaths;   // as LogicalFlow::datapath
};

struct LogicalPort {
  std::string name;
  std::string type;                     // "", "router", "localnet", "remote", "patch", "l3gateway", …
  std::string datapath;                 // name of switch or router
  bool on_router = false;
  std::optional<std::uint32_t> tunnel_key;
  std::string peer;                     // of a patch or router port
  std::optional<MacAddr> mac;
  std::vector<Prefix> addresses;        // networks of a router port, host prefixes of a switch port
  std::string chassis;                  // name or UUID
  std::map<std::string, std::string> external_ids;
  Provenance from;
};

struct Datapath {
  std::string name;
  std::string uuid;                     // of the Datapath_Binding
  std::optional<std::uint32_t> tunnel_key;   // the OpenFlow metadata
  bool is_router = false;
  Provenance from;
};

struct Chassis {
  std::string name, hostname;
  std::vector<IpAddr> encap_ips;
  bool is_remote = false;
  Provenance from;
};

struct AddressSet {
  std::string name;
  std::vector<std::string> addresses;
  std::map<std::string, std::string> external_ids;
  Provenance from;
};

// What another dump says of a column of the same row, where it says something else.
struct Disagreement {
  std::string column, value;            // value as in Row::columns
  Provenance from;
};

// A row of any database table, for what has no type of its own (router policies, NAT, load balancers, …).
// Rows of lr-policy-list, lr-route-list and lr-nat-list have no UUID where no other dump tells it, and a column "router"
// that holds the router's name.
struct Row {
  std::string table;                    // "Logical_Router_Policy"
  std::string database;                 // "NB", "SB", "OVS"
  std::string uuid;
  std::map<std::string, std::string> columns;               // printed value of each column
  std::map<std::string, std::string> external_ids;
  Provenance from;
  std::vector<Disagreement> disagreements;
};

struct Ovn {
  bool has_logical_flows = false, has_ports = false;
  std::vector<LogicalFlow> logical_flows;
  std::vector<DatapathGroup> datapath_groups;
  // The database file of which logical flows were read; lists may have added what it does not have.
  Provenance logical_flow_database;
  std::vector<std::shared_ptr<const void>> kept_text;       // owns what views of logical flows point to, besides dumps
  std::vector<LogicalPort> ports;
  std::vector<Datapath> datapaths;
  std::vector<Chassis> chassis;
  std::vector<AddressSet> address_sets;
  std::vector<Row> rows;
  // Tables that were printed completely ("NB NAT", "SB Chassis"), even when they were empty: here absence proves.
  std::map<std::string, Provenance> complete_tables;
  std::map<std::string, std::uint16_t> ct_zones;            // "demo-web_web-2" → 19
  // Rows with types, for the logical pipeline (egtrace/ovn/southbound.h); null where no dump tells of them.
  std::shared_ptr<Southbound> southbound;

  bool is_on(const LogicalFlow& flow, std::string_view datapath) const;
};

}  // namespace egt::ovn
