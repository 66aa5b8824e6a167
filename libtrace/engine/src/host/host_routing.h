// Routes for the packet under way: looks them up, and takes one of several next hops.
#pragma once

#include <optional>
#include <string>

#include "egtrace/engine/network_state.h"
#include "egtrace/engine/routing.h"
#include "host_record.h"
#include "socket_buffer.h"

namespace egt::engine {

// A route with the next hop that is taken.
struct TakenRoute {
  RouteAnswer answer;
  std::size_t hop = 0;
  std::string device;
  std::optional<IpAddr> gateway;
};

class HostRouting {
 public:
  HostRouting(HostRecord& record, const SocketBuffer& skb, NetworkState& network_state)
      : record_(record), skb_(skb), network_state_(network_state) {}

  RouteAnswer look_up(const RouteQuery& query);
  RouteQuery as_rules_see(RouteQuery query) const;
  TakenRoute take_hop(RouteAnswer answer, bool again = false);
  // For a packet of this host that is routed once more.
  TakenRoute take_hop_anew(RouteAnswer answer) { return take_hop(std::move(answer), hashes_anew()); }
  // The source that a socket got by one of several next hops changes nothing for its next packets.
  // `hashed_without_source`: the socket takes that next hop itself.
  void keep_hop(const Tuple& unbound, bool hashed_without_source);
  std::optional<IpAddr> gateway_of(const RouteHop& hop) const;
  void note_route(const TakenRoute& taken, std::optional<IpAddr> source);
  void note_failed_route(const RouteAnswer& answer);  // unless it is not known

 private:
  std::size_t share_load(const RouteAnswer& answer, bool again);
  bool hashes_anew() const;
  bool hashes_ports() const;

  HostRecord& record_;
  const SocketBuffer& skb_;
  NetworkState& network_state_;
  bool hashed_without_source_ = false;  // which of several next hops a socket takes
};

// Whether two lookups lead the same way.
bool same_hops(const RouteAnswer& a, const RouteAnswer& b);

}  // namespace egt::engine
