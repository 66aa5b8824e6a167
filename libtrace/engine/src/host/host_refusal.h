// How a host refuses the packet under way: with an error message or a reset, whose source and receiver are chosen here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "egtrace/engine/routing.h"
#include "host_end.h"
#include "host_nat.h"
#include "refusal.h"

namespace egt::engine {

class HostRefusal {
 public:
  HostRefusal(HostRecord& record, const SocketBuffer& skb, const KernelConntrack& conntrack, const HostNat& nat)
      : record_(record), skb_(skb), conntrack_(conntrack), nat_(nat) {}

  // `with`: as netfilter names it. Dropped where none may be sent.
  HostOutcome rejected(const std::string& with, Place where, Cause why, std::vector<Provenance> evidence);
  HostOutcome failed_route(const RouteAnswer& answer);

 private:
  struct ErrorSource {
    IpAddr address;
    bool by_route = false;  // the route to the sender decides
  };
  std::optional<ErrorSource> error_source(IcmpError error);
  std::optional<ErrorSource> error_source_v6(const RouteQuery& query, const RouteAnswer& back, bool found);
  std::optional<Attached> its_connection() const;
  IpAddr sender() const;
  std::string link_of_sender() const;
  bool by_bridge();
  LocalSend reset_frame() const;

  HostRecord& record_;
  const SocketBuffer& skb_;
  const KernelConntrack& conntrack_;
  const HostNat& nat_;
};

}  // namespace egt::engine
