// The datapath and its upcalls: each packet that comes in, recirculates or is sent by ovn-controller is translated,
// then the actions are executed.
#include <algorithm>
#include <deque>
#include <utility>

#include "datapath/controller_answers.h"
#include "datapath/ct_action.h"
#include "datapath/executor.h"
#include "datapath/switch_session.h"
#include "datapath/upcalls.h"
#include "egtrace/engine/ovs.h"
#include "egtrace/openflow/tunnel_type.h"
#include "host/sysctl_view.h"
#include "inconsistencies.h"
#include "openflow/controllers.h"

namespace egt::engine {

using F = FieldId;
namespace dp = ofproto::dp;

namespace {

// Limits of our own, far beyond what a working pipeline needs.
constexpr unsigned kMaxUpcalls = 256;
constexpr std::size_t kMaxSteps = 65536;
// Of upcalls within each other; those below wait in turn.
constexpr unsigned kMaxDepth = 16;

Cause cut_to(std::int64_t bytes) { return {Reason::frame_cut, {static_cast<std::uint64_t>(std::max<std::int64_t>(bytes, 0))}}; }

// The ct actions of one packet: with the states that the user gives for recirculations, then as conntrack decides.
class ConnectionTracking {
 public:
  ConnectionTracking(ofproto::OvsVersion version, NetworkState& network_state, PathRecorder& recorder,
                     const std::vector<std::uint32_t>& states)
      : version_(version), network_state_(network_state), recorder_(recorder), states_(states) {}

  void track(const dp::Conntrack& action, ConntrackSpace space, DatapathPacket& packet, std::size_t origin, bool forks);

 private:
  ofproto::OvsVersion version_;
  NetworkState& network_state_;
  PathRecorder& recorder_;
  const std::vector<std::uint32_t>& states_;
  std::size_t given_ = 0;  // of `states_`
};

void ConnectionTracking::track(const dp::Conntrack& action, ConntrackSpace space, DatapathPacket& packet, std::size_t origin,
                               bool forks) {
  const ZoneKey zone{recorder_.node().name, space, action.zone};
  constexpr ofproto::OvsVersion kSctpInUserspace{3, 2, 0};
  const ConntrackSettings settings{tcp_loose(recorder_.node().host), version_ >= kSctpInUserspace};
  CtAction ct(zone, action, settings, network_state_, recorder_, origin);
  const bool forced = forks && given_ < states_.size();
  const CtResult result = forced ? ct.execute_with(states_[given_++], packet) : ct.execute(packet);
  recorder_.tracked(origin, result.state, result.before, result.after, result.entry);
}

class SwitchRun : public DatapathPorts {
 public:
  SwitchRun(SwitchSessions::Session& session, const cluster::Node& node, NetworkState& network_state, Record& record,
            Chooser& chooser, const OvsOptions& options)
      : session_(session),
        options_(options),
        recorder_(node, record),
        translator_(session, network_state, recorder_, chooser),
        tracking_(session.version, network_state, recorder_, options.ct_next),
        controller_(session, recorder_, translator_, options.neighbours) {}

  OvsResult run(const openflow::Bridge& bridge, std::uint32_t in_port, const FlowKey& packet);

  void output(const dp::Port& port, const DatapathPacket& packet, std::size_t origin) override;
  void recirculate(std::uint32_t id, const DatapathPacket& packet, std::size_t origin) override;
  void to_controller(const dp::ToController& action, const DatapathPacket& packet, std::size_t origin) override;
  void track(const dp::Conntrack& action, DatapathPacket& packet, std::size_t origin, bool forks) override;

 private:
  bool in_userspace() const { return translator_.in_userspace(); }
  void come_in(const openflow::Bridge& bridge, std::uint32_t in_port, const FlowKey& packet);
  bool is_endless();
  void handle(Upcall upcall);
  void handle_at_once(Upcall upcall, std::size_t origin);
  void emit(OvsEmission::Kind kind, const dp::Port* port, const DatapathPacket& packet);
  void limit_size(OvsEmission& emission, const DatapathPacket& packet, std::size_t origin);
  OvsResult finish();

  SwitchSessions::Session& session_;
  const OvsOptions& options_;
  PathRecorder recorder_;
  UpcallTranslator translator_;
  ConnectionTracking tracking_;
  ControllerAnswers controller_;
  std::deque<Upcall> upcalls_;
  unsigned handled_ = 0, depth_ = 0;  // upcalls; those within each other
  OvsResult result_;
  std::string reject_with_;  // of the packet under way
  bool is_noted_endless_ = false;
};

// --- upcalls -------------------------------------------------------------------------------------------------------

void SwitchRun::come_in(const openflow::Bridge& bridge, std::uint32_t in_port, const FlowKey& packet) {
  const cluster::Node& node = recorder_.node();
  Record& record = recorder_.record();
  translator_.set_origin(bridge);
  const openflow::Interface* port = bridge.by_ofport(in_port);
  record.add(node.name, Layer::ovs, EnterBridge{bridge.name, in_port, port ? port->name : std::string()},
             port && port->from.known() ? std::vector<Provenance>{port->from} : std::vector<Provenance>{});
  note_inconsistencies(node, cluster::Inconsistency::About::node, "", record);
  note_inconsistencies(node, cluster::Inconsistency::About::bridge, bridge.name, record);
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
}

OvsResult SwitchRun::run(const openflow::Bridge& bridge, std::uint32_t in_port, const FlowKey& packet) {
  come_in(bridge, in_port, packet);
  while (!upcalls_.empty() && !is_endless()) {
    Upcall next = std::move(upcalls_.front());
    upcalls_.pop_front();
    handle(std::move(next));
  }
  return finish();
}

bool SwitchRun::is_endless() {
  if (handled_ < kMaxUpcalls && recorder_.record().steps.size() <= kMaxSteps) return false;
  recorder_.set_undecided();
  if (!std::exchange(is_noted_endless_, true)) translator_.position().add(engine::Remark{Notice::endless_recirculation}, {});
  return true;
}

void SwitchRun::handle(Upcall upcall) {
  ++handled_;
  reject_with_ = upcall.reject_with;
  recorder_.end().follow_reply(!reject_with_.empty());
  const ofproto::Translation t = translator_.translate(upcall);
  execute(t.actions, upcall.packet, *this);
  if (upcall.packet.is_opaque || (upcall.packet.has_hidden_tags && !in_userspace())) recorder_.set_undecided();
}

// The userspace datapath goes on with the packet before it executes the actions behind. Of the kernel's, what misses waits for ovs-vswitchd.
void SwitchRun::handle_at_once(Upcall upcall, std::size_t origin) {
  if (is_endless()) return;
  if (const unsigned most = session_.recirculations; depth_ == most)
    recorder_.assume({Supposition::recirculates_deeper,
                      {recorder_.node().name},
                      {std::uint64_t{most}},
                      translator_.position().evidence_of(origin)});
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
  const std::string &device = emission.port->name, &node = recorder_.node().name;
  const std::vector<Provenance> lines = recorder_.evidence_of(origin);
  if (packet.cut_to)
    emission.cut = Stop{node, Layer::ovs, {PlaceKind::device, {device}}, cut_to(*packet.cut_to), lines};
  else if (*packet.whole_up_to > 0 && !lines.empty())
    emission.whole_up_to = SizeLimit{*packet.whole_up_to, node, device, lines.back(), SizeLimit::By::flow};
}

void SwitchRun::emit(OvsEmission::Kind kind, const dp::Port* port, const DatapathPacket& packet) {
  OvsEmission e;
  e.kind = kind;
  e.bridge = port ? port->bridge : &translator_.origin();
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

void SwitchRun::track(const dp::Conntrack& action, DatapathPacket& packet, std::size_t origin, bool forks) {
  const ConntrackSpace space = in_userspace() ? ConntrackSpace::userspace : ConntrackSpace::kernel;
  tracking_.track(action, space, packet, origin, forks);
}

// --- ovn-controller ------------------------------------------------------------------------------------------------

void SwitchRun::to_controller(const dp::ToController& action, const DatapathPacket& packet, std::size_t origin) {
  if (action.action == nullptr && action.reason == ofproto::reason::invalid_ttl) return;
  const ofproto::FrozenState& state = translator_.state(action.recirc_id);
  FlowKey key = packet.key;
  ofproto::copy_registers(state.metadata, key);
  for (const F f : {F::metadata, F::in_port}) key.set(f, state.metadata.get(f));
  const Userdata* data = action.action && !action.action->plain ? session_.userdata_of(*action.action) : nullptr;
  if (!data) {
    DatapathPacket copy = packet;
    copy.key = key;
    emit(OvsEmission::Kind::controller, nullptr, copy);
    if (!action.continuation) return;
    recorder_.set_undecided();
    return recorder_.end_at(origin, {Reason::controller_decides});
  }
  auto sent = controller_.answer({*data, key, *state.bridge->bridge, origin, !reject_with_.empty()}, action.continuation);
  if (!sent) return;
  if (!sent->reject_with.empty()) result_.reject_with = sent->reject_with;
  upcalls_.push_back(std::move(*sent));
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
