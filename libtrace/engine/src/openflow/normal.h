// NORMAL: the bridge as an Ethernet switch (xlate_normal() of ofproto/ofproto-dpif-xlate.c).
#pragma once

#include <vector>

#include "policy.h"
#include "switch.h"
#include "xlate_packet.h"
#include "xlate_report.h"

namespace egt::engine::ofproto {

// A port that gets the packet, and the tags that it leaves with.
struct NormalOutput {
  SwitchPort* port;
  Vlans tags;
};
void write_tags(const NormalOutput& output, FlowKey& flow);

// The outputs in their order; the frame's fields that decided are collected, and why there is none is reported.
std::vector<NormalOutput> normal_outputs(SwitchBridge& bridge, XlatePacket& packet, const XlateReport& report, Policy& policy);

// xlate_flow_is_protected()
bool is_between_protected_ports(const SwitchBridge& bridge, const FlowKey& flow, const SwitchPort& out);

}  // namespace egt::engine::ofproto
