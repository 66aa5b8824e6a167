// Outputs: ports, patch ports, floods, bundles.
#include <fmt/format.h>

#include "hash.h"
#include "xlate.h"

namespace egt::engine::ofproto {
namespace {

using namespace openflow;

struct Size {
  std::size_t operator()(const dp::Set& a) const {
    switch (a.attribute) {
      case dp::Attribute::ethernet: return 8 + (a.whole ? 12 : 24);
      case dp::Attribute::ipv4: return 8 + (a.whole ? 12 : 24);
      case dp::Attribute::ipv6: return 8 + (a.whole ? 40 : 80);
      case dp::Attribute::arp: return 8 + (a.whole ? 24 : 48);
      case dp::Attribute::nd: return 8 + (a.whole ? 28 : 56);
      case dp::Attribute::nsh: return 8 + (a.whole ? 32 : 60);
      default: return 8 + (a.whole ? 4 : 8);
    }
  }
  std::size_t operator()(const dp::TunnelPush& a) const { return 4 + (16 + a.header_size + 3u) / 4 * 4; }
  std::size_t operator()(const dp::SetTunnel& a) const { return 64 + 20 * a.options.size(); }
  std::size_t operator()(const dp::ToController&) const { return 4 + 8 + 4 + 48; }
  std::size_t operator()(const dp::Conntrack& a) const {
    return 4 + 8 + (a.commit || a.force ? 12 : 0) + (a.mark ? 12 : 0) + (a.label ? 36 : 0) + (a.has_nat ? 12 : 0) +
           (a.helper.empty() ? 0 : 12);
  }
  std::size_t operator()(const dp::Sample&) const { return kSampleBytes; }
  std::size_t operator()(const dp::Clone&) const { return kCloneBytes; }
  std::size_t operator()(const dp::CheckLength&) const { return kNotGreaterBytes; }
  std::size_t operator()(const dp::PushEthernet&) const { return 4 + 12; }
  std::size_t operator()(const dp::PushMpls& a) const { return 4 + (a.add ? 12 : 8); }
  std::size_t operator()(const dp::Hash&) const { return 4 + 8; }
  std::size_t operator()(const dp::PushNsh& a) const { return 4 + 4 + 8 + 4 + 16 + a.metadata.size(); }
  std::size_t operator()(const dp::PopVlan&) const { return 4; }
  std::size_t operator()(const dp::PopEthernet&) const { return 4; }
  std::size_t operator()(const dp::PopNsh&) const { return 4; }
  std::size_t operator()(const dp::ConntrackClear&) const { return 4; }
  template <class Other>
  std::size_t operator()(const Other&) const {
    return 8;
  }
};

}  // namespace

std::size_t netlink_size(const dp::Action& a) { return std::visit(Size{}, a.kind); }

void Xlate::put(dp::Action a) {
  out_bytes_ += netlink_size(a);
  if (observer_) a.origin = observer_->origin_of(a);
  out_->push_back(std::move(a));
}

dp::Port Xlate::datapath_port(const SwitchPort& p) {
  if (!p.datapath_port && policy_.needs_datapath_ports()) gap(Input::datapath_ports);
  const openflow::DatapathPort* known = p.datapath_port ? tables_.sw.datapath().port(*p.datapath_port) : nullptr;
  return {p.datapath_port, known == nullptr ? p.interface->name : known->name, p.interface, p.bridge->bridge};
}

void Xlate::output(std::uint32_t port, std::uint32_t max_len, bool may_packet_in, bool is_last, bool truncate,
                   bool group_bucket) {
  const auto in_port = static_cast<std::uint32_t>(get(flow_, F::in_port));
  switch (port) {
    case port::in_port: return output_to(in_port, is_last, truncate);
    case port::table: return table_action(in_port, 0, may_packet_in, false, false, false);
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
      return report(NodeKind::warning, Remark::skipping_input_port);
  }
}

void Xlate::output_truncated(const OutputTruncated& a, bool is_last, bool group_bucket) {
  const auto number = port_number(a.port);
  const std::uint32_t port = number.value_or(0);
  switch (port) {
    case port::table:
    case port::normal:
    case port::flood:
    case port::all:
    case port::controller:
    case port::none: return report(NodeKind::warning, Remark::cannot_truncate_to_port, port);
    default: break;
  }
  if (port == get(flow_, F::in_port)) return report(NodeKind::warning, Remark::skipping_input_port);
  const SwitchPort* p = bridge_->port(port);
  if (!p || p->is_patch) return report(NodeKind::error, Remark::cannot_truncate_to_patch, port);
  put({dp::Truncate{a.max_len}});
  output(port, 0, false, is_last, true, group_bucket);
}

void Xlate::output_to(std::uint32_t number, bool is_last, bool truncate) {
  SwitchPort* port = bridge_->port(number);
  if (!port) return no_such_port(Port{number, {}});
  if (port->no_forward()) return report(NodeKind::detail, Remark::no_forward, number);
  if (is_between_protected_ports(*port)) return report(NodeKind::warning, Remark::protected_ports);
  const auto carried = port->interface->options.find("packet_type");
  const bool any_type =
      port->is_patch || (port->is_tunnel && carried != port->interface->options.end() && carried->second != "legacy_l2");
  if (get(flow_, F::packet_type) != packet_type::ethernet && !any_type)
    return report(NodeKind::warning, Remark::non_ethernet_to_ethernet_port);
  if (port->is_patch) {
    if (truncate) report(NodeKind::error, Remark::truncate_patch);
    if (port->peer) return cross_patch(*port, *port->peer, is_last);
    return output_to_unknown(*port);
  }
  const FlowKey old_flow = flow_;
  const auto restore = [&] {
    copy_vlans(old_flow, flow_);
    for (const F f : {F::nw_tos, F::nw_ecn, F::eth_dst, F::eth_src, F::packet_type, F::eth_type}) flow_.set(f, old_flow.get(f));
  };
  const bool native = port->is_tunnel && pushes_tunnels();
  if (port->is_tunnel) {
    if (!prepare_tunnel(*port)) return restore();
    if (!native) kernel_tunnel(*port);
    if (!native) copy_tunnel(old_flow, flow_);
  }
  commit();
  std::uint32_t tunnel_end = 0;
  if (native) {
    native_tunnel(*port, truncate, is_last);
    copy_tunnel(old_flow, flow_);
  } else if (terminates_tunnel(*port, &tunnel_end)) {
    const openflow::DatapathPort* end = tables_.sw.datapath().port(tunnel_end);
    put({dp::TunnelPop{{tunnel_end, end == nullptr ? std::string() : end->name}}});
  } else {
    put({dp::Output{datapath_port(*port)}});
  }
  restore();
}

void Xlate::no_such_port(const Port& port) {
  const std::string shown = port.name.empty() ? fmt::format("{}", port.number) : port.name;
  if (!bridge_->numbers_known) gap(Input::port, {shown, bridge().name});
  report(NodeKind::warning, Remark::no_such_port, port.number, bridge_->numbers_known, shown);
}

void Xlate::output_to_unknown(SwitchPort& port) {
  const auto peer = port.interface->options.find("peer");
  const std::string to = peer == port.interface->options.end() ? port.interface->name : peer->second;
  gap(Input::patch_peer, {port.interface->name});
  report(NodeKind::warning, Remark::unknown_bridge, port.number, 0, to);
}

void Xlate::cross_patch(SwitchPort& from, SwitchPort& to, bool is_last) {
  if (observer_) observer_->crosses(from, to);
  enter_peer(to, is_last);
}

// patch_port_output: the packet goes on in the other bridge, on a copy of everything.
void Xlate::enter_peer(SwitchPort& to, bool is_last) {
  const Retained old{flow_, stack_, action_set_};
  const bool old_conntracked = conntracked_, old_was_mpls = was_mpls_;
  FlowKey old_tunnel_mask;
  copy_tunnel(wc(), old_tunnel_mask);
  SwitchBridge* old_bridge = bridge_;
  const auto level = level_;
  stack_.clear();
  action_set_.clear();
  flow_.set(F::in_port, to.number);
  flow_.set(F::metadata, 0);
  clear_tunnel(flow_);
  clear_tunnel(wc());
  clear_registers(flow_);
  flow_.set(F::actset_output, port::unset);
  clear_conntrack();
  enter(NodeKind::bridge, BridgeLine{to.bridge->bridge->name});
  bridge_ = to.bridge;
  if (to.no_receive(is_stp(flow_))) {
    if (observer_) observer_->not_received(to);
  } else {
    table_action(to.number, 0, true, false, is_last, true);
    end_pipeline();
  }
  level_ = level;
  flow_ = old.flow;
  bridge_ = old_bridge;
  action_set_ = old.action_set;
  stack_ = old.stack;
  copy_tunnel(old_tunnel_mask, wc());
  was_mpls_ = old_was_mpls;
  conntracked_ = old_conntracked;
  exit_ = false;
  error_ = XlateError::ok;
}

void Xlate::flood(bool all, bool is_last) {
  SwitchPort* previous = nullptr;
  for (SwitchPort* p : bridge_->by_hash) {
    if (p->number == get(flow_, F::in_port)) continue;
    if (!all && p->no_flood()) continue;
    if (previous) output_to(previous->number, false, false);
    previous = p;
  }
  if (previous) output_to(previous->number, is_last, false);
}

void Xlate::bundle(const Bundle& a, bool is_last, bool group_bucket) {
  const auto enabled = [&](const Port& member) {
    const auto number = port_number(member);
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
    chosen = port_number(a.members[live[i]]).value_or(port::none);
  } else if (a.algorithm == "hrw") {
    const auto fields = hash_fields(a.fields);
    if (!fields) return;
    if (a.members.size() > 1) mask_hash_fields(flow_, wc(), *fields);
    const std::uint32_t hash = flow_hash(flow_, *fields, a.basis);
    std::optional<std::uint32_t> best;
    for (std::uint32_t i = 0; i < a.members.size(); ++i) {
      if (!enabled(a.members[i])) continue;
      const std::uint32_t weight = hash_2words(i, hash);
      if (best && weight <= *best) continue;
      best = weight;
      chosen = port_number(a.members[i]).value_or(port::none);
    }
  } else {
    for (const Port& member : a.members)
      if (enabled(member)) {
        chosen = port_number(member).value_or(port::none);
        break;
      }
  }
  if (!a.dest && chosen == port::none && observer_) observer_->no_live_member(a);
  if (!a.dest) return output(chosen, 0, false, is_last, false, group_bucket);
  if (prerequisites_met(a.dest->field, flow_, &wc())) {
    unwildcard(wc(), *a.dest);
    write(flow_, *a.dest, chosen);
  }
  report_field(*a.dest);
}

}  // namespace egt::engine::ofproto
