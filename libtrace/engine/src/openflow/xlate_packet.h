// The packet of a translation (flow, base_flow, wc and more of struct xlate_ctx in ofproto/ofproto-dpif-xlate.c).
#pragma once

#include <cstdint>
#include <vector>

#include "egtrace/engine/openflow/trace.h"
#include "egtrace/packet/flow_key.h"
#include "field_stack.h"
#include "mirrors.h"

namespace egt::engine::ofproto {

// Headers that were pushed or popped, until commit().
struct PendingHeaders {
  bool encap = false, decap = false;
  std::vector<std::uint8_t> encap_data;
};

struct XlatePacket {
  FlowKey flow;         // as the pipeline sees it
  FlowKey base;         // as the datapath holds it: commit() emits the difference
  FlowKey mask;         // the bits that decided
  FlowKey* wc = &mask;  // where they are collected: elsewhere behind a native tunnel
  XlateError error = XlateError::ok;
  bool slow = false;      // the switch has to execute the actions itself
  bool was_mpls = false;  // the last label was popped, and what lies below is not known yet
  bool conntracked = false;
  MirrorMask mirrored = 0;  // that have a copy of the packet as it is
  FieldStack stack;
  PendingHeaders pending;

  // Behind a native tunnel, where a trace has side effects: packets go to controllers, flows are learned.
  bool is_encapsulated() const { return wc != &mask; }
  void clear_conntrack();
  // xlate_wc_init(): what every flow of the datapath looks at. `key_only`: of a tunnel's flags that it has a key alone.
  void begin_wildcards(bool key_only);
  // xlate_wc_finish(); `arrived`: the packet as it came.
  void finish_wildcards(const FlowKey& arrived);

  XlatePacket() = default;
  XlatePacket(const XlatePacket&) = delete;
  XlatePacket& operator=(const XlatePacket&) = delete;
};

}  // namespace egt::engine::ofproto
