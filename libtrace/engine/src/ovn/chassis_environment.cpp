#include "ovn/chassis_environment.h"

#include <algorithm>
#include <utility>

#include "datapath/ct_action.h"
#include "egtrace/base/text.h"
#include "host/sysctl_view.h"
#include "openflow/packet_fields.h"
#include "ovn/physical_ports.h"
#include "ovn_controller/address_on_link.h"

namespace egt::engine {
namespace {

using logical::At;
using logical::Zone;
using openflow::Interface;

bool has_own_zone(const NetworkPort& port) {
  return port.row->type.empty() || port.row->type == "localport" || port.row->type == "virtual";
}

ZoneKey named_zone(const LogicalWalk& walk, const std::string& name) {
  return {walk.node.name, ConntrackSpace::kernel, walk.logical.zone(name)};
}

ZoneKey zone_of(const LogicalWalk& walk, const At& at, Zone zone, const FlowKey& packet) {
  if (zone == Zone::port) {
    const bool ingress = at.pipeline == ovn::Pipeline::ingress;
    const NetworkPort* port = at.datapath.port(packet.u32(ingress ? FieldId::reg14 : FieldId::reg15));
    if (port == nullptr || !has_own_zone(*port)) return {walk.node.name, ConntrackSpace::kernel, 0};
    return named_zone(walk, port->row->logical_port);
  }
  const auto& ids = at.datapath.row->external_ids;
  const auto fixed = ids.find("snat-ct-zone");
  if (zone == Zone::common) zone = fixed == ids.end() ? Zone::dnat : Zone::snat;
  if (zone == Zone::snat && fixed != ids.end())
    return {walk.node.name, ConntrackSpace::kernel, static_cast<std::uint16_t>(parse_decimal(fixed->second).value_or(0))};
  return named_zone(walk, at.datapath.name + (zone == Zone::dnat ? "_dnat" : "_snat"));
}

}  // namespace

std::size_t ChassisEnvironment::met(const logical::Stage& stage, const FlowKey& packet) { return path_.meet(stage, packet); }

void ChassisEnvironment::changed(const At& at, const FlowKey& before, const FlowKey& after) {
  path_.change(at.step, before, after);
}

void ChassisEnvironment::dropped(const At& at) { path_.end({Reason::flow_drops}, at.step); }

bool ChassisEnvironment::is_larger(const At& at, std::uint32_t frame) {
  if (frame > kEthernetHeader)
    walk_.record.limit(
        {frame - kEthernetHeader, walk_.node.name, bridge_.name, path_.evidence_of(at.step).front(), SizeLimit::By::flow});
  return walk_.options.packet_length && *walk_.options.packet_length > frame;
}

// --- connections ---------------------------------------------------------------------------------------------------

void ChassisEnvironment::track(const At& at, const logical::Tracking& how, FlowKey& packet) {
  const ZoneKey zone = zone_of(walk_, at, how.zone, packet);
  ofproto::dp::Conntrack action;
  action.commit = how.commit;
  action.has_nat = how.nat.has_value();
  if (how.nat) action.nat = *how.nat;
  action.zone = zone.zone;
  action.mark = how.mark;
  action.label = how.label;
  CtPass pass;
  pass.bridge = bridge_.name;
  pass.zone = zone.zone;
  pass.commit = how.commit;
  const std::size_t step = path_.add(std::move(pass), path_.evidence_of(at.step));
  DatapathPacket tracked;
  tracked.key = packet;
  tracked.quoted = quoted_;
  const CtResult result =
      CtAction(zone, action, {tcp_loose(walk_.node.host)}, walk_.network_state, path_.recorder(), step).execute(tracked);
  path_.recorder().tracked(step, result.state, result.before, result.after, result.entry);
  packet = tracked.key;
  quoted_ = tracked.quoted;
}

// ovn-controller learns the answer's flow from the request (table 69); here its translation shows.
bool ChassisEnvironment::is_answer_to_hairpin(const At& at, const FlowKey& packet) {
  const auto hit = walk_.network_state.conntrack.find(zone_of(walk_, at, Zone::snat, packet), tuple_of(packet));
  return hit && hit.reply_direction && hit.connection->has_snat();
}

// --- choices -------------------------------------------------------------------------------------------------------

std::size_t ChassisEnvironment::choose_backend(const At& at, const ovn::CtLb& balancer, Family family) {
  std::vector<std::size_t> usable;
  for (std::size_t i = 0; i < balancer.backends.size(); ++i) {
    const ovn::LbBackend& b = balancer.backends[i];
    const bool elsewhere = balancer.kind == ovn::CtLb::Kind::mark_local && !walk_.logical.resides(b.port_name);
    if (b.address.family == family && !elsewhere) usable.push_back(i);
  }
  if (usable.empty()) {
    path_.end({Reason::no_live_bucket}, at.step);
    return balancer.backends.size();
  }
  ChoicePoint point{ChoicePoint::Kind::split, walk_.node.name, Branch::backend, {}, {}, path_.evidence_of(at.step)};
  for (const std::size_t i : usable)
    point.options.push_back({{Alternative::backend, {balancer.backends[i].address, std::uint64_t{balancer.backends[i].port}}},
                             1.0 / static_cast<double>(usable.size())});
  return usable[std::min(walk_.chooser.choose(point), usable.size() - 1)];
}

std::uint16_t ChassisEnvironment::choose_member(const At& at, const ovn::Select& select) {
  double total = 0;
  for (const auto& member : select.members) total += member.weight;
  ChoicePoint point{ChoicePoint::Kind::split,  walk_.node.name, Branch::logical_member, {at.datapath.friendly}, {},
                    path_.evidence_of(at.step)};
  for (const auto& member : select.members)
    point.options.push_back({{Alternative::number, {std::uint64_t{member.id}}}, member.weight / total});
  return select.members[std::min(walk_.chooser.choose(point), select.members.size() - 1)].id;
}

// --- ovn-controller ------------------------------------------------------------------------------------------------

std::optional<MacAddr> ChassisEnvironment::static_binding(const NetworkPort* port, const IpAddr& address, bool overriding) {
  const LogicalNode::StaticBinding* found = port != nullptr ? walk_.logical.static_binding(*port, address) : nullptr;
  return found != nullptr && found->overrides == overriding ? std::optional(found->mac) : std::nullopt;
}

std::optional<MacAddr> ChassisEnvironment::resolve(const At& at, const NetworkPort*, const IpAddr& address) {
  if (walk_.options.neighbours != nullptr)
    if (auto found = address_on_link(walk_.node, *walk_.options.neighbours, address)) {
      const std::vector<Provenance> lines = path_.evidence_of(at.step);
      found->assumption.evidence.insert(found->assumption.evidence.begin(), lines.begin(), lines.end());
      walk_.record.assume(std::move(found->assumption));
      return found->mac;
    }
  if (const ovn::LogicalPort* port = port_without_answer(walk_.node, address)) {
    walk_.record.assume({Supposition::ports_of_switch_shown, {port->datapath, walk_.node.name}, {}, {port->from}});
    path_.end({Reason::address_on_no_port, {address, port->datapath}}, at.step);
    return std::nullopt;
  }
  path_.lack(Input::mac_binding, {address});
  path_.end({Reason::mac_binding_missing, {address}}, at.step);
  return std::nullopt;
}

bool ChassisEnvironment::begin_refusal(const At& at, const FlowKey& refused, bool has_answer) {
  if (path_.is_refusal()) return false;
  if (!has_answer) {
    path_.end({Reason::ovn_controller_drops}, at.step);
    return false;
  }
  path_.begin_refusal(at.step);
  quoted_ = tuple_of(refused);  // by an ICMP error
  return true;
}

void ChassisEnvironment::end_refusal() {
  path_.end_refusal();
  quoted_.reset();
}

// --- what leaves ---------------------------------------------------------------------------------------------------

bool ChassisEnvironment::leaves(const At& at, const NetworkPort& port, const FlowKey& packet) {
  const std::string& type = port.row->type;
  if (type == "patch" || type == "localnet" || type == "localport") return false;
  const ovn::Chassis* chassis = walk_.logical.chassis_of(port);
  if (type != "remote" && (chassis == nullptr || walk_.logical.is_own(*chassis))) return false;
  const Interface* tunnel = chassis != nullptr ? tunnel_to(*chassis, bridge_) : nullptr;
  const auto& whole = walk_.node.ovn.complete_tables;
  if (chassis == nullptr && whole.contains("SB Chassis") && whole.contains("SB Port_Binding")) {
    path_.end_in_bridge({Reason::port_unbound, {port.friendly}}, {port.row->from});
    return true;
  }
  if (tunnel == nullptr) {
    path_.lack(Input::tunnel_ports, {});
    path_.end({Reason::port_not_known, {port.friendly}}, at.step);
    return true;
  }
  if (carries_made_up_keys(at.datapath, {packet.u32(FieldId::reg14), port.key})) {
    path_.lack_table(at.datapath.row->made_up_key ? "Datapath_Binding" : "Port_Binding");
    path_.end({Reason::tunnel_keys_unknown}, at.step);
    return true;
  }
  emit(OvsEmission::Kind::tunnel, *tunnel, packet_in_tunnel(packet, at.datapath, port, *tunnel), at);
  return true;
}

// Lists seldom have groups, to which a switch sends what it has no address for.
void ChassisEnvironment::has_no_port(const At& at) {
  constexpr const char* kGroups = "Multicast_Group";
  const auto& southbound = walk_.node.ovn.southbound;
  if (southbound != nullptr && southbound->complete.contains(kGroups)) return path_.end({Reason::no_output}, at.step);
  path_.lack_table(kGroups);
  path_.end({Reason::port_not_known, {at.datapath.friendly}}, at.step);
}

void ChassisEnvironment::output(const At& at, const NetworkPort& port, const FlowKey& packet) {
  for (const Interface& out : bridge_.interfaces)
    if (logical_port_of(out) == port.row->logical_port) {
      if (out.type == "patch" && walk_.node.port(openflow::patch_peer(out)).port == nullptr) {
        path_.lack(Input::patch_peer, {out.name});
        return path_.end({Reason::patch_peer_missing, {out.name}}, at.step);
      }
      FlowKey sent = packet;
      ofproto::clear_tunnel(sent);
      leave_localnet(*port.row, sent);
      return emit(OvsEmission::Kind::port, out, sent, at);
    }
  path_.end({Reason::port_missing, {port.friendly}}, at.step);
}

void ChassisEnvironment::emit(OvsEmission::Kind kind, const Interface& port, const FlowKey& packet, const At& at) {
  OvsEmission e;
  e.kind = kind;
  e.port = &port;
  e.packet = packet;
  e.quoted = quoted_;
  path_.leave(std::move(e), at.step);
}

}  // namespace egt::engine
