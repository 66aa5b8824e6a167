// Outputs of a pipeline: ports, patch ports, tunnels, floods, bundles, and the copies of mirrors (compose_output_action() of
// ofproto/ofproto-dpif-xlate.c).
#pragma once

#include <cstdint>
#include <optional>

#include "mirrors.h"
#include "normal.h"
#include "tunnels.h"
#include "xlate_context.h"

namespace egt::engine::ofproto {

class Pipeline;

class PortOutput {
 public:
  // `pipeline`: goes on where the packet is output to a table, or to the other end of a patch port.
  PortOutput(XlateContext& c, Pipeline& pipeline) : c_(c), pipeline_(pipeline) {}

  // By a number that a flow may name, be it reserved.
  void output(std::uint32_t port, std::uint32_t max_len, bool is_last, bool truncate, bool group_bucket);
  void output(const openflow::Port& port, bool is_last, bool group_bucket);
  void enqueue(const openflow::Enqueue& a, bool is_last, bool group_bucket);
  void output_register(const openflow::OutputReg& a, bool is_last, bool group_bucket);
  void output_truncated(const openflow::OutputTruncated& a, bool is_last, bool group_bucket);
  void bundle(const openflow::Bundle& a, bool is_last, bool group_bucket);
  // The copies of what comes in.
  void mirror_input();

 private:
  void output_to(std::uint32_t port, bool is_last, bool truncate);
  void output_to_patch(SwitchPort& port, bool is_last, bool truncate);
  void output_to_unknown(SwitchPort& port);
  void output_to_none(const openflow::Port& port);
  void output_with_tags(const NormalOutput& output);
  void normal();
  void flood(bool all, bool is_last);
  void mirror(const SwitchPort& port, MirrorMask selecting);
  void copy_for(const Mirror& mirror, Vlans tags);
  Tunnels tunnels() { return {c_.tables.sw, c_.bridge(), c_.packet, c_.out, c_.report, c_.policy, c_.version()}; }
  void native_tunnel(SwitchPort& port, bool truncate, bool is_last);

  XlateContext& c_;
  Pipeline& pipeline_;
  std::uint16_t mirror_snaplen_ = 0;  // of the copy under way; 0: it is whole, or none is
};

// xport_stp_forward_state, xport_rstp_forward_state
bool tree_forwards(const SwitchPort& port, const XlateReport& report);
// Whether the port lets in the packet that comes by it.
bool lets_in(const SwitchPort& port, const XlateContext& c);

}  // namespace egt::engine::ofproto
