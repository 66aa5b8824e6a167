// The translations of one host for the packet under way: by the entry of its connection, or for the first packet by what a
// rule decides (nf_nat_inet_fn()). What they rest on is written down with them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "egtrace/engine/netfilter.h"
#include "host_end.h"
#include "host_record.h"
#include "kernel_conntrack.h"
#include "socket_buffer.h"

namespace egt::engine {

class HostNat {
 public:
  HostNat(HostRecord& record, SocketBuffer& skb, NetworkState& network_state, KernelConntrack& conntrack)
      : record_(record), skb_(skb), network_state_(network_state), conntrack_(conntrack) {}

  void translate_by_connection(netfilter::Hook hook);
  // What a rule decided.
  Ended bind(const NatDecision& decision, netfilter::Hook hook);
  // No rule translates.
  void keep_addresses(bool source);
  Ended check_masquerade(const NetfilterEngine& rules);
  Ended confirm();
  void assume_pick_up();

  bool has_translated(bool source) const { return source ? source_ : destination_; }
  bool is_port_open(bool source) const { return network_state_.is_port_open(tuple_of(skb_.packet), source); }
  // The translation that was undone on lo lost the packet its route.
  bool route_lost() const { return route_lost_; }

 private:
  std::optional<IpAddr> translation_address(const NatDecision& decision, netfilter::Hook hook,
                                            std::vector<Provenance>& evidence) const;
  void note_translation(const Applied& applied, const std::string& by, bool by_connection, std::vector<Provenance> evidence);
  std::string device_of_masquerade(const Connection& c, const NetfilterEngine& rules);
  void assume_another_port(const std::vector<Provenance>& evidence);

  HostRecord& record_;
  SocketBuffer& skb_;
  NetworkState& network_state_;
  KernelConntrack& conntrack_;
  bool destination_ = false, source_ = false;  // this host has translated them
  bool route_lost_ = false;
};

// Whether the hook translates sources, rather than destinations.
inline bool translates_source(netfilter::Hook hook) {
  return hook == netfilter::Hook::postrouting || hook == netfilter::Hook::input;
}

}  // namespace egt::engine
