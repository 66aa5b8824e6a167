// What the notes of a translation mean for a path.
#include "packet_fields.h"
#include "path_recorder.h"

namespace egt::engine {
namespace {

using Line = ofproto::Remark;

}  // namespace

void PathRecorder::note(const ofproto::Note& n) {
  switch (n.what) {
    case Line::too_deep: return end({Reason::resubmits_too_deep}, 0, here());
    case Line::too_many_resubmits: return end({Reason::too_many_resubmits}, 0, here());
    case Line::stack_too_big: return end({Reason::stack_too_big}, 0, here());
    case Line::resubmit_not_tracked: return remark({Notice::resubmit_of_untracked}, here());
    case Line::ttl_exception:
    case Line::mpls_ttl_exception:
    case Line::nsh_ttl_exception: end({Reason::flow_ttl_exceeded}, 0, here()); return remark({Notice::flow_stops_at_ttl}, here());
    default: note_output(n);
  }
}

void PathRecorder::note_output(const ofproto::Note& n) {
  switch (n.what) {
    case Line::skipping_input_port:
      remark({Notice::input_port_skipped}, here());
      return end({Reason::output_to_input_port}, 0, here());
    case Line::no_such_port:
      if (n.b == 0) return end({Reason::port_not_known, {n.text}}, 0, here());
      remark({Notice::port_missing, {n.text, bridge().name}}, here());
      return end({Reason::port_missing, {n.text}}, 0, here());
    case Line::no_forward:
      remark({Notice::port_no_forward, {n.a, bridge().name}}, here());
      return end({Reason::port_no_forward, {n.a}}, 0, here());
    case Line::unknown_bridge: return end({Reason::patch_peer_missing, {n.a}}, 0, here());
    case Line::no_such_group: {
      const Details group{n.a, bridge().name};
      // Open vSwitch takes no flow that names a group it lacks, and deletes a group's flows with it: dumps that show
      // such a flow are of two moments or bridges.
      if (bridge().has_groups) gap(Input::group, group);
      if (bridge().flows_partial) undecided_ = true;
      remark({Notice::group_missing, group}, here());
      return end({bridge().has_groups ? Reason::group_missing : Reason::group_not_dumped, group}, 0, here());
    }
    case Line::no_live_bucket: remark({Notice::no_live_bucket}, here()); return end({Reason::no_live_bucket}, 0, here());
    default: note_normal(n);
  }
}

void PathRecorder::note_normal(const ofproto::Note& n) {
  switch (n.what) {
    case Line::received_by_port_of_mirror:
    case Line::input_port_of_mirror:
    case Line::learned_port_of_mirror: return end_at_mirror(n);
    case Line::no_input_bundle: return end({Reason::input_port_unknown}, 0, here());
    case Line::vlan_on_access_port: return end({Reason::tagged_on_access_port, {n.text}}, 0, here());
    case Line::reserved_mac: return end({Reason::reserved_multicast}, 0, here());
    case Line::learned_port_is_input:
    case Line::learned_port: {
      std::vector<Provenance> evidence = here();
      if (n.from.known()) evidence.push_back(n.from);
      if (n.what == Line::learned_port_is_input) return end({Reason::learned_on_input_port}, 0, std::move(evidence));
      return remark({Notice::mac_learned, {dst_mac(*flow_), n.a}}, std::move(evidence));
    }
    case Line::no_learned_mac:
      if (dst_mac(*flow_).is_multicast()) return;
      return remark({Notice::flood, {dst_mac(*flow_), bridge().name}}, here());
    default: note_tunnel(n);
  }
}

void PathRecorder::end_at_mirror(const ofproto::Note& n) {
  std::vector<Provenance> evidence = here();
  evidence.push_back(n.from);
  end({Reason::mirror_port, {n.text, n.more}}, 0, std::move(evidence));
}

void PathRecorder::note_tunnel(const ofproto::Note& n) {
  if (n.what != Line::own_tunnel_address) return;
  if (n.b == 0) return end({Reason::tunnel_without_remote, {n.text}}, 0, here());
  remark({Notice::own_tunnel_address}, here());
  end({Reason::tunnel_to_itself}, 0, here());
}

}  // namespace egt::engine
