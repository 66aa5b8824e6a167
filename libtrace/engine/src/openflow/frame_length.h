// How long a frame is for check_pkt_len and trunc (net/openvswitch/actions.c, lib/odp-execute.c).
#pragma once

#include <cstdint>
#include <optional>

#include "egtrace/engine/openflow/datapath_actions.h"
#include "egtrace/packet/flow_key.h"

namespace egt::engine::ofproto {

// Bytes that an action adds to the frame, or less than 0 that it takes away.
int added_bytes(const dp::Action& action);

// Of a frame on its path through a datapath.
class FrameLength {
 public:
  FrameLength() = default;  // no length is known
  // `bytes`: of the frame `key`, with its Ethernet header and tags. `is_tag_apart`: the kernel's datapath, which keeps the
  // outermost tag beside the frame (skb_vlan_push()), so that the length of a frame lacks it.
  FrameLength(std::uint32_t bytes, const FlowKey& key, bool is_tag_apart);

  void resize(int by) { bytes_ += by; }
  // What the datapath compares with a limit; none: not known.
  std::optional<std::uint32_t> compared(const FlowKey& key) const;
  // Bytes that leave of the frame if it is cut at `limit`.
  std::uint32_t cut_at(std::uint32_t limit, const FlowKey& key) const { return limit + beside(key); }
  // Bytes of the largest packet behind the headers that the frame came with which is within `limit` now; 0: none is.
  std::uint32_t largest_packet(std::uint32_t limit, const FlowKey& key) const;

 private:
  std::uint32_t beside(const FlowKey& key) const;

  bool is_known_ = false, is_tag_apart_ = false;
  std::int64_t bytes_ = 0;   // of the frame now
  std::int64_t packet_ = 0;  // of what came behind Ethernet header and tags
};

}  // namespace egt::engine::ofproto
