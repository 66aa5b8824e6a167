// Outputs: ports, patch ports, floods, bundles.
#include <fmt/format.h>

#include "commit.h"
#include "hash.h"
#include "normal.h"
#include "xlate.h"

namespace egt::engine::ofproto {

using namespace openflow;

void Xlate::output(std::uint32_t port, std::uint32_t max_len, bool is_last, bool truncate, bool group_bucket) {
  const auto in_port = static_cast<std::uint32_t>(get(packet_.flow, F::in_port));
  switch (port) {
    case port::in_port: return output_to(in_port, is_last, truncate);
    case port::table: return table_action(in_port, 0, false, false, false);
    case port::normal: return normal();
    case port::flood: return flood(false, is_last);
    case port::all: return flood(true, is_last);
    case port::controller:
      return to_controller(max_len,
                           group_bucket     ? reason::group
                           : in_action_set_ ? reason::action_set
                                            : reason::action,
                           0, std::nullopt, nullptr);
    case port::none: return;
    default:
      if (port != in_port) return output_to(port, is_last, truncate);
      return report_.note(NodeKind::warning, Remark::skipping_input_port);
  }
}

void Xlate::normal() {
  if (bridge_->mirrors_unknown && report_.observer()) report_.observer()->mirrors_unknown(*bridge_);
  for (const NormalOutput& output : normal_outputs(*bridge_, packet_, report_, policy_)) output_with_tags(output);
}

void Xlate::output_with_tags(const NormalOutput& output) {
  const FlowKey old = packet_.flow;
  write_tags(output, packet_.flow);
  output_to(output.port->number, false, false);
  copy_vlans(old, packet_.flow);
}

// mirror_ingress_packet()
void Xlate::mirror_input() {
  const SwitchPort* in = bridge_->port(static_cast<std::uint32_t>(get(packet_.flow, F::in_port)));
  if (in) mirror(*in, in->mirrors_in);
}

// mirror_packet()
void Xlate::mirror(const SwitchPort& port, MirrorMask selecting) {
  if (bridge_->mirrors.empty()) return;
  const std::optional<Vlans> tags = tags_at(port, packet_.flow, report_);
  if (!tags) return;
  for (std::size_t i = 0; i < bridge_->mirrors.size(); ++i) {
    const Mirror& m = bridge_->mirrors[i];
    if (((selecting & ~mirrored_) >> i & 1) == 0) continue;
    const std::vector<bool> vlans = vlan_bitmap(m.row.select_vlan());
    if (!vlans.empty()) mask_bits(*packet_.wc, F::vlan_tci, kVlanVid | kVlanPresent);
    if (!vlans.empty() && !vlans[tags->vid[0]]) continue;
    mirrored_ |= m.same_output;
    if (report_.observer()) report_.observer()->mirrored(m);
    if (!policy_.sends_copies()) continue;
    if (!m.row.filter().empty()) gap(Input::action_meaning, {m.row.filter()});
    mirror_snaplen_ = static_cast<std::uint16_t>(m.row.snaplen().value_or(0));
    copy_for(m, *tags);
    mirror_snaplen_ = 0;
  }
}

void Xlate::copy_for(const Mirror& m, Vlans tags) {
  if (m.out != nullptr) return output_with_tags(normal_output(*m.out, tags, packet_));
  const auto vlan = static_cast<std::uint16_t>(m.row.output_vlan().value_or(0));
  if (tags.vid[0] == vlan || is_reserved_mac(get(packet_.flow, F::eth_dst))) return;
  tags.vid[0] = vlan;
  for (SwitchPort* p : bridge_->in_order)
    if (p->settings.includes(tags.vid[0], tags.vid[1]) && p->mirrors_out == 0) output_with_tags(normal_output(*p, tags, packet_));
}

void Xlate::output_truncated(const OutputTruncated& a, bool is_last, bool group_bucket) {
  const auto number = bridge_->number_of(a.port);
  const std::uint32_t port = number.value_or(0);
  switch (port) {
    case port::table:
    case port::normal:
    case port::flood:
    case port::all:
    case port::controller:
    case port::none: return report_.note(NodeKind::warning, Remark::cannot_truncate_to_port, port);
    default: break;
  }
  if (port == get(packet_.flow, F::in_port)) return report_.note(NodeKind::warning, Remark::skipping_input_port);
  const SwitchPort* p = bridge_->port(port);
  if (!p || p->is_patch) return report_.note(NodeKind::error, Remark::cannot_truncate_to_patch, port);
  out_.put({dp::Truncate{a.max_len}});
  output(port, 0, is_last, true, group_bucket);
}

void Xlate::output_to(std::uint32_t number, bool is_last, bool truncate) {
  SwitchPort* port = bridge_->port(number);
  if (!port) return no_such_port(Port{number, {}});
  if (port->no_forward()) return report_.note(NodeKind::detail, Remark::no_forward, number);
  if (is_between_protected_ports(*bridge_, packet_.flow, *port)) return report_.note(NodeKind::warning, Remark::protected_ports);
  if (!tree_forwards(*port)) return report_.note(NodeKind::warning, Remark::tree_skips, bridge_->settings.rapid_tree);
  const auto carried = port->interface->options.find("packet_type");
  const bool any_type =
      port->is_patch || (port->is_tunnel && carried != port->interface->options.end() && carried->second != "legacy_l2");
  if (get(packet_.flow, F::packet_type) != packet_type::ethernet && !any_type)
    return report_.note(NodeKind::warning, Remark::non_ethernet_to_ethernet_port);
  if (port->is_patch) {
    if (truncate) report_.note(NodeKind::error, Remark::truncate_patch);
    if (port->peer) return cross_patch(*port, *port->peer, is_last);
    if (port->named == nullptr) return output_to_unknown(*port);
    if (report_.observer()) report_.observer()->lacks_peer(*port, *port->named);
    return;
  }
  const FlowKey old_flow = packet_.flow;
  const auto restore = [&] {
    copy_vlans(old_flow, packet_.flow);
    for (const F f : {F::nw_tos, F::nw_ecn, F::eth_dst, F::eth_src, F::packet_type, F::eth_type})
      packet_.flow.set(f, old_flow.get(f));
  };
  Tunnels tunnels = this->tunnels();
  const bool native = port->is_tunnel && tunnels.are_native();
  if (port->is_tunnel) {
    if (!tunnels.prepare(*port, original_tunnel_destination_)) return restore();
    if (!native) tunnels.set_metadata(*port);
    if (!native) copy_tunnel(old_flow, packet_.flow);
  }
  commit(packet_, out_);
  if (native) {
    native_tunnel(*port, truncate, is_last);
    copy_tunnel(old_flow, packet_.flow);
  } else if (const auto end = tunnels.end_at(*port)) {
    const openflow::DatapathPort* known = tables_.sw.datapath().port(*end);
    out_.put({dp::TunnelPop{{*end, known == nullptr ? std::string() : known->name}}});
  } else {
    constexpr std::uint16_t kWhole = 0xffff;
    if (mirror_snaplen_ != 0 && mirror_snaplen_ != kWhole) out_.put({dp::Truncate{mirror_snaplen_}});
    out_.put({dp::Output{datapath_port(*port, tables_.sw.datapath(), policy_)}});
  }
  mirror(*port, port->mirrors_of);
  restore();
}

void Xlate::native_tunnel(SwitchPort& port, bool truncate, bool is_last) {
  const FlowKey old_flow = packet_.flow, old_base = packet_.base;
  const std::optional<NativeTunnel> tunnel = tunnels().push(port);
  if (!tunnel) return;
  enter_outer_packet(tunnel->push, packet_);
  const std::size_t old_bytes = out_.bytes();
  dp::Actions pushed = out_.nested(is_last ? 0 : kCloneBytes, [&] {
    out_.put({tunnel->push});
    if (truncate) return out_.put({dp::Recirculate{0}});
    FlowKey scratch;
    FlowKey* old_wc = std::exchange(packet_.wc, &scratch);
    const bool was_encapsulated = std::exchange(encapsulated_, true);
    enter_peer(*tunnel->out, is_last);
    encapsulated_ = was_encapsulated;
    packet_.wc = old_wc;
  });
  if (pushed.size() == 1) {
    out_.set_bytes(old_bytes);
  } else if (!is_last) {
    out_.put({dp::Clone{std::move(pushed)}});
  } else {
    out_.append(std::move(pushed));
  }
  packet_.flow = old_flow;
  packet_.base = old_base;
}

void Xlate::no_such_port(const Port& port) {
  const std::string shown = port.name.empty() ? fmt::format("{}", port.number) : port.name;
  if (!bridge_->numbers_known) gap(Input::port, {shown, bridge().name});
  report_.note(NodeKind::warning, Remark::no_such_port, port.number, bridge_->numbers_known, shown);
}

void Xlate::output_to_unknown(SwitchPort& port) {
  const auto peer = port.interface->options.find("peer");
  const std::string to = peer == port.interface->options.end() ? port.interface->name : peer->second;
  gap(Input::patch_peer, {port.interface->name});
  report_.note(NodeKind::warning, Remark::unknown_bridge, port.number, 0, to);
}

void Xlate::cross_patch(SwitchPort& from, SwitchPort& to, bool is_last) {
  if (report_.observer()) report_.observer()->crosses(from, to);
  enter_peer(to, is_last);
}

// patch_port_output: the packet goes on in the other bridge, on a copy of everything.
void Xlate::enter_peer(SwitchPort& to, bool is_last) {
  const Retained old{packet_.flow, stack_, action_set_};
  const bool old_conntracked = conntracked_, old_was_mpls = packet_.was_mpls;
  FlowKey old_tunnel_mask;
  copy_tunnel(*packet_.wc, old_tunnel_mask);
  SwitchBridge* old_bridge = bridge_;
  const MirrorMask old_mirrored = mirrored_;
  if (to.bridge != bridge_) mirrored_ = 0;
  const auto level = report_.level();
  stack_.clear();
  action_set_.clear();
  packet_.flow.set(F::in_port, to.number);
  packet_.flow.set(F::metadata, 0);
  clear_tunnel(packet_.flow);
  clear_tunnel(*packet_.wc);
  clear_registers(packet_.flow);
  packet_.flow.set(F::actset_output, port::unset);
  clear_conntrack();
  report_.enter(NodeKind::bridge, BridgeLine{to.bridge->bridge->name});
  bridge_ = to.bridge;
  if (to.no_receive(is_stp(packet_.flow))) {
    if (report_.observer()) report_.observer()->not_received(to);
  } else if (tree_forwards(to)) {
    table_action(to.number, 0, false, is_last, true);
    end_pipeline();
  }
  report_.set_level(level);
  packet_.flow = old.flow;
  if (to.bridge != old_bridge) mirrored_ = old_mirrored;
  bridge_ = old_bridge;
  action_set_ = old.action_set;
  stack_ = old.stack;
  copy_tunnel(old_tunnel_mask, *packet_.wc);
  packet_.was_mpls = old_was_mpls;
  conntracked_ = old_conntracked;
  exit_ = false;
  packet_.error = XlateError::ok;
}

void Xlate::flood(bool all, bool is_last) {
  SwitchPort* previous = nullptr;
  for (SwitchPort* p : bridge_->by_hash) {
    if (p->number == get(packet_.flow, F::in_port)) continue;
    if (!all && p->no_flood()) continue;
    if (previous) output_to(previous->number, false, false);
    previous = p;
  }
  if (previous) output_to(previous->number, is_last, false);
}

void Xlate::bundle(const Bundle& a, bool is_last, bool group_bucket) {
  const auto enabled = [&](const Port& member) {
    const auto number = bridge_->number_of(member);
    if (!number || *number == port::controller) return false;
    if (*number >= port::in_port && *number != port::local) return true;
    const SwitchPort* p = bridge_->port(*number);
    return p && p->may_enable();
  };
  std::uint32_t chosen = port::none;
  std::vector<std::size_t> live;
  if (a.algorithm == "hrw" && policy_.chooses())
    for (std::size_t i = 0; i < a.members.size(); ++i)
      if (enabled(a.members[i])) live.push_back(i);
  if (!live.empty()) {
    const std::size_t i = live.size() > 1 ? policy_.member(a, live) : 0;
    chosen = bridge_->number_of(a.members[live[i]]).value_or(port::none);
  } else if (a.algorithm == "hrw") {
    const auto fields = hash_fields(a.fields);
    if (!fields) return;
    if (a.members.size() > 1) mask_hash_fields(packet_.flow, *packet_.wc, *fields);
    const std::uint32_t hash = flow_hash(packet_.flow, *fields, a.basis);
    std::optional<std::uint32_t> best;
    for (std::uint32_t i = 0; i < a.members.size(); ++i) {
      if (!enabled(a.members[i])) continue;
      const std::uint32_t weight = hash_2words(i, hash);
      if (best && weight <= *best) continue;
      best = weight;
      chosen = bridge_->number_of(a.members[i]).value_or(port::none);
    }
  } else {
    for (const Port& member : a.members)
      if (enabled(member)) {
        chosen = bridge_->number_of(member).value_or(port::none);
        break;
      }
  }
  if (!a.dest && chosen == port::none && report_.observer()) report_.observer()->no_live_member(a);
  if (!a.dest) return output(chosen, 0, is_last, false, group_bucket);
  if (prerequisites_met(a.dest->field, packet_.flow, packet_.wc)) {
    unwildcard(*packet_.wc, *a.dest);
    write(packet_.flow, *a.dest, chosen);
  }
  report_.field(*a.dest, packet_.flow, bridge());
}

}  // namespace egt::engine::ofproto
