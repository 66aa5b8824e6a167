// A pod's own stack sends: by which of its networks, to whose MAC, and whether it refuses its process at once.
#pragma once

#include "pod_stack.h"
#include "walk.h"

namespace egt::engine {

class PodStart {
 public:
  // `frame`: what becomes the frame that the pod sends. All must outlive it.
  PodStart(Walk& walk, const Start& start, FlowKey& frame) : walk_(walk), start_(start), pod_(start.from), frame_(frame) {
    frame_ = start.packet;
  }

  Next run();

 private:
  std::optional<Arrival> send_by_other_network(const IpAddr& to);
  std::optional<Arrival> check_link();
  std::optional<Arrival> route(const PodStack& stack, PodNextHop& hop);
  void choose_source(PodRoute& route);
  std::optional<MacAddr> own_mac(const PodStack& stack) const;
  std::optional<Arrival> set_macs(const PodStack& stack, const PodNextHop& hop);
  std::optional<Arrival> resolve(const PodStack& stack, const IpAddr& hop);
  Arrival lose_discovery(const IpAddr& hop, const FlowAnswer& answer);
  std::optional<Arrival> check_size(const PodStack& stack);
  Arrival refuse(Stop where, const char* error);
  Next enter_bridge();

  Walk& walk_;
  const Start& start_;
  Endpoint pod_;
  PodMtu route_mtu_;
  FlowKey& frame_;
};

}  // namespace egt::engine
