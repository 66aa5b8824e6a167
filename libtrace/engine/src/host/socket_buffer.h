// The packet under way in a host, with what its kernel keeps beside the headers (struct sk_buff).
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "egtrace/engine/host.h"
#include "egtrace/packet/packet.h"

namespace egt::engine {

// Of a packet that is made on the host.
struct PacketOrigin {
  std::string bound_device;     // of its socket
  std::optional<Tuple> quoted;  // of an error message of this host: the packet that it quotes
  bool by_switch = false;       // what the userspace datapath sends: no rule and no neighbour entry of the host applies
  int copy_depth = 0;           // copies of copies; 0: the packet itself
  bool passing_copy = false;    // a copy of a packet that has no socket here
  bool answers = false;         // as of LocalSend
};

struct SocketBuffer {
  SocketBuffer(const FlowKey& frame, HostOptions with)
      : packet(frame), options(std::move(with)), entered(tuple_of(frame)), to(dst_ip(frame)) {}

  Family family() const { return to.family; }
  bool made_here() const { return in.empty(); }

  FlowKey packet;
  HostOptions options;
  Tuple entered;                  // before any translation of this host
  const IpAddr to;                // likewise
  std::string in, out;            // devices; `in` is empty for packets that are made here
  IpAddr next_hop;                // valid from the output route on
  PacketOrigin origin;            // of packets that are made here
  std::uint32_t reassembled = 0;  // ip_frag of the fragment that the packet was put together from
  bool looped = false;            // came back by lo
};

}  // namespace egt::engine
