// Rules of netfilter in a pod's own network namespace. Those of a service mesh (istio-init, linkerd-init) hand what the pod sends to a proxy
// beside it, but for what that proxy sends itself, which they know by its user.
#pragma once

#include "egtrace/engine/netfilter.h"
#include "pod_stack.h"
#include "walk.h"

namespace egt::engine {

class PodRules {
 public:
  // Those that a packet meets as it leaves the pod (`sends`), else as it comes.
  PodRules(Walk& walk, const Endpoint& pod, const PodStack& stack, bool sends)
      : walk_(walk), pod_(pod), stack_(stack), sends_(sends) {}

  // Ends the packet; none: it goes on, as they leave it. `opens`: it is the first of its connection.
  std::optional<Arrival> pass(FlowKey& packet, bool opens);

 private:
  std::optional<Arrival> translate(const NatDecision& nat);
  // `in_socket`: the socket that sends learns of it.
  Arrival stop_by(const HookResult& result, bool in_socket);
  Arrival stop_rewritten();

  Walk& walk_;
  const Endpoint& pod_;
  const PodStack& stack_;
  bool sends_;
};

}  // namespace egt::engine
