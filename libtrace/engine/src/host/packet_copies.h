// Copies of the packet under way that TEE and dup send: nf_dup_ipv4(), nf_dup_ipv6(), nf_do_netdev_egress() of net/netfilter
// and net/ipv4, net/ipv6.
#pragma once

#include <vector>

#include "egtrace/engine/netfilter.h"
#include "host_record.h"
#include "socket_buffer.h"

namespace egt::engine {

class PacketCopies {
 public:
  PacketCopies(HostRecord& record, const SocketBuffer& skb, NetworkState& network_state, const NeighbourOracle& neighbours)
      : record_(record), skb_(skb), network_state_(network_state), neighbours_(neighbours) {}
  PacketCopies(const PacketCopies&) = delete;
  PacketCopies& operator=(const PacketCopies&) = delete;

  void duplicate(PacketCopy copy, netfilter::Hook hook);
  const std::vector<HostOutcome>& outcomes() const { return outcomes_; }
  // Of a packet that is a copy itself: counted together with those of the packet that it is a copy of.
  void count_with(int& copies_left) { copies_left_ = &copies_left; }

 private:
  HostOutcome walk_copy(const PacketCopy& copy);

  HostRecord& record_;
  const SocketBuffer& skb_;
  NetworkState& network_state_;
  const NeighbourOracle& neighbours_;
  int own_copies_left_ = 32, *copies_left_ = &own_copies_left_;  // that are walked, of the packet and of its copies together
  std::vector<HostOutcome> outcomes_;
};

}  // namespace egt::engine
