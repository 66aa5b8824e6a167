// What dumps show of OVN on one node: logical flows, logical ports, datapaths, chassis, address sets (ovn-sb(5),
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
#include "egtrace/ovn/rows.h"

namespace egt::ovn {

struct Southbound;
class FlowReader;
class Language;

// Logical flows ready to be walked.
struct Program {
  std::shared_ptr<const Southbound> southbound;
  std::shared_ptr<const FlowReader> reader;
};

// What only a database has of a logical flow.
struct FlowOrigin {
  static constexpr std::uint32_t kNoGroup = 0xffffffff;
  std::string_view source;         // line of northd that made it: "northd.c:8453"
  std::string_view stage_hint;     // first digits of the UUID of the northbound row that it was made for
  std::uint32_t group = kNoGroup;  // index in Southbound::named_groups; a flow of a group has no datapath of its own
};

// A logical flow as lists print it: by names, and once for each datapath of a group. The row of the database, for the walk, is
// sb::LogicalFlow (southbound.h).
struct LogicalFlow {
  std::string_view datapath;  // name, or UUID where it has none
  bool ingress = true;
  std::uint8_t table = 0;
  std::string_view stage;  // "lr_in_policy"; empty in very old dumps
  std::uint16_t priority = 0;
  std::string_view match, actions;
  std::optional<std::uint32_t> uuid_prefix;  // equals the cookie of its OpenFlow flows
  std::string_view uuid;                     // as printed; full only in some dumps
  std::optional<FlowOrigin> origin;          // none where a list showed it
  Provenance from;
};
inline std::uint32_t prefix_of(const LogicalFlow& flow) { return flow.uuid_prefix.value_or(0); }

struct LogicalPort {
  std::string name;
  std::string type;      // "", "router", "localnet", "remote", "patch", "l3gateway", …
  std::string datapath;  // name of switch or router
  bool on_router = false;
  std::optional<std::uint32_t> tunnel_key;
  std::string peer;       // of a patch or router port
  std::uint16_t tag = 0;  // as sb::PortBinding::tag
  std::optional<MacAddr> mac;
  std::vector<Prefix> addresses;  // networks of a router port, host prefixes of a switch port
  bool may_have_others = false;   // of a switch port: addresses that nothing shows OVN ("unknown", "dynamic")
  std::string chassis;            // name or UUID
  std::map<std::string, std::string> external_ids;
  Provenance from;
};

struct Datapath {
  std::string name;
  std::string uuid;                         // of the Datapath_Binding
  std::optional<std::uint32_t> tunnel_key;  // the OpenFlow metadata
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

// Whether ovn-controller is connected to the southbound database, as its connection-status prints it (ovn-controller(8)).
// Without a connection the node's flows stay as they are. Where ovn-appctl did not reach it, it may run elsewhere (in a
// container with a run directory of its own), or not at all: then what flows send to it stays without an answer.
struct ControllerConnection {
  bool connected = false, reached = true;
  Provenance from;
};

// A server of a clustered database, as its cluster/status prints it (ovsdb-server(1)). One that is no member of the cluster, or
// that knows no leader, takes no changes, and what is read from it may be old.
struct DatabaseServer {
  std::string database;  // "OVN_Southbound"
  bool is_member = true, has_leader = true;
  Provenance from;  // the line with the status
};

struct Ovn {
  bool has_logical_flows = false, has_ports = false;
  RowList<LogicalFlow> logical_flows;
  std::vector<LogicalPort> ports;
  std::vector<Datapath> datapaths;
  std::vector<Chassis> chassis;
  Pieces<AddressSet> address_sets;
  Rows rows;
  // Tables that were printed completely ("NB NAT", "SB Chassis"), even when they were empty: here absence proves.
  std::map<std::string, Provenance> complete_tables;
  std::optional<ControllerConnection> controller;  // none where no dump shows it
  std::vector<DatabaseServer> database_servers;
  std::map<std::string, std::uint16_t> ct_zones;  // "demo-web_web-2" → 19
  // Rows with types, for the logical pipeline (egtrace/ovn/southbound.h); null where no dump mentions them.
  std::shared_ptr<Southbound> southbound;
  // Of a node without OpenFlow flows, where its logical flows can be walked in their stead; else null.
  std::shared_ptr<const Program> program;
  // Reads the logical flows; null where there are none.
  std::shared_ptr<const Language> language;
};

// The chassis of a host: by its hostname, else the only one that is of no other zone. Null where neither shows it.
const Chassis* own_chassis(const Ovn& ovn, std::string_view host);

}  // namespace egt::ovn
