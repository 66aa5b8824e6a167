// What ofproto/trace says beside the flows and actions of a packet's path.
#include <fmt/format.h>

#include "egtrace/engine/network_state.h"
#include "egtrace/render/ofproto_trace.h"

namespace egt::render {
namespace {

using namespace engine::ofproto;

}  // namespace

namespace {

std::string port_word(std::uint64_t number) {
  switch (number) {
    case openflow::port::unset: return "UNSET";
    case openflow::port::in_port: return "IN_PORT";
    case openflow::port::table: return "TABLE";
    case openflow::port::normal: return "NORMAL";
    case openflow::port::flood: return "FLOOD";
    case openflow::port::all: return "ALL";
    case openflow::port::controller: return "CONTROLLER";
    case openflow::port::none: return "ANY";
    case openflow::port::local: return "LOCAL";
    default: return fmt::format("{}", number);
  }
}

}  // namespace

// As xlate_learn_action() shows it: ports by number whatever the call asks for.
std::string OfprotoTraceWriter::learned(const engine::LearnedFlow& f) const {
  std::string out = fmt::format("table={}", f.table);
  if (!f.match.empty()) out += " " + text_.match(f.match.view());
  out += fmt::format(" priority={}", f.priority);
  if (f.cookie != 0) out += fmt::format(" cookie=0x{:x}", f.cookie);
  if (f.idle_timeout != 0) out += fmt::format(" idle={}", f.idle_timeout);
  if (f.hard_timeout != 0) out += fmt::format(" hard={}", f.hard_timeout);
  if (f.send_flow_rem) out += " send_flow_rem";
  std::string actions;
  for (const openflow::Action& a : f.actions) actions += "," + text_.action(a);
  return out + " actions=" + (actions.empty() ? "drop" : actions.substr(1));
}

// The value of a field as set_field would show it; of a part of a field in hexadecimal.
std::string OfprotoTraceWriter::value(const Note& n) const {
  if (n.field != whole(n.field.field)) return hex(n.value, true);
  constexpr U128 kWide = 0xffff0000;  // of reserved ports as of OpenFlow 1.1
  if (n.field.field == FieldId::in_port_oxm && n.value >= (kWide | openflow::port::max))
    return port_word(low64(n.value) & 0xffff);
  const std::string text = text_.action({openflow::SetField{n.field.field, n.value, std::nullopt, "set_field"}});
  const std::size_t begin = text.find(':'), end = text.rfind("->");
  return begin == std::string::npos || end == std::string::npos ? hex(n.value, true) : text.substr(begin + 1, end - begin - 1);
}

std::string OfprotoTraceWriter::note(const Note& n) {
  switch (n.what) {
    case Remark::thaw: return "thaw";
    case Remark::resuming_from_table: return fmt::format("Resuming from table {}", n.a);
    case Remark::restored_state:
      // The switch prints the cookie as it lies in memory, in network byte order (xlate_ofpact_unroll_xlate()).
      return fmt::format("restored state: table={}, cookie={}", n.a,
                         n.b == 0 ? "0" : fmt::format("0x{:x}", __builtin_bswap64(n.b)));
    case Remark::restoring_actions: return "Restoring actions: " + list(n.list);
    case Remark::restoring_action_set: return "Restoring action set: " + list(n.list);
    case Remark::executing_action_set: return "--. Executing action set:";
    case Remark::action_set_was: return n.list.empty() ? "action set was empty" : "action set was: " + list(n.list);
    case Remark::action_set_is: return n.list.empty() ? "action set is empty" : "action set is: " + list(n.list);
    case Remark::field_is_now: return text_.subfield(n.field) + " is now " + value(n);
    case Remark::conjunction_member: {
      const openflow::FlowEntry& f = n.bridge->flows->flow(n.flow);
      const std::string match = flow_match(*n.bridge, n.flow);
      return "conj. " +
             (f.priority == 32768 ? match : fmt::format("priority={}{}{}", f.priority, match.empty() ? "" : ",", match));
    }
    case Remark::no_such_port: return "Nonexistent output port";
    case Remark::no_forward: return "OFPPC_NO_FWD set, skipping output";
    case Remark::skipping_input_port: return "skipping output to input port";
    case Remark::output_port_is: return fmt::format("output port is {}", n.a);
    case Remark::output_port_out_of_range: return fmt::format("output port {} is out of range", n.a);
    case Remark::cannot_truncate_to_port: return "output_trunc does not support port: " + port_word(n.a);
    case Remark::cannot_truncate_to_patch: return "output_trunc does not support patch port " + port_word(n.a);
    case Remark::truncate_patch: return "Cannot truncate output to patch port";
    case Remark::non_ethernet_to_ethernet_port:
      return "Trying to send non-Ethernet packet through legacy L2 port. Dropping packet.";
    case Remark::no_such_group: return fmt::format("output to nonexistent group {}", n.a);
    case Remark::using_bucket: return fmt::format("using bucket {}", n.a);
    case Remark::no_live_bucket:
    case Remark::no_bucket_yet: return "no live bucket";
    case Remark::dp_hash: return "selection method in use: dp_hash, recirculating";
    case Remark::bucket_score: return fmt::format("bucket {}: score {}", n.a, n.b);
    case Remark::bucket_not_live: {
      std::string why = n.text.empty() ? "" : "port " + n.text;
      if (!n.more.empty()) why += (why.empty() ? "port " : " and port ") + n.more;
      return fmt::format("bucket {}: not live due to {}", n.a, why);
    }
    case Remark::bucket_chain: return fmt::format("bucket chaining exceeded {} links", n.a);
    case Remark::resubmit_not_tracked: return "resubmit(ct) with non-tracked or non-IP packet!";
    case Remark::too_deep: return fmt::format("over max translation depth {}", n.a);
    case Remark::too_many_resubmits: return fmt::format("over {} resubmit actions", n.a);
    case Remark::too_many_actions: return "resubmits yielded over 64 kB of actions";
    case Remark::stack_too_big: return "resubmits yielded over 64 kB of stack";
    case Remark::stack_underflow: return "stack underflow";
    case Remark::forked:
      return fmt::format("A clone of the packet is forked to recirculate. The forked pipeline will be resumed at table {}.", n.a);
    case Remark::untracked: return "Sets the packet to an untracked state, and clears all the conntrack fields.";
    case Remark::ttl_exception: return fmt::format("IPv{} decrement TTL exception", n.a);
    case Remark::mpls_ttl_exception: return "MPLS decrement TTL exception";
    case Remark::nsh_ttl_exception: return "NSH decrement TTL exception";
    case Remark::unmet_prerequisites:
      return fmt::format("unmet prerequisites for {}, set_field ignored", field(n.field.field).set_name);
    case Remark::queue_is: return fmt::format("queue = {}", n.a == 0 ? "0" : fmt::format("0x{:x}", n.a));
    case Remark::deletes_field: return fmt::format("delete {}", field(n.field.field).name);
    case Remark::learn_suppressed: return "suppressing side effects, so learn action ignored";
    case Remark::learns: return learned(*n.learned);
    case Remark::conjunction_executed: return "executing no-op conjunction action";
    case Remark::unknown_input_port: return fmt::format("received packet on unknown port {}", n.a);
    case Remark::no_input_bundle: return "no input bundle, dropping";
    case Remark::partial_vlan: return "partial VLAN tag, dropping";
    case Remark::vlan_not_allowed: return "disallowed VLAN VID for this input port, dropping";
    case Remark::vlan_on_access_port:
      return fmt::format("dropping VLAN {} tagged packet received on port {} configured as VLAN {} access port", n.a, n.text,
                         n.b);
    case Remark::vlan_not_trunked:
      return fmt::format("dropping VLAN {} packet received on port {} not configured for trunking VLAN {}", n.a, n.text, n.a);
    case Remark::vlan_not_in_tunnel:
      return fmt::format("dropping VLAN {} packet received on dot1q-tunnel port {} that excludes this VLAN", n.a, n.text);
    case Remark::protected_ports: return "Flow is between protected ports, skipping output.";
    case Remark::tree_skips: return fmt::format("{} not in forwarding state, skipping output", n.a != 0 ? "RSTP" : "STP");
    case Remark::received_by_port_of_mirror:
      return fmt::format("dropping packet received on port {}, which is reserved exclusively for mirroring", n.text);
    case Remark::input_port_of_mirror: return "input port is mirror output port, dropping";
    case Remark::learned_port_of_mirror: return "learned port is a mirror port, dropping";
    case Remark::reserved_mac: return "packet has reserved destination MAC, dropping";
    case Remark::learned_port: return "forwarding to learned port";
    case Remark::learned_port_is_input: return "learned port is input port, dropping";
    case Remark::no_learned_mac: return "no learned MAC for destination, flooding";
    case Remark::learned_mac: return n.text;
    case Remark::tunnel_decided_against: return "Tunneling decided against output";
    case Remark::own_tunnel_address: return "Not tunneling to our own address";
    case Remark::native_tunnel: return "output to native tunnel";
    case Remark::kernel_tunnel: return "output to kernel tunnel";
    case Remark::no_route: return "native tunnel routing failed";
    case Remark::no_route_known: return "the snapshot does not show the switch's routes: native tunnel not followed";
    case Remark::tunneling_via: return fmt::format("tunneling to {} via {}", n.text, n.more);
    case Remark::neighbour_miss:
      return fmt::format("neighbor cache miss for {} on bridge {}, sending {} request", n.text, n.more, n.a == 4 ? "ARP" : "ND");
    case Remark::neighbour_unknown:
      return fmt::format("the snapshot does not show neighbour {}: native tunnel not followed", n.text);
    case Remark::tunneling:
      return fmt::format("tunneling from {} {} to {} {}", MacAddr{n.a}.to_string(), n.text, MacAddr{n.b}.to_string(), n.more);
    case Remark::unknown_recirculation: return fmt::format("Recirculation context not found for ID {:x}", n.a);
    case Remark::encap_of_ethernet: return "Dropping packet as encap(ethernet) is not supported for packet type ethernet.";
    case Remark::encap_nsh_of_type:
      return fmt::format("Dropping packet as encap(nsh) is not supported for packet type ({},0x{:x})", n.a, n.b);
    case Remark::decap_vlan: return "Dropping packet, cannot decap Ethernet if VLAN is present.";
    case Remark::decap_nsh_next: return fmt::format("Dropping packet as NSH next protocol {} is not supported", n.a);
    case Remark::decap_of_type:
      return fmt::format("Dropping packet as the decap() does not support packet type ({},0x{:x})", n.a, n.b);
    case Remark::unknown_bridge: return fmt::format("the snapshot does not hold the bridge of {}: not followed", n.text);
    case Remark::not_understood: return "not understood: " + n.text;
  }
  return {};
}

}  // namespace egt::render
