// The route of a packet that is made on the host: of its socket with the source address, and once more where a rule of OUTPUT
// changed what routing looks at (ip_route_output_flow(), ip_route_me_harder()).
#pragma once

#include "host_refusal.h"
#include "host_routing.h"

namespace egt::engine {

class OutputRouting {
 public:
  OutputRouting(HostRecord& record, SocketBuffer& skb, HostRouting& routing, HostRefusal& refusal)
      : record_(record), skb_(skb), routing_(routing), refusal_(refusal) {}

  // The route of the socket, and with it the source address of an unbound one.
  Ended choose_route(const LocalSend& what, TakenRoute& route);
  Ended reroute(TakenRoute& route);
  Ended check_loopback_source(const TakenRoute& route);

 private:
  Ended check_own_source(const LocalSend& what);
  Ended no_local_route(const RouteAnswer& answer);
  Ended refused_by_tcp(const RouteAnswer& answer) const;
  void take_unbound_source(const RouteQuery& query, RouteAnswer& answer);
  bool retry_with_source(const RouteQuery& query, RouteAnswer& answer);
  bool follows_source_rules(const LocalSend& what, const TakenRoute& first);
  void stay_on_link(const RouteQuery& query, TakenRoute& route) const;
  Ended stay_on_link_again(const RouteQuery& query, TakenRoute& route);

  HostRecord& record_;
  SocketBuffer& skb_;
  HostRouting& routing_;
  HostRefusal& refusal_;
};

}  // namespace egt::engine
