// A packet in the datapath: its headers as they are on the wire, and what the datapath keeps beside them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "datapath/discovery.h"
#include "egtrace/packet/packet.h"
#include "openflow/frame_length.h"

namespace egt::engine {

struct DatapathPacket {
  FlowKey key;                               // headers, tunnel key, mark, and what conntrack left
  std::vector<FlowKey> hidden;               // packets below an NSH header or an MPLS label that was pushed, outermost last
  std::optional<Discovery> discovery;        // once any of it, or a type of ICMPv6, was written
  std::optional<Tuple> quoted;               // an ICMP error: the tuple of the packet that it quotes
  std::optional<std::int64_t> cut_to;        // bytes of the frame that the next output sends; none: all of it
  std::optional<std::uint32_t> whole_up_to;  // bytes of a packet; of larger ones the next output would send the first only
  ofproto::FrameLength length;
  bool has_egress_tunnel = false;  // a tunnel key was set for the port that comes next
  bool is_opaque = false;          // headers came to light that nothing shows
  bool has_hidden_tags = false;    // a label was put around a tagged frame: where the kernel has the tag then was not measured
  bool is_dropped = false;         // by an action, amid those of a list
};

}  // namespace egt::engine
