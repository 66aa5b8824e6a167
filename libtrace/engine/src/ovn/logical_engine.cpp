#include "ovn/logical_engine.h"

#include <algorithm>
#include <utility>

#include "datapath/ct_action.h"
#include "egtrace/base/text.h"
#include "egtrace/openflow/tunnel_type.h"
#include "host/sysctl_view.h"
#include "inconsistencies.h"
#include "openflow/packet_fields.h"
#include "ovn/walker.h"
#include "ovn_controller/address_on_link.h"
#include "ovn_controller/packet_in.h"

namespace egt::engine {
namespace {

using F = FieldId;
using logical::At;
using logical::Zone;
using openflow::Interface;

constexpr unsigned kOutportBits = 16;
constexpr std::uint32_t kPortKey = 0xffff, kInportKey = 0x7fff;  // of Geneve's option (controller/physical.c)

std::string_view found_in(const std::map<std::string, std::string>& map, const char* key) {
  const auto found = map.find(key);
  return found == map.end() ? std::string_view() : std::string_view(found->second);
}

// The logical port behind an interface, or empty. ovn-controller names the patch ports of a localnet port after it
// (patch_port_name() of controller/patch.c).
std::string_view logical_port_of(const Interface& port) {
  constexpr std::string_view kTo = "-to-";
  if (const std::string_view id = found_in(port.external_ids, "iface-id"); !id.empty() || port.type != "patch") return id;
  const std::size_t to = port.name.find(kTo);
  return to == std::string::npos ? std::string_view() : std::string_view(port.name).substr(to + kTo.size());
}

bool has_own_zone(const NetworkPort& port) {
  return port.row->type.empty() || port.row->type == "localport" || port.row->type == "virtual";
}

// By a localnet port frames come with its tag alone, and without one or with a priority where it has none, unless it passes tags on
// (consider_port_binding() of controller/physical.c). False: the frame is another port's.
bool enter_localnet(const ovn::sb::PortBinding& port, FlowKey& packet) {
  if (port.type != "localnet" || (port.tag == 0 && found_in(port.options, "vlan-passthru") == "true")) return true;
  const bool is_tagged = ofproto::vlan_count(packet) > 0;
  if ((is_tagged ? packet.u32(F::vlan_tci) & ofproto::kVlanVid : 0) != port.tag) return false;
  if (is_tagged) ofproto::pop_vlan(packet, nullptr);
  return true;
}

void leave_localnet(const ovn::sb::PortBinding& port, FlowKey& packet) {
  if (port.type != "localnet" || port.tag == 0) return;
  if (ofproto::vlan_count(packet) == 0) ofproto::push_vlan(packet, nullptr);
  packet.set(F::vlan_tci, ofproto::kVlanPresent | port.tag);
}

class LogicalRun : public logical::Environment {
 public:
  LogicalRun(const LogicalWalk& walk, const openflow::Bridge& bridge)
      : logical_(walk.logical),
        node_(walk.node),
        network_state_(walk.network_state),
        record_(walk.record),
        chooser_(walk.chooser),
        options_(walk.options),
        bridge_(bridge),
        recorder_(walk.node, walk.record),
        quoted_(walk.options.quoted) {}

  OvsResult run(std::uint32_t in_port, const FlowKey& packet);

  std::size_t met(const logical::Stage& stage, const FlowKey& packet) override;
  void changed(const At& at, const FlowKey& before, const FlowKey& after) override;
  void dropped(const At& at) override;
  void track(const At& at, const logical::Tracking& how, FlowKey& packet) override;
  bool is_answer_to_hairpin(const At& at, const FlowKey& packet) override;
  std::size_t choose_backend(const At& at, const ovn::CtLb& balancer, Family family) override;
  std::uint16_t choose_member(const At& at, const ovn::Select& select) override;
  bool is_larger(const At& at, std::uint32_t frame) override;
  std::optional<MacAddr> static_binding(const NetworkPort* port, const IpAddr& address, bool overriding) override;
  std::optional<MacAddr> resolve(const At& at, const NetworkPort* port, const IpAddr& address) override;
  bool leaves(const At& at, const NetworkPort& port, const FlowKey& packet) override;
  void output(const At& at, const NetworkPort& port, const FlowKey& packet) override;
  void has_no_port(const At& at) override;
  void into_unknown_bridge(const At& at, const Interface& patch);
  bool begin_refusal(const At& at, const FlowKey& refused, bool has_answer) override;
  void end_refusal() override;

 private:
  void walk(const Interface& in, FlowKey packet);
  void come_from_tunnel(logical::Walker& walker, FlowKey packet);
  bool carries_made_up_keys(const LogicalDatapath& datapath, std::uint32_t inport, std::uint32_t outport) const;
  void lack(const char* southbound_table);
  void check_tables(const logical::Trace& trace);
  ZoneKey zone_of(const At& at, Zone zone, const FlowKey& packet) const;
  ZoneKey named_zone(const std::string& name) const;
  const Interface* tunnel_to(const ovn::Chassis& chassis) const;
  void emit(OvsEmission::Kind kind, const Interface& port, FlowKey packet, const At& at);
  void end(Cause why, const At& at);
  void end(Cause why, Place where, std::vector<Provenance> evidence);
  Place place_of(std::size_t step) const;

  const LogicalNode& logical_;
  const cluster::Node& node_;
  NetworkState& network_state_;
  Record& record_;
  Chooser& chooser_;
  const OvsOptions& options_;
  const openflow::Bridge& bridge_;
  PathRecorder recorder_;
  std::optional<Tuple> quoted_;         // of the packet under way
  std::optional<std::size_t> refusal_;  // the packet under way is ovn-controller's answer: the step that mentions it
  std::optional<Stop> stop_;
  OvsResult result_;
};

// --- the way in ----------------------------------------------------------------------------------------------------

OvsResult LogicalRun::run(std::uint32_t in_port, const FlowKey& packet) {
  const Interface* port = bridge_.by_ofport(in_port);
  record_.add(node_.name, Layer::ovn, EnterBridge{bridge_.name, in_port, port ? port->name : std::string()});
  record_.assume({Supposition::logical_flows_realised, {node_.name}});
  note_inconsistencies(node_, cluster::Inconsistency::About::node, "", record_);
  FlowKey key = packet;
  clear_conntrack(key);
  if (port == nullptr)
    end({Reason::port_missing, {std::uint64_t{in_port}}}, {PlaceKind::bridge, {bridge_.name}}, {});
  else
    walk(*port, std::move(key));
  result_.undecided |= recorder_.is_undecided();
  const bool leaves = !result_.emissions.empty();
  if (!leaves)
    result_.stop =
        stop_ ? std::move(stop_) : Stop{node_.name, Layer::ovn, {PlaceKind::bridge, {bridge_.name}}, {Reason::no_output}};
  return std::move(result_);
}

void LogicalRun::walk(const Interface& in, FlowKey packet) {
  const LogicalNetwork& network = logical_.network();
  const logical::Options options;
  logical::Walker walker(network, options, this);
  if (openflow::is_tunnel_type(in.type)) return come_from_tunnel(walker, std::move(packet));
  const NetworkPort* port = network.ports().find(logical_port_of(in));
  if (port == nullptr) return end({Reason::no_flow_matches}, {PlaceKind::bridge, {bridge_.name}}, {});
  if (!enter_localnet(*port->row, packet)) return end({Reason::no_flow_matches}, {PlaceKind::bridge, {bridge_.name}}, {});
  packet.set(F::metadata, port->datapath->key);
  packet.set(F::reg14, port->key);
  check_tables(walker.run(*port->datapath, packet));
}

// Keys that no dump has are not those that tunnels carry.
bool LogicalRun::carries_made_up_keys(const LogicalDatapath& datapath, std::uint32_t inport, std::uint32_t outport) const {
  const auto made_up = [&](std::uint32_t key) {
    const NetworkPort* port = datapath.port(key);
    return port != nullptr && port->row->made_up_key;
  };
  return datapath.row->made_up_key || made_up(inport) || made_up(outport);
}

void LogicalRun::lack(const char* southbound_table) {
  recorder_.set_undecided();
  record_.gap({node_.name, Input::southbound_table, {southbound_table}});
}

void LogicalRun::come_from_tunnel(logical::Walker& walker, FlowKey packet) {
  const Place bridge{PlaceKind::bridge, {bridge_.name}};
  const LogicalDatapath* datapath = logical_.network().datapaths().with_key(packet.u32(F::tun_id));
  const std::uint32_t keys = packet.u32(F::tun_metadata0), inport = keys >> kOutportBits & kInportKey, outport = keys & kPortKey;
  const auto& rows = logical_.network().southbound().datapaths;
  const bool open = std::any_of(rows.begin(), rows.end(), [](const ovn::sb::DatapathBinding& d) { return d.made_up_key; });
  if (datapath == nullptr ? open : carries_made_up_keys(*datapath, inport, outport)) {
    lack(datapath == nullptr || datapath->row->made_up_key ? "Datapath_Binding" : "Port_Binding");
    return end({Reason::tunnel_keys_unknown}, bridge, {});
  }
  ofproto::clear_tunnel(packet);
  if (datapath == nullptr) return end({Reason::no_flow_matches}, bridge, {});
  packet.set(F::metadata, datapath->key);
  packet.set(F::reg14, inport);
  packet.set(F::reg15, outport);
  check_tables(walker.run_behind_tunnel(*datapath, packet));
}

// What the walk asked of tables that no dump has whole, and flows that were not understood, may change its path.
void LogicalRun::check_tables(const logical::Trace& trace) {
  // Routers that send it to each other; the switch gives up, or its TTL ends.
  if (trace.cut) stop_ = Stop{node_.name, Layer::ovn, {PlaceKind::bridge, {bridge_.name}}, {Reason::loop}};
  for (const logical::Unanswered& question : trace.unanswered)
    if (question.table != "MAC_Binding" && question.table != "FDB") {
      recorder_.set_undecided();
      record_.gap({node_.name, Input::southbound_table, {std::string(question.table)}});
    }
  for (const ovn::sb::LogicalFlow* flow : logical_.network().unread()) {
    recorder_.set_undecided();
    record_.add(node_.name, Layer::ovn, engine::Remark{Notice::not_understood, {Input::action_meaning, std::string(flow->match)}},
                {flow->from});
    break;  // one shows enough
  }
}

// --- tables --------------------------------------------------------------------------------------------------------

Place stage_of(const TableMatch& match) { return {PlaceKind::stage, {std::string(match.intended_by), std::string(match.stage)}}; }

std::size_t LogicalRun::met(const logical::Stage& stage, const FlowKey& packet) {
  const bool missed = stage.flow == nullptr;
  TableMatch match{
      bridge_.name, static_cast<std::uint8_t>(stage.table), 0, 0, packet.u64(F::metadata), nullptr, openflow::kNoFlow, {}, {}, 0,
      false};
  match.metadata = stage.datapath->key;
  match.intended_by = stage.datapath->friendly;
  match.stage = missed ? std::string_view(stage.name) : std::string_view(stage.flow->row->stage);
  if (missed) {
    record_.add(node_.name, Layer::ovn, TableMiss{bridge_.name, match.table, match.metadata, 0});
    if (!refusal_) end({Reason::no_flow_matches}, stage_of(match), {});
    return record_.steps.size() - 1;
  }
  match.priority = stage.flow->row->priority;
  match.cookie = stage.flow->row->uuid.prefix();
  record_.add(node_.name, Layer::ovn, std::move(match), {stage.flow->row->from});
  return record_.steps.size() - 1;
}

void LogicalRun::changed(const At& at, const FlowKey& before, const FlowKey& after) {
  for (const F id : differing_fields(before, after)) {
    if (id >= F::ct_state && id <= F::ct_tp_dst) continue;
    record_.steps[at.step].changed.push_back({id, before.get(id), after.get(id)});
  }
}

Place LogicalRun::place_of(std::size_t step) const {
  const auto* match = step < record_.steps.size() ? std::get_if<TableMatch>(&record_.steps[step].kind) : nullptr;
  if (match == nullptr) return {PlaceKind::bridge, {bridge_.name}};
  return stage_of(*match);
}

void LogicalRun::end(Cause why, Place where, std::vector<Provenance> evidence) {
  if (!refusal_) stop_ = Stop{node_.name, Layer::ovn, std::move(where), std::move(why), std::move(evidence)};
}

void LogicalRun::end(Cause why, const At& at) { end(std::move(why), place_of(at.step), recorder_.evidence_of(at.step)); }

void LogicalRun::dropped(const At& at) { end({Reason::flow_drops}, at); }

bool LogicalRun::is_larger(const At& at, std::uint32_t frame) {
  if (frame > kEthernetHeader)
    record_.limit(
        {frame - kEthernetHeader, node_.name, bridge_.name, recorder_.evidence_of(at.step).front(), SizeLimit::By::flow});
  return options_.packet_length && *options_.packet_length > frame;
}

// --- connections ---------------------------------------------------------------------------------------------------

ZoneKey LogicalRun::named_zone(const std::string& name) const {
  return {node_.name, ConntrackSpace::kernel, logical_.zone(name)};
}

ZoneKey LogicalRun::zone_of(const At& at, Zone zone, const FlowKey& packet) const {
  if (zone == Zone::port) {
    const bool ingress = at.pipeline == ovn::Pipeline::ingress;
    const NetworkPort* port = at.datapath.port(packet.u32(ingress ? F::reg14 : F::reg15));
    if (port == nullptr || !has_own_zone(*port)) return {node_.name, ConntrackSpace::kernel, 0};
    return named_zone(port->row->logical_port);
  }
  const auto& ids = at.datapath.row->external_ids;
  const auto fixed = ids.find("snat-ct-zone");
  if (zone == Zone::common) zone = fixed == ids.end() ? Zone::dnat : Zone::snat;
  if (zone == Zone::snat && fixed != ids.end())
    return {node_.name, ConntrackSpace::kernel, static_cast<std::uint16_t>(parse_decimal(fixed->second).value_or(0))};
  return named_zone(at.datapath.name + (zone == Zone::dnat ? "_dnat" : "_snat"));
}

void LogicalRun::track(const At& at, const logical::Tracking& how, FlowKey& packet) {
  const ZoneKey zone = zone_of(at, how.zone, packet);
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
  record_.add(node_.name, Layer::ovn, std::move(pass), recorder_.evidence_of(at.step));
  const std::size_t step = record_.steps.size() - 1;
  DatapathPacket tracked;
  tracked.key = packet;
  tracked.quoted = quoted_;
  const CtResult result = CtAction(zone, action, {tcp_loose(node_.host)}, network_state_, recorder_, step).execute(tracked);
  recorder_.tracked(step, result.state, result.before, result.after, result.entry);
  packet = tracked.key;
  quoted_ = tracked.quoted;
}

// ovn-controller learns the answer's flow from the request (table 69); here its translation shows.
bool LogicalRun::is_answer_to_hairpin(const At& at, const FlowKey& packet) {
  const auto hit = network_state_.conntrack.find(zone_of(at, Zone::snat, packet), tuple_of(packet));
  return hit && hit.reply_direction && hit.connection->has_snat();
}

// --- choices -------------------------------------------------------------------------------------------------------

std::size_t LogicalRun::choose_backend(const At& at, const ovn::CtLb& balancer, Family family) {
  std::vector<std::size_t> usable;
  for (std::size_t i = 0; i < balancer.backends.size(); ++i) {
    const ovn::LbBackend& b = balancer.backends[i];
    const bool elsewhere = balancer.kind == ovn::CtLb::Kind::mark_local && !logical_.resides(b.port_name);
    if (b.address.family == family && !elsewhere) usable.push_back(i);
  }
  if (usable.empty()) {
    end({Reason::no_live_bucket}, at);
    return balancer.backends.size();
  }
  ChoicePoint point{ChoicePoint::Kind::split, node_.name, Branch::backend, {}, {}, recorder_.evidence_of(at.step)};
  for (const std::size_t i : usable)
    point.options.push_back({{Alternative::backend, {balancer.backends[i].address, std::uint64_t{balancer.backends[i].port}}},
                             1.0 / static_cast<double>(usable.size())});
  return usable[std::min(chooser_.choose(point), usable.size() - 1)];
}

std::uint16_t LogicalRun::choose_member(const At& at, const ovn::Select& select) {
  double total = 0;
  for (const auto& member : select.members) total += member.weight;
  ChoicePoint point{ChoicePoint::Kind::split, node_.name, Branch::logical_member,
                    {at.datapath.friendly},   {},         recorder_.evidence_of(at.step)};
  for (const auto& member : select.members)
    point.options.push_back({{Alternative::number, {std::uint64_t{member.id}}}, member.weight / total});
  return select.members[std::min(chooser_.choose(point), select.members.size() - 1)].id;
}

// --- ovn-controller ------------------------------------------------------------------------------------------------

std::optional<MacAddr> LogicalRun::static_binding(const NetworkPort* port, const IpAddr& address, bool overriding) {
  const LogicalNode::StaticBinding* found = port != nullptr ? logical_.static_binding(*port, address) : nullptr;
  return found != nullptr && found->overrides == overriding ? std::optional(found->mac) : std::nullopt;
}

std::optional<MacAddr> LogicalRun::resolve(const At& at, const NetworkPort*, const IpAddr& address) {
  if (options_.neighbours != nullptr)
    if (auto found = address_on_link(node_, *options_.neighbours, address)) {
      const std::vector<Provenance> lines = recorder_.evidence_of(at.step);
      found->assumption.evidence.insert(found->assumption.evidence.begin(), lines.begin(), lines.end());
      record_.assume(std::move(found->assumption));
      return found->mac;
    }
  if (const ovn::LogicalPort* port = port_without_answer(node_, address)) {
    record_.assume({Supposition::ports_of_switch_shown, {port->datapath, node_.name}, {}, {port->from}});
    end({Reason::address_on_no_port, {address, port->datapath}}, at);
    return std::nullopt;
  }
  recorder_.set_undecided();
  record_.gap({node_.name, Input::mac_binding, {address}});
  end({Reason::mac_binding_missing, {address}}, at);
  return std::nullopt;
}

bool LogicalRun::begin_refusal(const At& at, const FlowKey& refused, bool has_answer) {
  if (refusal_) return false;
  if (!has_answer) {
    end({Reason::ovn_controller_drops}, at);
    return false;
  }
  end({Reason::ovn_rejects}, at);
  record_.add(node_.name, Layer::ovn, Refused{place_of(at.step), {Reason::ovn_rejects}, ""}, recorder_.evidence_of(at.step));
  refusal_ = record_.steps.size() - 1;
  quoted_ = tuple_of(refused);  // by an ICMP error
  return true;
}

void LogicalRun::end_refusal() {
  refusal_.reset();
  quoted_.reset();
}

// --- what leaves ---------------------------------------------------------------------------------------------------

const Interface* LogicalRun::tunnel_to(const ovn::Chassis& chassis) const {
  for (const Interface& port : bridge_.interfaces) {
    if (!openflow::is_tunnel_type(port.type)) continue;
    const auto remote = IpAddr::parse(found_in(port.options, "remote_ip"));
    if (remote && std::find(chassis.encap_ips.begin(), chassis.encap_ips.end(), *remote) != chassis.encap_ips.end()) return &port;
  }
  return nullptr;
}

bool LogicalRun::leaves(const At& at, const NetworkPort& port, const FlowKey& packet) {
  const std::string& type = port.row->type;
  if (type == "patch" || type == "localnet" || type == "localport") return false;
  const ovn::Chassis* chassis = logical_.chassis_of(port);
  if (type != "remote" && (chassis == nullptr || logical_.is_own(*chassis))) return false;
  const Interface* tunnel = chassis != nullptr ? tunnel_to(*chassis) : nullptr;
  const auto& whole = node_.ovn.complete_tables;
  if (chassis == nullptr && whole.contains("SB Chassis") && whole.contains("SB Port_Binding")) {
    end({Reason::port_unbound, {port.friendly}}, {PlaceKind::bridge, {bridge_.name}}, {port.row->from});
    return true;
  }
  if (tunnel == nullptr) {
    recorder_.set_undecided();
    record_.gap({node_.name, Input::tunnel_ports});
    end({Reason::port_not_known, {port.friendly}}, at);
    return true;
  }
  if (carries_made_up_keys(at.datapath, packet.u32(F::reg14), port.key)) {
    lack(at.datapath.row->made_up_key ? "Datapath_Binding" : "Port_Binding");
    end({Reason::tunnel_keys_unknown}, at);
    return true;
  }
  FlowKey sent = packet;
  sent.set(F::tun_id, at.datapath.key);
  sent.set(F::tun_metadata0, (packet.u32(F::reg14) & kInportKey) << kOutportBits | port.key);
  const IpAddr remote = *IpAddr::parse(found_in(tunnel->options, "remote_ip"));
  sent.set(remote.is_v4() ? F::tun_dst : F::tun_ipv6_dst, remote.value);
  emit(OvsEmission::Kind::tunnel, *tunnel, std::move(sent), at);
  return true;
}

// Lists seldom have groups, to which a switch sends what it has no address for.
void LogicalRun::has_no_port(const At& at) {
  constexpr const char* kGroups = "Multicast_Group";
  const auto& southbound = node_.ovn.southbound;
  if (southbound != nullptr && southbound->complete.contains(kGroups)) return end({Reason::no_output}, at);
  lack(kGroups);
  end({Reason::port_not_known, {at.datapath.friendly}}, at);
}

void LogicalRun::into_unknown_bridge(const At& at, const Interface& patch) {
  recorder_.set_undecided();
  record_.gap({node_.name, Input::patch_peer, {patch.name}});
  end({Reason::patch_peer_missing, {patch.name}}, at);
}

void LogicalRun::output(const At& at, const NetworkPort& port, const FlowKey& packet) {
  for (const Interface& out : bridge_.interfaces)
    if (logical_port_of(out) == port.row->logical_port) {
      if (out.type == "patch" && node_.port(openflow::patch_peer(out)).port == nullptr) return into_unknown_bridge(at, out);
      FlowKey sent = packet;
      ofproto::clear_tunnel(sent);
      leave_localnet(*port.row, sent);
      return emit(OvsEmission::Kind::port, out, std::move(sent), at);
    }
  end({Reason::port_missing, {port.friendly}}, at);
}

void LogicalRun::emit(OvsEmission::Kind kind, const Interface& port, FlowKey packet, const At& at) {
  record_.add(node_.name, Layer::ovn, LeaveBridge{bridge_.name, port.ofport.value_or(0), port.name},
              recorder_.evidence_of(at.step));
  OvsEmission e;
  e.kind = refusal_ ? OvsEmission::Kind::rejected : kind;
  e.bridge = &bridge_;
  e.port = &port;
  e.quoted = quoted_;
  ofproto::clear_registers(packet);
  packet.set(F::metadata, 0);
  if (refusal_) {
    e.reject_with = result_.reject_with = refusal_name(packet);
    auto& shown = std::get<Refused>(record_.steps[*refusal_].kind);
    shown.with = e.reject_with;
    shown.why.about = {e.reject_with};
  }
  e.packet = std::move(packet);
  result_.emissions.push_back(std::move(e));
}

}  // namespace

OvsResult run_logical_flows(const LogicalWalk& walk, const openflow::Bridge& bridge, std::uint32_t in_port,
                            const FlowKey& packet) {
  return LogicalRun(walk, bridge).run(in_port, packet);
}

}  // namespace egt::engine
