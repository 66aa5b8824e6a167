// The hooks of netfilter for the packet under way: all chains of a hook, with conntrack and NAT at their places.
#pragma once

#include "egtrace/engine/netfilter.h"
#include "host_nat.h"
#include "host_refusal.h"
#include "output_routing.h"
#include "packet_copies.h"

namespace egt::engine {

class HostHooks {
 public:
  HostHooks(HostRecord& record, SocketBuffer& skb, NetworkState& network_state, KernelConntrack& conntrack, HostNat& nat,
            HostRefusal& refusal, OutputRouting& output, PacketCopies& copies);

  // `output`: the route, where a chain may change it.
  Ended pass(netfilter::Hook hook, TakenRoute* output = nullptr);
  bool uses_conntrack() const { return netfilter_.uses_conntrack(); }
  // TPROXY gave the packet to a socket.
  bool taken_by_proxy() const { return taken_by_proxy_; }

 private:
  Ended run(netfilter::Hook hook, NetfilterStage stage, TakenRoute* output);
  void track(const HookResult& raw, netfilter::Hook hook);
  Ended translate(netfilter::Hook hook, TakenRoute* output);
  Ended send_frame(const HookResult& by);
  bool is_loss_shown(netfilter::Hook hook) const;
  NetfilterContext context(netfilter::Hook hook);
  void assume_no_rules();

  HostRecord& record_;
  SocketBuffer& skb_;
  KernelConntrack& conntrack_;
  HostNat& nat_;
  HostRefusal& refusal_;
  OutputRouting& output_;
  PacketCopies& copies_;
  NetfilterEngine netfilter_;
  bool taken_by_proxy_ = false;
};

}  // namespace egt::engine
