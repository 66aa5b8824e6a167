// The bridges of one node as the translation sees them: ports by number with their datapath ports and peers.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "egtrace/cluster/cluster.h"
#include "egtrace/engine/openflow/trace.h"
#include "egtrace/openflow/datapath.h"
#include "mirrors.h"
#include "port_settings.h"

namespace egt::engine::ofproto {

struct SwitchBridge;

struct SwitchPort {
  const openflow::Interface* interface = nullptr;
  SwitchBridge* bridge = nullptr;
  std::uint32_t number = 0;
  std::optional<std::uint32_t> datapath_port;
  SwitchPort* peer = nullptr;   // of a patch port, where its bridge is known
  SwitchPort* named = nullptr;  // of a patch port without a peer: the one that it names, which names another
  bool is_patch = false, is_tunnel = false;
  PortSettings settings;
  MirrorMask mirrors_in = 0, mirrors_of = 0;  // that select what comes in by it, and what is output to it
  MirrorMask mirrors_out = 0;                 // whose output port it is

  // Its configuration (ovs-ofctl mod-port).
  bool no_flood() const { return interface->no_flood; }
  bool no_forward() const { return interface->no_forward; }
  bool no_receive(bool stp) const { return stp ? interface->no_receive_stp : interface->no_receive; }
  // Of its bridge's spanning tree (STP or RSTP), if there is one.
  TreeState tree_state() const;
  bool may_enable() const { return !interface->port_down && !interface->link_down; }
};

// The VLAN tags with which NORMAL works, outer one first.
struct Vlans {
  std::uint16_t vid[2] = {0, 0}, pcp[2] = {0, 0}, tpid[2] = {0, 0};
};

struct SwitchBridge {
  const openflow::Bridge* bridge = nullptr;
  BridgeSettings settings;
  std::map<std::uint32_t, SwitchPort> ports;
  std::vector<SwitchPort*> by_hash;                           // in the order in which FLOOD and ALL go through them
  std::vector<SwitchPort*> in_order;                          // in the order in which NORMAL floods
  std::unordered_map<std::string, std::uint32_t> unnumbered;  // ports by name whose number no dump shows
  std::vector<Mirror> mirrors;
  bool mirrors_unknown = false;  // it has some that no dump shows
  bool numbers_known = false;    // all ports are known with their numbers, so that other numbers are none
  std::unordered_map<std::uint64_t, const openflow::FdbEntry*> fdb;  // by MAC and VLAN

  const openflow::FdbEntry* fdb_entry(MacAddr mac, std::uint16_t vlan) const {
    const auto it = fdb.find(std::uint64_t{vlan} << 48 | mac.value);
    return it == fdb.end() ? nullptr : it->second;
  }

  SwitchPort* port(std::uint32_t number) {
    const auto it = ports.find(number);
    return it == ports.end() ? nullptr : &it->second;
  }
  const SwitchPort* port(std::uint32_t number) const {
    const auto it = ports.find(number);
    return it == ports.end() ? nullptr : &it->second;
  }
  // Of a port that a flow names; a number of its own where no dump shows it, nothing where there is no such port.
  std::optional<std::uint32_t> number_of(const openflow::Port& p) const;
};

class Switch {
 public:
  // `logical`: the bridge whose logical flows are walked instead of its tables; null: none but those that no dump has the flows of.
  Switch(const cluster::Node& node, openflow::Datapath datapath, const openflow::Bridge* logical = nullptr);
  SwitchBridge* bridge(const openflow::Bridge& b);
  SwitchPort* port_named(std::string_view name);
  const cluster::Node& node() const { return node_; }
  const openflow::Datapath& datapath() const { return datapath_; }
  // Whether the datapath itself builds tunnel headers (ovs_native_tunneling_is_on): the userspace one does.
  bool native_tunnels(const openflow::Bridge& b) const;

 private:
  bool overridden(const openflow::Interface& i) const;
  std::optional<std::uint32_t> datapath_port(const openflow::Bridge& b, const SwitchPort& p) const;

  const cluster::Node& node_;
  openflow::Datapath datapath_;
  std::map<const openflow::Bridge*, std::unique_ptr<SwitchBridge>> bridges_;
};

}  // namespace egt::engine::ofproto
