#include "path_notes.h"

#include <utility>
#include <vector>

#include "packet_fields.h"

namespace egt::engine {
namespace {

using Line = ofproto::Remark;

void end_at_mirror(const ofproto::Note& n, PathPosition& at) {
  std::vector<Provenance> evidence = at.here();
  evidence.push_back(n.from);
  at.end({Reason::mirror_port, {n.text, n.more}}, std::move(evidence));
}

void note_tunnel(const ofproto::Note& n, PathPosition& at) {
  if (n.what != Line::own_tunnel_address) return;
  if (n.b == 0) return at.end({Reason::tunnel_without_remote, {n.text}});
  at.remark({Notice::own_tunnel_address});
  at.end({Reason::tunnel_to_itself});
}

void note_normal(const ofproto::Note& n, PathPosition& at) {
  switch (n.what) {
    case Line::received_by_port_of_mirror:
    case Line::input_port_of_mirror:
    case Line::learned_port_of_mirror: return end_at_mirror(n, at);
    case Line::no_input_bundle: return at.end({Reason::input_port_unknown});
    case Line::vlan_on_access_port: return at.end({Reason::tagged_on_access_port, {n.text}});
    case Line::reserved_mac: return at.end({Reason::reserved_multicast});
    case Line::learned_port_is_input:
    case Line::learned_port: {
      std::vector<Provenance> evidence = at.here();
      if (n.from.known()) evidence.push_back(n.from);
      if (n.what == Line::learned_port_is_input) return at.end({Reason::learned_on_input_port}, std::move(evidence));
      at.add(engine::Remark{Notice::mac_learned, {dst_mac(at.flow()), n.a}}, std::move(evidence));
      return;
    }
    case Line::no_learned_mac:
      if (dst_mac(at.flow()).is_multicast()) return;
      return at.remark({Notice::flood, {dst_mac(at.flow()), at.bridge().name}});
    default: note_tunnel(n, at);
  }
}

void note_output(const ofproto::Note& n, PathPosition& at) {
  switch (n.what) {
    case Line::skipping_input_port: at.remark({Notice::input_port_skipped}); return at.end({Reason::output_to_input_port});
    case Line::no_such_port:
      if (n.b == 0) return at.end({Reason::port_not_known, {n.text}});
      at.remark({Notice::port_missing, {n.text, at.bridge().name}});
      return at.end({Reason::port_missing, {n.text}});
    case Line::no_forward:
      at.remark({Notice::port_no_forward, {n.a, at.bridge().name}});
      return at.end({Reason::port_no_forward, {n.a}});
    case Line::unknown_bridge: return at.end({Reason::patch_peer_missing, {n.a}});
    case Line::no_such_group: {
      const Details group{n.a, at.bridge().name};
      // Open vSwitch takes no flow that names a group it lacks, and deletes a group's flows with it: dumps that show
      // such a flow are of two moments or bridges.
      if (at.bridge().has_groups) at.recorder().gap(Input::group, group);
      if (at.bridge().flows_partial) at.recorder().set_undecided();
      at.remark({Notice::group_missing, group});
      return at.end({at.bridge().has_groups ? Reason::group_missing : Reason::group_not_dumped, group});
    }
    case Line::no_live_bucket: at.remark({Notice::no_live_bucket}); return at.end({Reason::no_live_bucket});
    default: note_normal(n, at);
  }
}

}  // namespace

void record_note(const ofproto::Note& n, PathPosition& at) {
  switch (n.what) {
    case Line::too_deep: return at.end({Reason::resubmits_too_deep});
    case Line::too_many_resubmits: return at.end({Reason::too_many_resubmits});
    case Line::stack_too_big: return at.end({Reason::stack_too_big});
    case Line::resubmit_not_tracked: return at.remark({Notice::resubmit_of_untracked});
    case Line::ttl_exception:
    case Line::mpls_ttl_exception:
    case Line::nsh_ttl_exception: at.end({Reason::flow_ttl_exceeded}); return at.remark({Notice::flow_stops_at_ttl});
    default: note_output(n, at);
  }
}

}  // namespace egt::engine
