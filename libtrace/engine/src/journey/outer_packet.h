// The packet around one in a tunnel. Its sender is the host, or the switch itself where the datapath is the userspace one
// (lib/netdev-native-tnl.c); it crosses hosts, bridges and routers as any other, and what ends it ends the inner one.
#pragma once

#include "walk.h"

namespace egt::engine {

// The UDP or TCP port to which what leaves by a tunnel's port is sent; 0: it has none.
std::uint16_t outer_port(const openflow::Interface& port);
// What a tunnel's port is set to; none: it has no such option.
std::optional<std::string> option(const openflow::Interface& port, const std::string& key);
// Whether the userspace datapath takes the packet under way for one of its tunnels (terminate_native_tunnel() of
// ofproto/ofproto-dpif-xlate.c): what would go to a device with the address to which it is sent.
bool ends_tunnel(const Walk& walk, const cluster::Node& node, const openflow::Bridge& bridge, const openflow::Interface& port,
                 const FlowKey& packet);
// How many bytes longer it is than the one that it carries.
std::uint32_t outer_bytes(const InTunnel& inner);

class OuterPacket {
 public:
  // `walk`: of the outer packet itself. Both must outlive it.
  OuterPacket(Walk& walk, const InTunnel& inner);

  // How its sender puts it on its way.
  Next send();
  // Where it comes to: `end`, where it is sent. Where ARP or neighbour discovery for its next hop is lost it is not, unless it would
  // be lost on its path too: that is the nearer cause.
  Arrival or_lost_discovery(Arrival end);
  // Its header, as it is sent.
  Encap encap() const;
  // Whether it is encrypted, and no dump shows how.
  bool presumes_ipsec() const;
  // Whether its path is open for lack of dumps alone, and a healthy network may be assumed. Where a dump shows what decides
  // and something speaks against it, the path stays open.
  bool lacks_dumps(const Arrival& end) const;
  // Where the snapshot does not show what is between the two nodes: to the one that has the tunnel's remote address.
  Next carry_on(Arrival last);

 private:
  Next send_by_host(bool choose_source);
  Next send_by_switch();
  Next send_to_neighbour(const openflow::TunnelRoute& route);
  void follow_discovery(const IpAddr& hop, const std::string& device, const Provenance& line);
  Stop at_port(Cause why, const Provenance& evidence) const;  // of the tunnel
  Arrival stop_without_owner(const IpAddr& remote);

  // Of the switch for the next hop, and what the record had by then.
  struct LostDiscovery {
    IpAddr hop;
    std::string device;
    Provenance line;
    std::size_t steps = 0, sightings = 0, passed_devices = 0;
  };

  Walk& walk_;
  const InTunnel& inner_;
  FlowKey packet_;
  std::optional<LostDiscovery> lost_discovery_;
};

}  // namespace egt::engine
