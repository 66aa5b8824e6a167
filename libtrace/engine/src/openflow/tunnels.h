// Tunnel ports: what the header carries (ofproto/tunnel.c), and headers that the datapath builds itself (native_tunnel_output()
// of ofproto/ofproto-dpif-xlate.c, lib/netdev-native-tnl.c).
#pragma once

#include <cstdint>
#include <optional>

#include "datapath_output.h"
#include "policy.h"
#include "switch.h"
#include "xlate_packet.h"
#include "xlate_report.h"

namespace egt::engine::ofproto {

// A header that the datapath puts before the packet, and the port by which the result leaves.
struct NativeTunnel {
  dp::TunnelPush push;
  SwitchPort* out = nullptr;
};

class Tunnels {
 public:
  Tunnels(Switch& of, const openflow::Bridge& bridge, XlatePacket& packet, DatapathOutput& out, const XlateReport& report,
          Policy& policy, OvsVersion version)
      : switch_(of), bridge_(bridge), packet_(packet), out_(out), report_(report), policy_(policy), version_(version) {}

  // ovs_native_tunneling_is_on
  bool are_native() const;
  // tnl_port_send: writes the tunnel's fields. `arrived`: the packet as it came. False: no packet leaves.
  bool prepare(const SwitchPort& port, const FlowKey& arrived);
  // For a datapath that has ports for tunnels.
  void set_metadata(const SwitchPort& port);
  // Nothing where no route or no neighbour is known, which is reported.
  std::optional<NativeTunnel> push(const SwitchPort& port);
  // The datapath's port of the tunnel that ends at this port for the packet, if one does.
  std::optional<std::uint32_t> end_at(const SwitchPort& port);

 private:
  SwitchPort* port_towards(const IpAddr& destination, IpAddr& source, IpAddr& hop);
  const openflow::TunnelNeighbour* neighbour_at(const IpAddr& hop, const SwitchPort& out);
  void add_header(dp::TunnelPush& push, bool checksum) const;
  const openflow::Bridge& bridge() const { return bridge_; }

  Switch& switch_;
  const openflow::Bridge& bridge_;
  XlatePacket& packet_;
  DatapathOutput& out_;
  const XlateReport& report_;
  Policy& policy_;
  OvsVersion version_;
};

// propagate_tunnel_data_to_flow: the pipeline goes on with the outer packet.
void enter_outer_packet(const dp::TunnelPush& push, XlatePacket& packet);

}  // namespace egt::engine::ofproto
