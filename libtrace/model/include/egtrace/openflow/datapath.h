// The datapath below a node's bridges, as ovs-appctl shows it: port numbers, the flows that it has now, and what native
// tunnels need (routes, neighbours, addresses at which tunnels end). See dpctl(8), ovs-appctl(8) "ofproto/list-tunnels",
// "ovs/route/show", "tnl/neigh/show", "tnl/ports/show".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/base/ip.h"
#include "egtrace/base/mac.h"
#include "egtrace/evidence/evidence.h"

namespace egt::openflow {

struct DatapathPort {
  std::uint32_t number = 0;
  std::string name;  // genev_sys_6081 for all Geneve tunnels of that UDP port
  std::string type;  // "", "tap", "geneve", …
  Provenance from;
};

// A tunnel port of a bridge and the datapath port that carries it.
struct TunnelPort {
  std::string name;
  std::uint32_t datapath_port = 0;
  Provenance from;
};

// A flow as dpctl/dump-flows prints it: what the switch does with packets that it has seen lately.
struct DatapathFlow {
  std::uint32_t recirc_id = 0;                 // 0: as packets arrive
  std::string_view match, actions;             // in the dump
  std::vector<std::uint32_t> recirculates_to;  // recirc(ID) of its actions, in their order
  std::uint64_t packets = 0, bytes = 0;
  Provenance from;
};

// A line of the switch's own routing table. The longest prefix wins, then the higher priority.
struct TunnelRoute {
  Prefix destination;
  std::string device;
  std::optional<IpAddr> gateway, source;
  std::optional<std::uint32_t> mark;  // only for packets with this pkt_mark
  bool user = false;                  // added by ovs/route/add rather than read from the kernel
  bool local = false;                 // an address of the node itself
  Provenance from;

  IpAddr next_hop(const IpAddr& to) const { return gateway && !gateway->is_unspecified() ? *gateway : to; }
};

struct TunnelNeighbour {
  IpAddr address;
  MacAddr mac;
  std::string bridge;
  Provenance from;
};

// A packet to this MAC, address and UDP port leaves the bridge's port as the inner packet of a tunnel.
struct TunnelEnd {
  std::uint32_t datapath_port = 0;
  MacAddr mac;
  IpAddr address;
  std::uint8_t proto = 0;
  std::optional<std::uint16_t> udp_port;
  Provenance from;
};

struct ConnectionNumber {
  std::uint64_t value = 0;
  Provenance from;
};

struct ZoneLimit {
  std::uint16_t zone = 0;
  std::uint64_t limit = 0;             // 0: none, but to the userspace datapath up to release 3.1, which then takes no connection
  std::optional<std::uint64_t> count;  // when dumped; the database has none
  Provenance from;
};

// How many connections conntrack of the datapath holds at most, as dpctl/ct-get-limits, ct-get-maxconns and ct-get-nconns show it, or
// the database (ct_zone_default_limit of Datapath, limit of CT_Zone). See dpctl(8).
struct ConntrackLimits {
  std::optional<ConnectionNumber> of_others;  // of each zone that is not in `zones`; 0: none
  std::vector<ZoneLimit> zones;
  std::optional<ConnectionNumber> of_all, connections;  // of all zones together; of the userspace datapath alone

  const ZoneLimit* zone(std::uint16_t number) const {
    for (const ZoneLimit& z : zones)
      if (z.zone == number) return &z;
    return nullptr;
  }
};

struct Datapath {
  std::string type;  // "netdev", "system", "dummy"; empty where no dump shows it
  std::vector<DatapathPort> ports;
  std::vector<TunnelPort> tunnels;
  std::vector<TunnelRoute> routes;
  std::vector<TunnelNeighbour> neighbours;
  std::vector<TunnelEnd> tunnel_ends;
  std::vector<DatapathFlow> flows;
  ConntrackLimits conntrack;                        // as the datapath itself shows them
  ConntrackLimits configured;                       // as the database has them, for a datapath that does not show any
  bool has_routes = false, has_neighbours = false;  // whether those dumps are there at all

  // The route of ovs_router_lookup() (lib/ovs-router.c) without its preference for a source; null: none.
  const TunnelRoute* route(const IpAddr& to, std::uint32_t pkt_mark) const;
  const TunnelNeighbour* neighbour(const IpAddr& address, const std::string& bridge) const;
  const DatapathPort* port(const std::string& name) const {
    for (const DatapathPort& p : ports)
      if (p.name == name) return &p;
    return nullptr;
  }
  const DatapathPort* port(std::uint32_t number) const {
    for (const DatapathPort& p : ports)
      if (p.number == number) return &p;
    return nullptr;
  }
};

}  // namespace egt::openflow
