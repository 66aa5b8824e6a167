// One Open vSwitch bridge of a node: its ports, flow tables, groups, tunnel options and MAC table.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "egtrace/evidence/evidence.h"
#include "egtrace/openflow/flow_table.h"
#include "egtrace/openflow/group_table.h"

namespace egt::openflow {

struct Interface {
  std::string name;
  std::string type;  // "", "system", "internal", "patch", "geneve", "vxlan", "gre", …
  std::optional<std::uint32_t> ofport;
  std::map<std::string, std::string> options;       // peer, remote_ip, local_ip, key, …
  std::map<std::string, std::string> external_ids;  // iface-id, attached_mac, ovn-chassis-id, …
  std::optional<MacAddr> mac;
  std::optional<std::uint32_t> mtu;
  std::optional<std::uint16_t> tag;           // access VLAN of its Port
  bool port_down = false, link_down = false;  // from ovs-ofctl show, as what follows
  bool no_receive = false, no_receive_stp = false, no_flood = false, no_forward = false;
  std::set<std::string> disputed;  // what dumps show differently: keys of options, "ofport", "type", "name"
  Provenance from;
};

// The port at the other end of a patch port; empty where none is named.
std::string_view patch_peer(const Interface& port);

// A row of ovs-ofctl dump-tlv-map: a tunnel option and the tun_metadata field that holds it.
struct TlvMapping {
  std::uint16_t option_class = 0;
  std::uint8_t type = 0;
  std::uint8_t length = 0;  // bytes
  std::uint8_t index = 0;   // N of tun_metadataN
  Provenance from;
};

struct FdbEntry {
  std::uint32_t port = 0;
  std::uint16_t vlan = 0;
  MacAddr mac;
  Provenance from;
};

// Where a bridge's interfaces are: a node may have thousands.
struct PortIndex {
  std::size_t known = 0;                                     // of so many interfaces
  std::unordered_map<std::uint32_t, std::size_t> by_ofport;  // the first of each
  std::unordered_map<std::string, std::size_t> by_name;
};

// What a bridge does with IP fragments (ovs-ofctl set-frags): `normal` shows them to its tables without their ports.
enum class Fragments : std::uint8_t { normal, drop, nx_match };

// Of ovs-ofctl dump-meters.
struct BridgeMeter {
  std::uint32_t id = 0;
  Provenance from;
};

struct Bridge {
  std::string name;
  std::string fail_mode;      // "", "standalone", "secure"
  std::string datapath_type;  // "", "system", "netdev"
  Fragments fragments = Fragments::normal;
  std::vector<Interface> interfaces;
  std::optional<FlowTables> flows;  // absent: not in the snapshot
  SourceId flows_source = kNoSource;
  bool by_logical_flows = false;       // no dump has its flows: what OVN intends is walked instead
  bool presumed = false;               // no dump has it: it is as OVN-Kubernetes would have made it
  bool flows_partial = false;          // an excerpt (grep): absence proves nothing
  bool has_groups = false;             // all of them
  SourceId groups_source = kNoSource;  // the dump that showed them, where has_groups
  GroupTable groups;
  bool flows_show_meters = false;  // the dump of flows is of OpenFlow 1.3 or later
  std::vector<BridgeMeter> meters;
  bool has_tlv_map = false;
  std::vector<TlvMapping> tlv_map;
  bool has_fdb = false;
  std::vector<FdbEntry> fdb;
  Provenance from;

  // The first interface of this number or name.
  const Interface* by_ofport(std::uint32_t n) const;
  const Interface* by_name(std::string_view n) const;
  Interface* by_name(std::string_view n);
  // So that these need not go through all of them: once interfaces are there and have their numbers.
  void index_ports();

  PortIndex ports;  // for these alone
};

}  // namespace egt::openflow
