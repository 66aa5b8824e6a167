// NORMAL: the bridge as an Ethernet switch (xlate_normal() of ofproto/ofproto-dpif-xlate.c).
#pragma once

#include <optional>
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

// mirror_packet(): the tags in the bridge of what comes or goes by a port; none where that is not in the port's VLANs.
std::optional<Vlans> tags_at(const SwitchPort& port, const FlowKey& flow, const XlateReport& report);
// output_normal(): by a port with these tags in the bridge.
NormalOutput normal_output(SwitchPort& port, const Vlans& vlans, XlatePacket& packet);
bool is_reserved_mac(std::uint64_t mac);
// That the port is the output port of a mirror.
void report_mirror_port(const XlateReport& report, NodeKind kind, Remark what, const SwitchPort& port);

// xlate_flow_is_protected()
bool is_between_protected_ports(const SwitchBridge& bridge, const FlowKey& flow, const SwitchPort& out);

}  // namespace egt::engine::ofproto
