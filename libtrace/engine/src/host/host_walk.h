// One packet through the network stack of one host. The parts, in the order in which a forwarded packet meets them:
// input_checks.h (checks on arrival), host_hooks.h (netfilter), host_nat.h (conntrack, NAT), host_routing.h (route and next
// hop), output_routing.h (the same of packets that are made here), host_ipsec.h (policies of IPsec), path_mtu.h,
// neighbour_resolution.h, packet_copies.h (what TEE and dup send besides), host_refusal.h (error messages). HostWalk calls
// them: host_receive.cpp what arrives, host_send.cpp what is made here, host_transmit.cpp what leaves.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "host_hooks.h"
#include "neighbour_resolution.h"

namespace egt::engine {

class HostWalk {
 public:
  HostWalk(const cluster::Node& node, NetworkState& network_state, Record& record, Chooser& chooser,
           const NeighbourOracle& neighbours, const FlowKey& packet, HostOptions options);
  HostWalk(const HostWalk&) = delete;
  HostWalk& operator=(const HostWalk&) = delete;

  HostOutcome receive(const std::string& device);
  HostOutcome send(const LocalSend& what);
  HostOutcome pass_device(const std::string& device, netfilter::Hook hook);
  // What TEE or dup makes of a packet. `copies_left`: as PacketCopies's.
  HostOutcome send_copy(const PacketCopy& copy, PacketOrigin origin, int& copies_left);

 private:
  void begin();
  HostOutcome complete(HostOutcome o) const;

  // --- host_receive.cpp
  HostOutcome arrive();
  Ended enter_vrf();
  HostOutcome route_input();
  HostOutcome deliver();
  HostOutcome forward(const TakenRoute& route);

  // --- host_send.cpp
  HostOutcome send_as_frame(const LocalSend& what);
  HostOutcome send_packet(const LocalSend& what);
  HostOutcome output(TakenRoute route);
  HostOutcome output_copy(const PacketCopy& copy);
  HostOutcome loop_back();

  // --- host_transmit.cpp
  HostOutcome leave(const TakenRoute& route);
  HostOutcome transmit(const TakenRoute& route);

  HostRecord record_;
  SocketBuffer skb_;
  KernelConntrack conntrack_;
  HostRouting routing_;
  HostNat nat_;
  HostRefusal refusal_;
  OutputRouting output_;
  PacketCopies copies_;
  HostHooks hooks_;
  NeighbourResolution neighbours_;
  bool passed_port_ = false;                                  // PREROUTING has run on a bridge's port
  std::optional<std::pair<FlowKey, std::size_t>> on_bridge_;  // and this is what the bridge's device shows
};

}  // namespace egt::engine
