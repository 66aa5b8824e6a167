#include "port_output.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "commit.h"
#include "controllers.h"
#include "field_actions.h"
#include "hash.h"
#include "packet_fields.h"
#include "pipeline.h"

namespace egt::engine::ofproto {

namespace {

using namespace openflow;

std::uint32_t member_number(const XlateContext& c, const Port& member) {
  return c.at.bridge->number_of(member).value_or(port::none);
}

bool is_member_enabled(const XlateContext& c, const Port& member) {
  const auto number = c.at.bridge->number_of(member);
  if (!number || *number == port::controller) return false;
  if (*number >= port::in_port && *number != port::local) return true;
  const SwitchPort* p = c.at.bridge->port(*number);
  return p && p->may_enable();
}

// Of members that are enabled the one of the highest weight (Highest Random Weight); port::none: there is none.
std::uint32_t heaviest_member(const XlateContext& c, const Bundle& a, std::uint32_t hash) {
  std::uint32_t chosen = port::none;
  std::optional<std::uint32_t> best;
  for (std::uint32_t i = 0; i < a.members.size(); ++i) {
    if (!is_member_enabled(c, a.members[i])) continue;
    const std::uint32_t weight = hash_2words(i, hash);
    if (best && weight <= *best) continue;
    best = weight;
    chosen = member_number(c, a.members[i]);
  }
  return chosen;
}

// The port that a bundle action takes, or port::none (bundle_execute()); nothing where its fields are not understood.
std::optional<std::uint32_t> bundle_member(XlateContext& c, const Bundle& a) {
  if (a.algorithm != "hrw") {
    for (const Port& member : a.members)
      if (is_member_enabled(c, member)) return member_number(c, member);
    return port::none;
  }
  std::vector<std::size_t> live;
  if (c.policy.chooses())
    for (std::size_t i = 0; i < a.members.size(); ++i)
      if (is_member_enabled(c, a.members[i])) live.push_back(i);
  if (!live.empty()) return member_number(c, a.members[live[live.size() > 1 ? c.policy.member(a, live) : 0]]);
  const auto fields = hash_fields(a.fields);
  if (!fields) return std::nullopt;
  if (a.members.size() > 1) mask_hash_fields(c.packet.flow, *c.packet.wc, *fields);
  return heaviest_member(c, a, flow_hash(c.packet.flow, *fields, a.basis));
}

}  // namespace

bool tree_forwards(const SwitchPort& port, const XlateReport& report) {
  const TreeState state = port.tree_state();
  if (state != TreeState::forwards && report.observer()) report.observer()->in_spanning_tree(port);
  return state != TreeState::blocks;
}

bool lets_in(const SwitchPort& port, const XlateContext& c) {
  if (!port.no_receive(is_stp(c.packet.flow))) return tree_forwards(port, c.report);
  if (c.report.observer()) c.report.observer()->not_received(port);
  return false;
}

void PortOutput::output(std::uint32_t port, std::uint32_t max_len, bool is_last, bool truncate, bool group_bucket) {
  const auto in_port = static_cast<std::uint32_t>(get(c_.packet.flow, F::in_port));
  switch (port) {
    case port::in_port: return output_to(in_port, is_last, truncate);
    case port::table: return pipeline_.enter_table(in_port, 0, false, false, false);
    case port::normal: return normal();
    case port::flood: return flood(false, is_last);
    case port::all: return flood(true, is_last);
    case port::controller: {
      const std::uint16_t why = group_bucket ? reason::group : c_.at.in_action_set ? reason::action_set : reason::action;
      return to_controller(c_, {why, max_len});
    }
    case port::none: return;
    default:
      if (port != in_port) return output_to(port, is_last, truncate);
      return c_.report.note(NodeKind::warning, Remark::skipping_input_port);
  }
}

void PortOutput::output(const Port& port, bool is_last, bool group_bucket) {
  const auto number = c_.at.bridge->number_of(port);
  if (!number) return output_to_none(port);
  output(*number, 0xffff, is_last, false, group_bucket);
}

void PortOutput::enqueue(const Enqueue& a, bool is_last, bool group_bucket) {
  FlowKey& flow = c_.packet.flow;
  mask_all(*c_.packet.wc, F::skb_priority);
  const auto given = static_cast<std::uint32_t>(get(flow, F::in_port));
  std::uint32_t number = c_.at.bridge->number_of(a.port).value_or(0);
  const auto priority = queue_priority(c_, a.queue);
  if (!priority) return output(number, 0, is_last, false, group_bucket);
  if (number == port::in_port) {
    number = given;
  } else if (number == given) {
    return;
  }
  const U128 old = flow.get(F::skb_priority);
  flow.set(F::skb_priority, *priority);
  output_to(number, is_last, false);
  flow.set(F::skb_priority, old);
}

void PortOutput::output_register(const OutputReg& a, bool is_last, bool group_bucket) {
  const std::uint64_t port = low64(read(c_.packet.flow, a.source));
  if (port > 0xffff) return c_.report.note(NodeKind::warning, Remark::output_port_out_of_range, port);
  c_.report.note(NodeKind::detail, Remark::output_port_is, port);
  unwildcard(*c_.packet.wc, a.source);
  output(static_cast<std::uint32_t>(port), 0xffff, is_last, false, group_bucket);
}

void PortOutput::normal() {
  if (c_.at.bridge->mirrors_unknown && c_.report.observer()) c_.report.observer()->mirrors_unknown(*c_.at.bridge);
  for (const NormalOutput& output : normal_outputs(*c_.at.bridge, c_.packet, c_.report, c_.policy)) output_with_tags(output);
}

void PortOutput::output_with_tags(const NormalOutput& output) {
  const FlowKey old = c_.packet.flow;
  write_tags(output, c_.packet.flow);
  output_to(output.port->number, false, false);
  copy_vlans(old, c_.packet.flow);
}

// mirror_ingress_packet()
void PortOutput::mirror_input() {
  const SwitchPort* in = c_.at.bridge->port(static_cast<std::uint32_t>(get(c_.packet.flow, F::in_port)));
  if (in) mirror(*in, in->mirrors_in);
}

// mirror_packet()
void PortOutput::mirror(const SwitchPort& port, MirrorMask selecting) {
  if (c_.at.bridge->mirrors.empty()) return;
  const std::optional<Vlans> tags = tags_at(port, c_.packet.flow, c_.report);
  if (!tags) return;
  for (std::size_t i = 0; i < c_.at.bridge->mirrors.size(); ++i) {
    const Mirror& m = c_.at.bridge->mirrors[i];
    if (((selecting & ~c_.packet.mirrored) >> i & 1) == 0) continue;
    const std::vector<bool> vlans = vlan_bitmap(m.row.select_vlan());
    if (!vlans.empty()) mask_bits(*c_.packet.wc, F::vlan_tci, kVlanVid | kVlanPresent);
    if (!vlans.empty() && !vlans[tags->vid[0]]) continue;
    c_.packet.mirrored |= m.same_output;
    if (c_.report.observer()) c_.report.observer()->mirrored(m);
    if (!c_.policy.sends_copies()) continue;
    if (!m.row.filter().empty()) c_.gap(Input::action_meaning, {m.row.filter()});
    mirror_snaplen_ = static_cast<std::uint16_t>(m.row.snaplen().value_or(0));
    copy_for(m, *tags);
    mirror_snaplen_ = 0;
  }
}

void PortOutput::copy_for(const Mirror& m, Vlans tags) {
  if (m.out != nullptr) return output_with_tags(normal_output(*m.out, tags, c_.packet));
  const auto vlan = static_cast<std::uint16_t>(m.row.output_vlan().value_or(0));
  if (tags.vid[0] == vlan || is_reserved_mac(get(c_.packet.flow, F::eth_dst))) return;
  tags.vid[0] = vlan;
  for (SwitchPort* p : c_.at.bridge->in_order)
    if (p->settings.includes(tags.vid[0], tags.vid[1]) && p->mirrors_out == 0)
      output_with_tags(normal_output(*p, tags, c_.packet));
}

void PortOutput::output_truncated(const OutputTruncated& a, bool is_last, bool group_bucket) {
  const auto number = c_.at.bridge->number_of(a.port);
  const std::uint32_t port = number.value_or(0);
  switch (port) {
    case port::table:
    case port::normal:
    case port::flood:
    case port::all:
    case port::controller:
    case port::none: return c_.report.note(NodeKind::warning, Remark::cannot_truncate_to_port, port);
    default: break;
  }
  if (port == get(c_.packet.flow, F::in_port)) return c_.report.note(NodeKind::warning, Remark::skipping_input_port);
  const SwitchPort* p = c_.at.bridge->port(port);
  if (!p || p->is_patch) return c_.report.note(NodeKind::error, Remark::cannot_truncate_to_patch, port);
  c_.out.put({dp::Truncate{a.max_len}});
  output(port, 0, is_last, true, group_bucket);
}

void PortOutput::output_to(std::uint32_t number, bool is_last, bool truncate) {
  SwitchPort* port = c_.at.bridge->port(number);
  if (!port) return output_to_none(Port{number, {}});
  if (port->no_forward()) return c_.report.note(NodeKind::detail, Remark::no_forward, number);
  if (is_between_protected_ports(*c_.at.bridge, c_.packet.flow, *port))
    return c_.report.note(NodeKind::warning, Remark::protected_ports);
  if (!tree_forwards(*port, c_.report))
    return c_.report.note(NodeKind::warning, Remark::tree_skips, c_.at.bridge->settings.rapid_tree);
  const auto carried = port->interface->options.find("packet_type");
  const bool any_type =
      port->is_patch || (port->is_tunnel && carried != port->interface->options.end() && carried->second != "legacy_l2");
  if (get(c_.packet.flow, F::packet_type) != packet_type::ethernet && !any_type)
    return c_.report.note(NodeKind::warning, Remark::non_ethernet_to_ethernet_port);
  if (port->is_patch) return output_to_patch(*port, is_last, truncate);
  const FlowKey old_flow = c_.packet.flow;
  const auto restore = [&] {
    copy_vlans(old_flow, c_.packet.flow);
    for (const F f : {F::nw_tos, F::nw_ecn, F::eth_dst, F::eth_src, F::packet_type, F::eth_type})
      c_.packet.flow.set(f, old_flow.get(f));
  };
  Tunnels tunnels = this->tunnels();
  const bool native = port->is_tunnel && tunnels.are_native();
  if (port->is_tunnel) {
    if (!tunnels.prepare(*port, *c_.arrival.packet)) return restore();
    if (!native) tunnels.set_metadata(*port);
    if (!native) copy_tunnel(old_flow, c_.packet.flow);
  }
  commit(c_.packet, c_.out);
  if (native) {
    native_tunnel(*port, truncate, is_last);
    copy_tunnel(old_flow, c_.packet.flow);
  } else if (const auto end = tunnels.end_at(*port)) {
    const openflow::DatapathPort* known = c_.tables.sw.datapath().port(*end);
    c_.out.put({dp::TunnelPop{{*end, known == nullptr ? std::string() : known->name}}});
  } else {
    constexpr std::uint16_t kWhole = 0xffff;
    if (mirror_snaplen_ != 0 && mirror_snaplen_ != kWhole) c_.out.put({dp::Truncate{mirror_snaplen_}});
    c_.out.put({dp::Output{datapath_port(*port, c_.tables.sw.datapath(), c_.policy)}});
  }
  mirror(*port, port->mirrors_of);
  restore();
}

void PortOutput::output_to_patch(SwitchPort& port, bool is_last, bool truncate) {
  Observer* observer = c_.report.observer();
  if (truncate) c_.report.note(NodeKind::error, Remark::truncate_patch);
  if (port.peer) {
    if (observer) observer->crosses(port, *port.peer);
    pipeline_.enter_peer(*port.peer, is_last);
  } else if (port.named == nullptr) {
    output_to_unknown(port);
  } else if (observer) {
    observer->lacks_peer(port, *port.named);
  }
}

void PortOutput::native_tunnel(SwitchPort& port, bool truncate, bool is_last) {
  const FlowKey old_flow = c_.packet.flow, old_base = c_.packet.base;
  const std::optional<NativeTunnel> tunnel = tunnels().push(port);
  if (!tunnel) return;
  enter_outer_packet(tunnel->push, c_.packet);
  const std::size_t old_bytes = c_.out.bytes();
  dp::Actions pushed = c_.out.nested(is_last ? 0 : kCloneBytes, [&] {
    c_.out.put({tunnel->push});
    if (truncate) return c_.out.put({dp::Recirculate{0}});
    FlowKey scratch;
    FlowKey* old_wc = std::exchange(c_.packet.wc, &scratch);
    pipeline_.enter_peer(*tunnel->out, is_last);
    c_.packet.wc = old_wc;
  });
  if (pushed.size() == 1) {
    c_.out.set_bytes(old_bytes);
  } else if (!is_last) {
    c_.out.put({dp::Clone{std::move(pushed)}});
  } else {
    c_.out.append(std::move(pushed));
  }
  c_.packet.flow = old_flow;
  c_.packet.base = old_base;
}

void PortOutput::output_to_none(const Port& port) {
  const std::string shown = port.name.empty() ? fmt::format("{}", port.number) : port.name;
  if (!c_.at.bridge->numbers_known) c_.gap(Input::port, {shown, c_.bridge().name});
  c_.report.note(NodeKind::warning, Remark::no_such_port, port.number, c_.at.bridge->numbers_known, shown);
}

void PortOutput::output_to_unknown(SwitchPort& port) {
  const auto peer = port.interface->options.find("peer");
  const std::string to = peer == port.interface->options.end() ? port.interface->name : peer->second;
  c_.gap(Input::patch_peer, {port.interface->name});
  c_.report.note(NodeKind::warning, Remark::unknown_bridge, port.number, 0, to);
}

void PortOutput::flood(bool all, bool is_last) {
  SwitchPort* previous = nullptr;
  for (SwitchPort* p : c_.at.bridge->by_hash) {
    if (p->number == get(c_.packet.flow, F::in_port)) continue;
    if (!all && p->no_flood()) continue;
    if (previous) output_to(previous->number, false, false);
    previous = p;
  }
  if (previous) output_to(previous->number, is_last, false);
}

void PortOutput::bundle(const Bundle& a, bool is_last, bool group_bucket) {
  const std::optional<std::uint32_t> chosen = bundle_member(c_, a);
  if (!chosen) return;
  if (!a.dest && *chosen == port::none && c_.report.observer()) c_.report.observer()->no_live_member(a);
  if (!a.dest) return output(*chosen, 0, is_last, false, group_bucket);
  if (prerequisites_met(a.dest->field, c_.packet.flow, c_.packet.wc)) {
    unwildcard(*c_.packet.wc, *a.dest);
    write(c_.packet.flow, *a.dest, *chosen);
  }
  c_.report.field(*a.dest, c_.packet.flow, c_.bridge());
}

}  // namespace egt::engine::ofproto
