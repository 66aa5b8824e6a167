// What the notes of a translation mean for a path.
#include <fmt/format.h>

#include "packet_fields.h"
#include "path_recorder.h"

namespace egt::engine {
namespace {

using Line = ofproto::Remark;

}  // namespace

void PathRecorder::note(const ofproto::Note& n) {
  switch (n.what) {
    case Line::too_deep:
      return end("resubmits go deeper than 64 levels: Open vSwitch gives up and drops the packet", 0, here());
    case Line::too_many_resubmits:
      return end("more than 4096 resubmits: Open vSwitch gives up and drops the packet", 0, here());
    case Line::stack_too_big:
      return end("the stack of push and pop grows beyond 64 kB: Open vSwitch gives up and drops the packet", 0, here());
    case Line::resubmit_not_tracked:
      return remark("resubmit(…,ct) of a packet that conntrack has not seen does nothing", here());
    case Line::ttl_exception:
    case Line::mpls_ttl_exception:
    case Line::nsh_ttl_exception:
      end("its TTL is used up", 0, here());
      return remark("TTL of 1 or less: Open vSwitch stops executing this flow", here());
    default:
      note_output(n);
  }
}

void PathRecorder::note_output(const ofproto::Note& n) {
  switch (n.what) {
    case Line::skipping_input_port:
      remark("output to the port that the packet came in by is skipped", here());
      return end("it would go out by the port that it came in by, which Open vSwitch skips", 0, here());
    case Line::no_such_port:
      if (n.b == 0) return end(fmt::format("the snapshot does not tell what port {} is", n.text), 0, here());
      remark(fmt::format("port {} of {} does not exist", n.text, bridge().name), here());
      return end(fmt::format("port {} does not exist", n.text), 0, here());
    case Line::no_forward:
      remark(fmt::format("port {} of {} has NO_FWD set", n.a, bridge().name), here());
      return end(fmt::format("port {} has NO_FWD set: Open vSwitch outputs nothing to it", n.a), 0, here());
    case Line::unknown_bridge:
      return end(fmt::format("the peer of patch port {} is not in the snapshot", n.a), 0, here());
    case Line::no_such_group: {
      const std::string name = fmt::format("group {} of {}", n.a, bridge().name);
      // Open vSwitch takes no flow that names a group it lacks, and deletes a group's flows with it: dumps that show
      // such a flow are of two moments or bridges.
      if (bridge().has_groups) gap(name, "ovs-ofctl -O OpenFlow15 dump-groups " + bridge().name);
      if (bridge().flows_partial) undecided_ = true;
      remark(name + " does not exist", here());
      return end(fmt::format("{} is not {}", name, bridge().has_groups ? "there" : "in the snapshot"), 0, here());
    }
    case Line::no_live_bucket:
      remark("the group has no live bucket", here());
      return end("the group has no live bucket", 0, here());
    default:
      note_normal(n);
  }
}

void PathRecorder::note_normal(const ofproto::Note& n) {
  switch (n.what) {
    case Line::no_input_bundle:
      return end("NORMAL drops what came in by no known port", 0, here());
    case Line::vlan_on_access_port:
      return end(fmt::format("a tagged frame on access port {}", n.text), 0, here());
    case Line::reserved_mac:
      return end("NORMAL drops reserved multicast", 0, here());
    case Line::learned_port_is_input:
    case Line::learned_port: {
      std::vector<Provenance> evidence = here();
      if (n.from.known()) evidence.push_back(n.from);
      if (n.what == Line::learned_port_is_input)
        return end("its destination MAC was learned on the port it came in by", 0, std::move(evidence));
      return remark(fmt::format("NORMAL: {} was learned on port {}", dst_mac(*flow_).to_string(), n.a),
                    std::move(evidence));
    }
    case Line::no_learned_mac:
      if (dst_mac(*flow_).is_multicast()) return;
      return remark(
          fmt::format("NORMAL floods: {} is not in the MAC table of {}", dst_mac(*flow_).to_string(), bridge().name),
          here());
    default:
      note_tunnel(n);
  }
}

void PathRecorder::note_tunnel(const ofproto::Note& n) {
  if (n.what != Line::own_tunnel_address) return;
  if (n.b == 0) return end(fmt::format("tunnel port {} has no remote address for it", n.text), 0, here());
  remark("Open vSwitch does not tunnel to its own address", here());
  end("the tunnel would lead to this machine itself", 0, here());
}

}  // namespace egt::engine
