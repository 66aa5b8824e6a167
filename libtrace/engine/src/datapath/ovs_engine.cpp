// The datapath and its upcalls: each packet that comes in, recirculates or is sent by ovn-controller is translated,
// then the actions are executed.
#include <algorithm>
#include <deque>
#include <map>
#include <unordered_map>
#include <utility>

#include "datapath/ct_action.h"
#include "datapath/executor.h"
#include "datapath/unprinted_meters.h"
#include "egtrace/engine/ovs.h"
#include "egtrace/openflow/tunnel_type.h"
#include "host/sysctl_view.h"
#include "inconsistencies.h"
#include "openflow/controllers.h"
#include "openflow/path_observer.h"
#include "openflow/path_policy.h"
#include "openflow/xlate.h"
#include "ovn_controller/address_on_link.h"
#include "ovn_controller/packet_in.h"
#include "ovn_controller/userdata.h"

namespace egt::engine {

using F = FieldId;
namespace dp = ofproto::dp;

namespace {

// MAX_RECIRC_DEPTH of lib/dpif-netdev.c. It is a constant of the build, which no dump shows: some builds have a larger one.
unsigned most_recirculations(const std::optional<std::string>& release) {
  constexpr ofproto::OvsVersion kEight{3, 3, 0};
  const auto version = release ? ofproto::parse_ovs_version(*release) : std::nullopt;
  return version >= kEight ? 8 : 6;
}

}  // namespace

// The tables of one node's switch, and what userdata of its flows says.
struct SwitchSessions::Session {
  Session(const cluster::Node& node, bool as_intended)
      : tables(node, {}, as_intended && node.ovn.program != nullptr ? node.integration_bridge() : nullptr) {
    if (node.ovs_version) version = ofproto::parse_ovs_version(*node.ovs_version).value_or(version);
    recirculations = most_recirculations(node.ovs_version);
  }

  // Null where there is no opcode.
  const Userdata* userdata_of(const openflow::Controller& action) {
    const auto [at, is_new] = userdata.try_emplace(&action);
    if (is_new && action.userdata) at->second = decode_userdata(*action.userdata);
    return at->second ? &*at->second : nullptr;
  }

  // resubmit(,TABLE)
  const openflow::ActionList& resubmit_to(std::uint8_t table) {
    const auto [at, is_new] = resubmits.try_emplace(table);
    if (!is_new) return at->second;
    openflow::Resubmit resubmit;
    resubmit.table = table;
    at->second.push_back({std::move(resubmit)});
    return at->second;
  }

  const openflow::BridgeMeter* unprinted_meter_of(const openflow::Bridge& bridge) {
    const auto [at, is_new] = unprinted_meters.try_emplace(&bridge);
    if (is_new) at->second = engine::unprinted_meter(bridge);
    return at->second;
  }

  const ovn::LogicalFlow* metering_flow_of(const ovn::Ovn& ovn, std::uint64_t cookie) {
    const auto [at, is_new] = metering_flows.try_emplace(cookie);
    if (is_new) at->second = engine::metering_flow(ovn, cookie);
    return at->second;
  }

  ofproto::Tables tables;
  ofproto::OvsVersion version;
  unsigned recirculations = 0;  // within each other, as Open vSwitch is released
  std::map<const openflow::Bridge*, const openflow::BridgeMeter*> unprinted_meters;
  std::unordered_map<std::uint64_t, const ovn::LogicalFlow*> metering_flows;  // by cookie
  std::map<std::uint8_t, openflow::ActionList> resubmits;
  std::unordered_map<const openflow::Controller*, std::optional<Userdata>> userdata;
};

struct SwitchSessions::Impl {
  bool as_intended = false;
  std::unordered_map<const cluster::Node*, Session> sessions;
};

SwitchSessions::SwitchSessions(bool as_intended) : impl_(std::make_unique<Impl>()) { impl_->as_intended = as_intended; }
SwitchSessions::~SwitchSessions() = default;
SwitchSessions::SwitchSessions(SwitchSessions&&) noexcept = default;
SwitchSessions::Session& SwitchSessions::of(const cluster::Node& node) {
  return impl_->sessions.try_emplace(&node, node, impl_->as_intended).first->second;
}
const openflow::BridgeMeter* SwitchSessions::unprinted_meter(const cluster::Node& node, const openflow::Bridge& bridge) {
  return of(node).unprinted_meter_of(bridge);
}
const ovn::LogicalFlow* SwitchSessions::metering_flow(const cluster::Node& node, std::uint64_t cookie) {
  return of(node).metering_flow_of(node.ovn, cookie);
}

namespace {

// Limits of our own, far beyond what a working pipeline needs.
constexpr unsigned kMaxUpcalls = 256;
constexpr std::size_t kMaxSteps = 65536;
// Of upcalls within each other; those below wait in turn.
constexpr unsigned kMaxDepth = 16;

Cause cut_to(std::int64_t bytes) { return {Reason::frame_cut, {static_cast<std::uint64_t>(std::max<std::int64_t>(bytes, 0))}}; }

class SwitchRun : public DatapathPorts {
 public:
  SwitchRun(SwitchSessions::Session& session, const cluster::Node& node, NetworkState& network_state, Record& record,
            Chooser& chooser, const OvsOptions& options)
      : session_(session),
        node_(node),
        network_state_(network_state),
        record_(record),
        options_(options),
        recorder_(node, record),
        policy_(network_state, position_, chooser),
        how_{session.version, false} {}

  OvsResult run(const openflow::Bridge& bridge, std::uint32_t in_port, const FlowKey& packet);

  void output(const dp::Port& port, const DatapathPacket& packet, std::size_t origin) override;
  void recirculate(std::uint32_t id, const DatapathPacket& packet, std::size_t origin) override;
  void to_controller(const dp::ToController& action, const DatapathPacket& packet, std::size_t origin) override;
  void track(const dp::Conntrack& action, DatapathPacket& packet, std::size_t origin, bool forks) override;

 private:
  struct Upcall {
    DatapathPacket packet;
    std::optional<std::uint32_t> recirculation;
    const openflow::ActionList* packet_out = nullptr;  // actions of a packet that ovn-controller sends
    const openflow::Bridge* bridge = nullptr;          // of `packet_out`
    std::string reject_with;                           // not empty: the packet is ovn-controller's refusal
    std::optional<std::size_t> step;                   // of the record: the flow that asked for it
  };

  bool in_userspace() const { return origin_->bridge->datapath_type == "netdev"; }
  bool is_endless();
  void handle(Upcall upcall);
  void handle_at_once(Upcall upcall, std::size_t origin);
  void look_behind_tags(const FlowKey& key);
  ofproto::Translation translate(const Upcall& upcall);
  void emit(OvsEmission::Kind kind, const dp::Port* port, const DatapathPacket& packet);
  void limit_size(OvsEmission& emission, const DatapathPacket& packet, std::size_t origin);
  void refuse(const Userdata& data, const FlowKey& key, const openflow::Bridge& bridge, std::size_t origin);
  void advertise(const Userdata& data, const FlowKey& key, const openflow::Bridge& bridge, std::size_t origin);
  void resolve(const Userdata& data, const FlowKey& key, const openflow::Bridge& bridge, std::size_t origin);
  std::optional<MacAddr> mac_on_link(const IpAddr& address, std::size_t origin);
  std::optional<std::uint8_t> table_that_asked(std::size_t origin) const;
  void send_on(const FlowKey& key, const MacAddr& mac, std::uint8_t table, const openflow::Bridge& bridge, std::size_t origin);
  FlowKey after_field_actions(const FlowKey& key, const openflow::ActionList& nested, const openflow::Bridge& bridge);
  OvsResult finish();

  SwitchSessions::Session& session_;
  const cluster::Node& node_;
  NetworkState& network_state_;
  Record& record_;
  const OvsOptions& options_;
  PathRecorder recorder_;
  PathPosition position_{recorder_};
  PathObserver observer_{position_};
  PathPolicy policy_;
  ofproto::XlateOptions how_;
  ofproto::Recirculations recirculations_;
  ofproto::SwitchBridge* origin_ = nullptr;  // where the packet came in
  std::deque<Upcall> upcalls_;
  unsigned handled_ = 0, depth_ = 0;  // upcalls; those within each other
  OvsResult result_;
  std::string reject_with_;  // of the packet under way
  bool has_too_many_tags_ = false, is_noted_endless_ = false;
  std::size_t forced_states_ = 0;  // of options_.ct_next
};

// --- upcalls -------------------------------------------------------------------------------------------------------

OvsResult SwitchRun::run(const openflow::Bridge& bridge, std::uint32_t in_port, const FlowKey& packet) {
  origin_ = session_.tables.sw.bridge(bridge);
  const openflow::Interface* port = bridge.by_ofport(in_port);
  record_.add(node_.name, Layer::ovs, EnterBridge{bridge.name, in_port, port ? port->name : std::string()},
              port && port->from.known() ? std::vector<Provenance>{port->from} : std::vector<Provenance>{});
  note_inconsistencies(node_, cluster::Inconsistency::About::node, "", record_);
  note_inconsistencies(node_, cluster::Inconsistency::About::bridge, bridge.name, record_);
  Upcall first;
  first.packet.key = packet;
  first.packet.quoted = options_.quoted;
  FlowKey& key = first.packet.key;
  clear_conntrack(key);  // whatever tracked it before: a port hands over an untracked packet
  if (!ofproto::has_tunnel_destination(key)) ofproto::clear_tunnel(key);
  key.set(F::in_port, in_port);
  key = ofproto::as_extracted(key, bridge);
  if (options_.packet_length) first.packet.length = {*options_.packet_length, packet, !in_userspace()};
  upcalls_.push_back(std::move(first));
  while (!upcalls_.empty() && !is_endless()) {
    Upcall next = std::move(upcalls_.front());
    upcalls_.pop_front();
    handle(std::move(next));
  }
  return finish();
}

bool SwitchRun::is_endless() {
  if (handled_ < kMaxUpcalls && record_.steps.size() <= kMaxSteps) return false;
  recorder_.set_undecided();
  if (!std::exchange(is_noted_endless_, true)) position_.add(engine::Remark{Notice::endless_recirculation}, {});
  return true;
}

// The switch reads each upcall's packet anew, and of its headers no more than follow so many tags.
void SwitchRun::look_behind_tags(const FlowKey& key) {
  if (node_.vlan_limit != 1 || key.u32(F::vlan_tci1) == 0) return;
  recorder_.set_undecided();
  if (!std::exchange(has_too_many_tags_, true)) record_.add(node_.name, Layer::ovs, engine::Remark{Notice::vlan_limit});
}

ofproto::Translation SwitchRun::translate(const Upcall& upcall) {
  using ofproto::Xlate;
  const ofproto::FrozenState* frozen = upcall.recirculation ? &recirculations_.state(*upcall.recirculation) : nullptr;
  const openflow::Bridge* bridge = frozen ? frozen->bridge->bridge : upcall.bridge ? upcall.bridge : origin_->bridge;
  position_.expect(*bridge, frozen ? frozen->table : std::uint8_t{0}, upcall.step);
  FlowKey key = upcall.packet.key;
  look_behind_tags(key);
  if (frozen) key.set(F::recirc_id, *upcall.recirculation);
  ofproto::SwitchBridge& in = upcall.bridge ? *session_.tables.sw.bridge(*upcall.bridge) : *origin_;
  const ofproto::Ofpacts* packet_out = upcall.packet_out ? &session_.tables.actions->of(*upcall.packet_out, *bridge) : nullptr;
  return Xlate(session_.tables, recirculations_, policy_, &observer_, how_).run(in, key, frozen, packet_out);
}

void SwitchRun::handle(Upcall upcall) {
  ++handled_;
  reject_with_ = upcall.reject_with;
  recorder_.end().follow_reply(!reject_with_.empty());
  policy_.set_frame_length(upcall.packet.length);
  const ofproto::Translation t = translate(upcall);
  position_.translated();
  recirculations_.end_pass();
  recirculations_.queue.clear();
  if (t.error != ofproto::XlateError::ok && !recorder_.end().is_known()) position_.end({Reason::not_translated});
  execute(t.actions, upcall.packet, *this);
  if (upcall.packet.is_opaque || (upcall.packet.has_hidden_tags && !in_userspace())) recorder_.set_undecided();
}

// The userspace datapath goes on with the packet before it executes the actions behind. Of the kernel's, what misses waits for ovs-vswitchd.
void SwitchRun::handle_at_once(Upcall upcall, std::size_t origin) {
  if (is_endless()) return;
  if (const unsigned most = session_.recirculations; depth_ == most)
    recorder_.assume({Supposition::recirculates_deeper, {node_.name}, {std::uint64_t{most}}, position_.evidence_of(origin)});
  ++depth_;
  const std::string refused = reject_with_;
  handle(std::move(upcall));
  reject_with_ = refused;
  recorder_.end().follow_reply(!refused.empty());
  --depth_;
}

void SwitchRun::recirculate(std::uint32_t id, const DatapathPacket& packet, std::size_t origin) {
  if (upcalls_.size() >= kMaxUpcalls) return;  // run() ends before it comes to more
  Upcall next;
  next.packet = packet;
  next.recirculation = id;
  next.step = origin;
  next.reject_with = reject_with_;
  if (in_userspace() && depth_ < kMaxDepth) return handle_at_once(std::move(next), origin);
  upcalls_.push_back(std::move(next));
}

OvsResult SwitchRun::finish() {
  result_.undecided = recorder_.is_undecided();
  const bool leaves = std::any_of(result_.emissions.begin(), result_.emissions.end(), [](const OvsEmission& e) {
    return e.kind == OvsEmission::Kind::port || e.kind == OvsEmission::Kind::tunnel;
  });
  if (!leaves) result_.stop = recorder_.end().take();
  recorder_.drop_unexecuted();
  return std::move(result_);
}

// --- what leaves ---------------------------------------------------------------------------------------------------

void SwitchRun::output(const dp::Port& port, const DatapathPacket& packet, std::size_t origin) {
  if (port.interface->port_down) return;
  const bool tunnel = openflow::is_tunnel_type(port.interface->type);
  if (tunnel && !packet.has_egress_tunnel)
    return recorder_.end_at(origin, {Reason::tunnel_without_remote, {port.interface->name}});
  // Devices refuse what is shorter than an Ethernet header (netdev_dummy_send(), tun_get_user()); the kernel's datapath sends that much.
  if (packet.cut_to && in_userspace() && *packet.cut_to < kEthernetHeader)
    return recorder_.end_at(origin, cut_to(*packet.cut_to));
  emit(tunnel ? OvsEmission::Kind::tunnel : OvsEmission::Kind::port, &port, packet);
  limit_size(result_.emissions.back(), packet, origin);
}

// What output with max_len sends of a frame (ovs-actions(7)).
void SwitchRun::limit_size(OvsEmission& emission, const DatapathPacket& packet, std::size_t origin) {
  if (!packet.whole_up_to) return;
  const std::string& device = emission.port->name;
  const std::vector<Provenance> lines = recorder_.evidence_of(origin);
  if (packet.cut_to)
    emission.cut = Stop{node_.name, Layer::ovs, {PlaceKind::device, {device}}, cut_to(*packet.cut_to), lines};
  else if (*packet.whole_up_to > 0 && !lines.empty())
    emission.whole_up_to = SizeLimit{*packet.whole_up_to, node_.name, device, lines.back(), SizeLimit::By::flow};
}

void SwitchRun::emit(OvsEmission::Kind kind, const dp::Port* port, const DatapathPacket& packet) {
  OvsEmission e;
  e.kind = kind;
  e.bridge = port ? port->bridge : origin_->bridge;
  e.port = port ? port->interface : nullptr;
  e.packet = packet.key;
  e.quoted = packet.quoted;
  if (kind == OvsEmission::Kind::port) ofproto::clear_tunnel(e.packet);
  if (kind != OvsEmission::Kind::controller) {
    ofproto::clear_registers(e.packet);
    e.packet.set(F::metadata, 0);
    if (!reject_with_.empty()) e.kind = OvsEmission::Kind::rejected;
    e.reject_with = reject_with_;
  }
  result_.emissions.push_back(std::move(e));
}

// --- connections ---------------------------------------------------------------------------------------------------

void SwitchRun::track(const dp::Conntrack& action, DatapathPacket& packet, std::size_t origin, bool forks) {
  const ZoneKey zone{node_.name, in_userspace() ? ConntrackSpace::userspace : ConntrackSpace::kernel, action.zone};
  constexpr ofproto::OvsVersion kSctpInUserspace{3, 2, 0};
  const ConntrackSettings settings{tcp_loose(node_.host), session_.version >= kSctpInUserspace};
  CtAction ct(zone, action, settings, network_state_, recorder_, origin);
  const bool forced = forks && forced_states_ < options_.ct_next.size();
  const CtResult result = forced ? ct.execute_with(options_.ct_next[forced_states_++], packet) : ct.execute(packet);
  recorder_.tracked(origin, result.state, result.before, result.after, result.entry);
}

// --- ovn-controller ------------------------------------------------------------------------------------------------

void SwitchRun::to_controller(const dp::ToController& action, const DatapathPacket& packet, std::size_t origin) {
  if (action.action == nullptr && action.reason == ofproto::reason::invalid_ttl) return;
  const ofproto::FrozenState& state = recirculations_.state(action.recirc_id);
  FlowKey key = packet.key;
  ofproto::copy_registers(state.metadata, key);
  for (const F f : {F::metadata, F::in_port}) key.set(f, state.metadata.get(f));
  const openflow::Bridge& bridge = *state.bridge->bridge;
  const Userdata* data = action.action && !action.action->plain ? session_.userdata_of(*action.action) : nullptr;
  if (!data) {
    DatapathPacket copy = packet;
    copy.key = key;
    emit(OvsEmission::Kind::controller, nullptr, copy);
    if (!action.continuation) return;
    recorder_.set_undecided();
    return recorder_.end_at(origin, {Reason::controller_decides});
  }
  const bool is_reply = !reject_with_.empty();
  const Reaction reaction = reaction_to(data->opcode, action.continuation);
  const bool waits = reaction == Reaction::refuses || reaction == Reaction::resolves || reaction == Reaction::answers;
  if (const auto& controller = node_.ovn.controller; waits && controller && !controller->reached)
    recorder_.assume({Supposition::ovn_controller_runs, {node_.name}, {}, {controller->from}});
  switch (reaction) {
    case Reaction::refuses:
      if (is_reply) return recorder_.remark_at(origin, Notice::answer_refused);
      return refuse(*data, key, bridge, origin);
    case Reaction::resolves:
      if (is_reply) return recorder_.remark_at(origin, Notice::answer_waits);
      return resolve(*data, key, bridge, origin);
    case Reaction::answers: return advertise(*data, key, bridge, origin);
    case Reaction::holds:
      recorder_.set_undecided();
      return recorder_.end_at(origin, {Reason::ovn_controller_handles, {std::string(opcode_name(data->opcode))}});
    case Reaction::consumes:
      return recorder_.end_at(origin, {Reason::ovn_controller_consumes, {recorder_.controller_of(origin)}});
    case Reaction::notes: return;
  }
}

void SwitchRun::refuse(const Userdata& data, const FlowKey& key, const openflow::Bridge& bridge, std::size_t origin) {
  const auto answer = refusal_of(key, data.opcode, sets_fragment_mtu(data.nested));
  if (!answer) {
    recorder_.remark_at(origin, Notice::not_answered);
    return recorder_.end_at(origin, {Reason::ovn_controller_drops});
  }
  const std::string with = refusal_name(after_field_actions(*answer, data.nested, bridge));
  recorder_.refused(origin, with);
  result_.reject_with = with;
  Upcall next;
  next.packet.key = *answer;
  if (with.starts_with("icmp")) next.packet.quoted = tuple_of(key);
  next.packet_out = &data.nested;
  next.bridge = &bridge;
  next.reject_with = with;
  next.step = origin;
  upcalls_.push_back(std::move(next));
}

void SwitchRun::advertise(const Userdata& data, const FlowKey& key, const openflow::Bridge& bridge, std::size_t origin) {
  const auto answer = advertisement_of(key);
  if (!answer) return recorder_.end_at(origin, {Reason::ovn_controller_consumes, {recorder_.controller_of(origin)}});
  Upcall next;
  next.packet.key = *answer;
  next.packet_out = &data.nested;
  next.bridge = &bridge;
  next.step = origin;
  upcalls_.push_back(std::move(next));
}

std::optional<MacAddr> SwitchRun::mac_on_link(const IpAddr& address, std::size_t origin) {
  if (options_.neighbours == nullptr) return std::nullopt;
  auto found = address_on_link(node_, *options_.neighbours, address);
  if (!found) return std::nullopt;
  std::vector<Provenance> lines = recorder_.evidence_of(origin);
  auto& evidence = found->assumption.evidence;
  evidence.insert(evidence.begin(), lines.begin(), lines.end());
  recorder_.assume(std::move(found->assumption));
  return found->mac;
}

// The table of the flow behind the message to ovn-controller.
std::optional<std::uint8_t> SwitchRun::table_that_asked(std::size_t origin) const {
  for (std::size_t i = origin + 1; i-- > 0;)
    if (const auto* match = std::get_if<TableMatch>(&record_.steps[i].kind)) return match->table;
  return std::nullopt;
}

// ovn-controller holds the packet back until the answer comes, then sends it on with the MAC: behind the table that asked.
void SwitchRun::send_on(const FlowKey& key, const MacAddr& mac, std::uint8_t table, const openflow::Bridge& bridge,
                        std::size_t origin) {
  Upcall next;
  next.packet.key = key;
  next.packet.key.set(F::eth_dst, mac.value);
  next.packet_out = &session_.resubmit_to(table);
  next.bridge = &bridge;
  next.step = origin;
  upcalls_.push_back(std::move(next));
}

void SwitchRun::resolve(const Userdata& data, const FlowKey& key, const openflow::Bridge& bridge, std::size_t origin) {
  const FlowKey request = address_request(key, data.opcode == opcode::arp);
  const IpAddr address = requested_address(after_field_actions(request, data.nested, bridge));
  if (const auto table = table_that_asked(origin))
    if (const auto mac = mac_on_link(address, origin)) return send_on(key, *mac, *table, bridge, origin);
  if (const ovn::LogicalPort* port = port_without_answer(node_, address)) {
    recorder_.assume({Supposition::ports_of_switch_shown, {port->datapath, node_.name}, {}, {port->from}});
    return recorder_.end_at(origin, {Reason::address_on_no_port, {address, port->datapath}});
  }
  recorder_.set_undecided();
  recorder_.gap(Input::mac_binding, {address});
  recorder_.end_at(origin, {Reason::mac_binding_missing, {address}});
}

// The packet behind those nested actions that stand before the first one that sends it anywhere.
FlowKey SwitchRun::after_field_actions(const FlowKey& key, const openflow::ActionList& nested, const openflow::Bridge& bridge) {
  struct Silent : ofproto::Policy {
    void missing(Statement<Input>) override {}
  } silent;
  const ofproto::Ofpacts& all = session_.tables.actions->of(nested, bridge);
  ofproto::Ofpacts fields;
  for (const ofproto::Ofpact& o : all) {
    if (!o.action || !ofproto::only_changes_fields(*o.action)) break;
    fields.push_back(o);
  }
  ofproto::Recirculations none;
  ofproto::SwitchBridge& in = *session_.tables.sw.bridge(bridge);
  return ofproto::Xlate(session_.tables, none, silent, nullptr, how_).run(in, key, nullptr, &fields).final_flow;
}

}  // namespace

OvsEngine::OvsEngine(SwitchSessions& sessions, const cluster::Node& node, NetworkState& network_state, Record& record,
                     Chooser& chooser, OvsOptions options)
    : session_(sessions.of(node)),
      node_(node),
      network_state_(network_state),
      record_(record),
      chooser_(chooser),
      options_(std::move(options)) {}

OvsResult OvsEngine::run(const openflow::Bridge& bridge, std::uint32_t in_port, const FlowKey& packet) {
  return SwitchRun(session_, node_, network_state_, record_, chooser_, options_).run(bridge, in_port, packet);
}

}  // namespace egt::engine
