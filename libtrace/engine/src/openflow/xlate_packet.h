// The packet of a translation (flow, base_flow and wc of struct xlate_ctx in ofproto/ofproto-dpif-xlate.c).
#pragma once

#include <cstdint>
#include <vector>

#include "egtrace/engine/openflow/trace.h"
#include "egtrace/packet/flow_key.h"

namespace egt::engine::ofproto {

struct XlatePacket {
  FlowKey flow;         // as the pipeline sees it
  FlowKey base;         // as the datapath holds it: commit() emits the difference
  FlowKey mask;         // the bits that decided
  FlowKey* wc = &mask;  // where they are collected: elsewhere behind a native tunnel
  XlateError error = XlateError::ok;
  bool slow = false;      // the switch has to execute the actions itself
  bool was_mpls = false;  // the last label was popped, and what lies below is not known yet
  bool pending_encap = false, pending_decap = false;
  std::vector<std::uint8_t> encap_data;

  // xlate_wc_init(): what every flow of the datapath looks at. `key_only`: of a tunnel's flags that it has a key alone.
  void begin_wildcards(bool key_only);
  // xlate_wc_finish(); `arrived`: the packet as it came.
  void finish_wildcards(const FlowKey& arrived);

  XlatePacket() = default;
  XlatePacket(const XlatePacket&) = delete;
  XlatePacket& operator=(const XlatePacket&) = delete;
};

}  // namespace egt::engine::ofproto
