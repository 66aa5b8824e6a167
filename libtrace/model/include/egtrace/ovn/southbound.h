// The southbound database as rows with types (ovn-sb(5)): what the logical pipeline is made of. Filled from a database
// file, or from `ovn-sbctl list` and `lflow-list` as far as they show it.
//
// Text is owned by the rows, but for logical flows: theirs lies in dumps, or, where a database file escapes it, in
// Southbound::kept_text. The order of a table's rows is the order in which they were read.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "egtrace/base/pieces.h"
#include "egtrace/base/read_later.h"
#include "egtrace/evidence/evidence.h"

namespace egt::ovn {

// RFC 4122. Tables refer to rows of other tables by it; its first 32 bits are the cookie of a logical flow's OpenFlow
// flows.
struct Uuid {
  std::uint64_t high = 0, low = 0;

  static std::optional<Uuid> parse(std::string_view text);  // 36 characters, hexadecimal digits of either case
  // Of a prefix of it, as `lflow-list --uuid` prints: the rest is zero.
  static Uuid from_prefix(std::uint32_t first) { return {static_cast<std::uint64_t>(first) << 32, 0}; }
  std::uint32_t prefix() const { return static_cast<std::uint32_t>(high >> 32); }
  bool is_nil() const { return high == 0 && low == 0; }
  std::string to_string() const;

  friend bool operator==(const Uuid&, const Uuid&) = default;
  friend auto operator<=>(const Uuid&, const Uuid&) = default;
};

namespace sb {

using Map = std::map<std::string, std::string>;

struct DatapathBinding {
  Uuid uuid;
  std::uint32_t tunnel_key = 0;
  bool made_up_key = false;        // no dump has it: it differs from all others, and is not what tunnels carry
  std::optional<Uuid> northbound;  // column nb_uuid, or external_ids:logical-switch and :logical-router
  bool is_router = false;
  Map external_ids;  // name, name2, logical-switch, logical-router
  Provenance from;
};

// Several datapaths that share logical flows.
struct DatapathGroup {
  Uuid uuid;
  std::vector<Uuid> datapaths;
  Provenance from;
};

struct LogicalFlow {
  Uuid uuid;
  Uuid datapath;        // nil where it has a group only
  Uuid datapath_group;  // nil where it has none
  bool ingress = true;
  std::uint8_t table = 0;
  std::uint16_t priority = 0;
  std::string_view match, actions;
  std::string_view stage, source;  // external_ids:stage-name and :source; empty where absent
  std::string_view stage_hint;     // external_ids:stage-hint, first digits of a northbound row's UUID
  Provenance from;
};

struct PortBinding {
  Uuid uuid;
  Uuid datapath;
  std::string logical_port, type;
  std::uint32_t tunnel_key = 0;
  std::uint16_t tag = 0;     // VLAN by which a localnet port sends; 0: none
  bool made_up_key = false;  // as DatapathBinding::made_up_key
  std::vector<std::string> mac, port_security;
  bool shows_security = true;  // false: no dump has the column port_security of this port
  Map options, external_ids;
  Provenance from;
};

struct MulticastGroup {
  Uuid uuid;
  Uuid datapath;
  std::string name;
  std::uint32_t tunnel_key = 0;
  std::vector<Uuid> ports;  // Port_Binding rows
  Provenance from;
};

struct AddressSet {
  std::string name;
  std::vector<std::string> addresses;
  Provenance from;
};

struct PortGroup {
  std::string name;                // "DATAPATH-KEY_NAME" for all but the oldest releases
  std::vector<std::string> ports;  // names of logical ports
  Provenance from;
};

struct MacBinding {
  Uuid uuid;
  Uuid datapath;
  std::string logical_port, ip, mac;
  Provenance from;
};

struct Fdb {
  Uuid uuid;
  std::string mac;
  std::uint32_t datapath_key = 0, port_key = 0;
  Provenance from;
};

struct LoadBalancer {
  Uuid uuid;
  std::string name, protocol;
  Map vips;  // "ADDRESS:PORT" → backends
  Map options;
  Provenance from;
};

// A row of DHCP_Options or DHCPv6_Options.
struct DhcpOption {
  std::string name, type;
  std::uint16_t code = 0;
};

}  // namespace sb

struct Ovn;
struct LogicalFlow;

// Datapaths that share logical flows, as LogicalFlow::datapath calls them.
struct NamedGroup {
  std::string uuid;
  std::vector<std::string> datapaths;
};

struct Southbound {
  // Tables that were read whole, even when they were empty: "Port_Binding", "Multicast_Group". Here absence proves.
  std::map<std::string, Provenance, std::less<>> complete;
  std::vector<sb::DatapathBinding> datapaths;
  std::vector<sb::DatapathGroup> datapath_groups;
  ReadLater<std::vector<sb::LogicalFlow>> logical_flows;
  std::vector<sb::PortBinding> ports;
  std::vector<sb::MulticastGroup> multicast_groups;
  Pieces<sb::AddressSet> address_sets;
  std::vector<sb::PortGroup> port_groups;
  std::vector<sb::MacBinding> mac_bindings;
  std::vector<sb::Fdb> fdb;
  ReadLater<std::vector<sb::LoadBalancer>> load_balancers;
  std::vector<sb::DhcpOption> dhcp_options, dhcpv6_options;
  std::string northd_version;  // SB_Global options:northd_internal_version, "25.03.2-20.41.0-79.6"

  // The database file of which Ovn::logical_flows were read; unknown where lists showed them.
  Provenance flow_database;
  std::vector<NamedGroup> named_groups;
  std::vector<std::shared_ptr<const void>> kept_text;  // owns what views of logical flows point to, besides dumps
};

// The names of the datapaths that have it.
std::vector<std::string_view> datapaths_of(const Ovn& ovn, const LogicalFlow& flow);
// Whether a database file shown the logical flows.
bool has_flow_database(const Ovn& ovn);

}  // namespace egt::ovn
