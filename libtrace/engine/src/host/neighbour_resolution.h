// Gives the frame under way its destination: the MAC address of the next hop.
#pragma once

#include "host_end.h"
#include "host_refusal.h"
#include "host_routing.h"

namespace egt::engine {

class NeighbourResolution {
 public:
  NeighbourResolution(HostRecord& record, SocketBuffer& skb, const NeighbourOracle& neighbours, HostRefusal& refusal)
      : record_(record), skb_(skb), neighbours_(neighbours), refusal_(refusal) {}

  Ended find_mac(const TakenRoute& route, const IpAddr& next);
  HostOutcome without_carrier(const TakenRoute& route, const host::Link& link);

 private:
  HostOutcome unreachable(Place where, Cause why, std::vector<Provenance> evidence);

  HostRecord& record_;
  SocketBuffer& skb_;
  const NeighbourOracle& neighbours_;
  HostRefusal& refusal_;
};

}  // namespace egt::engine
