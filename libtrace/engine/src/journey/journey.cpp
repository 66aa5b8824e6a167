#include "egtrace/engine/journey.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "connection_table.h"
#include "device_stack.h"
#include "egtrace/engine/ovs.h"
#include "egtrace/engine/visited_nodes.h"
#include "pod_stack.h"
#include "replay_chooser.h"
#include "topology.h"
#include "walker.h"

namespace egt::engine {
namespace {

constexpr std::uint64_t kSynAck = 0x012, kPushAck = 0x018, kReset = 0x004;
constexpr std::uint8_t kDefaultTtl = 64;
constexpr std::size_t kMostSteps = 200'000;  // of all paths: a packet that loops and splits in each round has no end of them

bool has_unread_lines(const cluster::DumpInfo& dump) {
  return !dump.not_understood.empty() && dump.kind != "unknown" && dump.superseded_by.empty();
}

// Lines that no parser understood may mean anything; on the nodes that the packet visited they take the proof away.
void assume_unread_lines(const cluster::Cluster& cluster, Record& record) {
  for (const std::string_view name : visited_nodes(record)) {
    const cluster::Node* node = cluster.node(name);
    if (node == nullptr) continue;
    for (const std::size_t i : node->dumps) {
      if (i >= cluster.dumps.size()) continue;
      const cluster::DumpInfo& dump = cluster.dumps[i];
      if (!has_unread_lines(dump)) continue;
      const std::size_t count = dump.not_understood.size();
      record.assume(
          {Supposition::unread_lines, {count, dump.path, std::uint64_t{count != 1}}, {}, {dump.not_understood.front()}});
    }
  }
}

// Filters of traffic control and BPF programs. Those that Open vSwitch puts there for what it offloads are its flows.
void assume_filters(const cluster::Node& node, const std::string& device, host::DeviceFilter::Hook hook, Record& record) {
  const host::DeviceFilter* room = nullptr;
  bool listed = false;
  for (const host::DeviceFilter& filter : node.host.device_filters) {
    if (filter.device != device || !filter.is_at(hook)) continue;
    if (filter.has_room_only()) {
      room = &filter;
      continue;
    }
    listed = true;
    if (filter.kind.empty() || (node.offloads_flows && filter.kind == "flower")) continue;
    record.assume({Supposition::filter_passes, {device, node.name, filter.kind}, {}, {filter.from}});
  }
  if (room != nullptr && !listed && !node.offloads_flows)
    record.assume({Supposition::filters_pass, {device, node.name}, {}, {room->from}});
}

// What stands at a device beside the rules that dumps show: a program before the stack, a queue that drops behind it.
void assume_devices(const cluster::Cluster& cluster, Record& record) {
  std::set<PassedDevice> known;
  for (const PassedDevice& passed : record.passed_devices) {
    const cluster::Node* node = cluster.node(passed.node);
    if (node == nullptr || !known.insert(passed).second) continue;
    assume_filters(*node, passed.device, passed.in ? host::DeviceFilter::Hook::ingress : host::DeviceFilter::Hook::egress,
                   record);
    const host::Link* link = node->host.link(passed.device);
    if (link == nullptr) continue;
    if (passed.in && link->has_program) record.assume({Supposition::program_passes, {link->name, node->name}, {}, {link->from}});
    if (!passed.in && link->may_drop_queued())
      record.assume({Supposition::queue_passes, {link->name, node->name}, {link->queue}, {link->from}});
  }
}

// OpenFlow 1.0, in which ovs-ofctl prints by default, has no meters, so that flows themselves do not show them (ovs-actions(7)).
void assume_meters(const cluster::Cluster& cluster, SwitchSessions& sessions, Record& record) {
  std::vector<Assumption> found;
  std::set<const openflow::Bridge*> bridges;
  const cluster::Node* node = nullptr;  // of the step before, mostly
  for (const Step& step : record.steps) {
    const auto* match = std::get_if<TableMatch>(&step.kind);
    if (match == nullptr) continue;
    if (node == nullptr || node->name != step.node) node = cluster.node(step.node);
    if (node == nullptr) continue;
    const openflow::BridgeMeter* meter =
        match->on != nullptr && bridges.insert(match->on).second ? sessions.unprinted_meter(*node, *match->on) : nullptr;
    if (meter != nullptr)
      found.push_back({Supposition::unprinted_meter_passes,
                       {std::uint64_t{meter->id}, std::string(match->bridge), node->name},
                       {},
                       {meter->from}});
    const ovn::LogicalFlow* flow = sessions.metering_flow(*node, match->cookie);
    if (flow != nullptr) found.push_back({Supposition::meter_of_logical_flow_passes, {node->name}, {}, {flow->from}});
  }
  for (Assumption& one : found) record.assume(std::move(one));
}

// Connections of Open vSwitch's kernel datapath are in the kernel's table, too.
void assume_connections(const cluster::Cluster& cluster, Record& record) {
  std::set<std::string_view> opened_on;
  for (const Step& step : record.steps)
    if (const auto* pass = std::get_if<CtPass>(&step.kind); pass != nullptr && (pass->state & ct_state::new_) != 0)
      opened_on.insert(step.node);
  for (const std::string_view name : opened_on)
    if (const cluster::Node* node = cluster.node(name); node != nullptr && !node->has_userspace_datapath())
      note_full_connection_table(*node, record);
}

std::string name_of(const Endpoint& end) {
  if (end.kind == Endpoint::Kind::pod) return end.pod.name;
  return end.node != nullptr ? end.node->name : "";
}

// A stack without a process for what it gets refuses it, also where it is a copy.
void assume_copies(const Start& start, WalkedPath& walked) {
  const FlowKey& packet = walked.received;
  const std::uint64_t proto = packet.u64(FieldId::nw_proto);
  if (start.answers || walked.verdict != Verdict::delivered || (proto != ip_proto::tcp && proto != ip_proto::udp)) return;
  for (const OtherReceiver& other : walked.other_receivers)
    if (!dst_ip(other.received).is_multicast())
      walked.record.assume({Supposition::copy_not_refused, {name_of(other.end), dst_ip(other.received)}});
}

WalkedPath run_once(const cluster::Cluster& cluster, const Topology& topology, SwitchSessions& sessions,
                    const JourneyOptions& options, const Start& start, const NetworkState& network_state,
                    const std::vector<std::size_t>& script) {
  WalkedPath walked;
  walked.network_state = network_state;
  walked.record.wants_misses = options.note_misses;
  walked.record.wants_shadowed = options.note_shadowed;
  constexpr std::size_t kUsualSteps = 256;
  walked.record.steps.reserve(kUsualSteps);
  ReplayChooser chooser(script, walked.record);
  Walker walker(cluster, topology, sessions, options, walked.network_state, walked.record, chooser);
  Arrival arrival = walker.walk(start, walked.sent);
  walked.choices = chooser.take();
  walked.verdict = arrival.verdict;
  walked.stop = std::move(arrival.stop);
  walked.end = std::move(arrival.end);
  walked.received = arrival.packet;
  walked.left_snapshot = arrival.left_snapshot;
  walked.refusal_accepted = arrival.refusal_accepted;
  walked.size_learned = arrival.size_learned;
  walked.egress = walker.egress();
  walked.undecided = walker.undecided();
  walked.other_receivers = walker.take_other_receivers();
  std::erase_if(walked.other_receivers, [&](const OtherReceiver& other) { return other.end.same_place(walked.end); });
  assume_unread_lines(cluster, walked.record);
  assume_devices(cluster, walked.record);
  assume_connections(cluster, walked.record);
  assume_meters(cluster, sessions, walked.record);
  assume_copies(start, walked);
  return walked;
}

// A link-local address is one of the link that the packet came by, and so is a socket that answers it (sin6_scope_id).
std::string link_of_sender(const WalkedPath& forward) {
  const IpAddr from = src_ip(forward.received);
  if (from.is_v4() || !from.is_link_local() || forward.end.kind != Endpoint::Kind::process) return {};
  const auto& seen = forward.record.sightings;
  const auto last =
      std::find_if(seen.rbegin(), seen.rend(), [&](const Sighting& s) { return s.in && s.node == forward.end.node->name; });
  return last == seen.rend() ? std::string() : last->device;
}

// The answering process turns the packet around; its own stack routes it.
Start answer_of(const WalkedPath& forward, std::uint8_t ttl, std::uint64_t tcp_flags) {
  Start answer;
  answer.from = forward.end;
  answer.answers = answer.own_ttl = true;
  answer.in_device = link_of_sender(forward);
  FlowKey packet = forward.received;
  clear_pipeline(packet);
  packet.set(FieldId::pkt_mark, 0);
  while (!tags_of(packet).empty()) pop_tag(packet);
  const Tuple turned = reversed(tuple_of(forward.received));
  set_tuple(packet, turned);
  if (turned.proto == ip_proto::icmp || turned.proto == ip_proto::icmp6) packet.set(FieldId::tp_src, turned.icmp_type);
  packet.set(FieldId::nw_ttl, ttl);
  if (packet.u64(FieldId::nw_proto) == ip_proto::tcp) packet.set(FieldId::tcp_flags, tcp_flags);
  packet.set(FieldId::eth_src, 0);
  packet.set(FieldId::eth_dst, 0);
  answer.packet = packet;
  return answer;
}

// A receiver that the snapshot does not hold: its reply comes back by the device and from the MAC that the request went to.
void enter_where_it_left(Start& answer, const WalkedPath& forward) {
  if (forward.end.kind != Endpoint::Kind::outside) return;
  const auto& seen = forward.record.sightings;
  const auto last = std::find_if(seen.rbegin(), seen.rend(), [](const Sighting& s) { return !s.in && !s.encap; });
  if (last == seen.rend()) return;
  answer.returns = true;
  answer.arrive_at = last->node;
  answer.in_device = last->device;
  push_tags(tags_of(last->packet), answer.packet);
  answer.smac = dst_mac(last->packet);
  answer.dmac = src_mac(last->packet);
}

// The receiver sends its reply to the source address that it saw, and that may be another node's than the one the request left.
void enter_at_owner(Start& answer, const Topology& topology) {
  const cluster::Node* owner = answer.returns ? topology.devices().owner(dst_ip(answer.packet)) : nullptr;
  if (owner == nullptr || owner->name == answer.arrive_at) return;
  answer.returns = false;
  answer.arrive_at.clear();
  answer.in_device.clear();
  answer.dmac.reset();
  while (!tags_of(answer.packet).empty()) pop_tag(answer.packet);
}

// Of the device by which an end sends. 0: not known.
std::uint32_t mtu_of(const Endpoint& end) {
  if (end.node == nullptr) return 0;
  if (end.kind == Endpoint::Kind::pod) {
    return end.port != nullptr ? mtu_of(pod_stack(*end.node, end.pod), *end.node, *end.port).bytes : 0;
  }
  for (const host::Link& link : end.node->host.links.value)
    for (const host::Address& a : link.addresses)
      if (a.prefix.address == end.address) return link.mtu;
  return 0;
}

// Nodes that the snapshot does not show took the reply, though the client is in it.
void leaves_again(WalkedPath& reply, const Start& start) {
  if (start.from.kind == Endpoint::Kind::outside) return;
  reply.verdict = Verdict::inconclusive;
  reply.undecided = true;
  const std::string node = reply.record.steps.empty() ? std::string() : reply.record.steps.back().node;
  reply.stop = Stop{node, Layer::underlay, {PlaceKind::node, {node}}, {Reason::reply_leaves, {dst_ip(reply.received)}}};
}

Stop stop_at(const Endpoint& end, Cause why) {
  const PlaceKind kind = end.kind == Endpoint::Kind::pod ? PlaceKind::pod : PlaceKind::node;
  return {end.node != nullptr ? end.node->name : "", Layer::host, {kind, {name_of(end)}}, std::move(why)};
}

void judge_reply(WalkedPath& reply, const Start& start, const WalkedPath& forward) {
  if (reply.verdict == Verdict::rejected) reply.verdict = Verdict::dropped;  // nothing shows the host that waits for it
  if (reply.verdict != Verdict::delivered) return;
  if (reply.left_snapshot) return leaves_again(reply, start);
  if (reply.end.same_place(start.from) && is_answer_to(reply.received, forward.sent)) return;
  reply.verdict = Verdict::dropped;
  reply.stop = stop_at(reply.end, {Reason::reply_unexpected});
}

}  // namespace

bool Endpoint::same_place(const Endpoint& other) const {
  if (kind != other.kind) return false;
  switch (kind) {
    case Kind::pod: return node == other.node && port == other.port;
    case Kind::process: return node == other.node;
    case Kind::outside: return address == other.address;
  }
  return false;
}

bool is_answer_to(const FlowKey& answer, const FlowKey& sent) {
  const Tuple expected = reversed(tuple_of(sent));
  const Tuple seen = tuple_of(answer);
  return seen.src == expected.src && seen.dst == expected.dst && seen.sport == expected.sport && seen.dport == expected.dport;
}

bool WalkedPath::assumed() const {
  return undecided || after_assumed || left_snapshot || !record.assumptions.empty() || !record.gaps.empty() ||
         std::any_of(choices.begin(), choices.end(),
                     [](const MadeChoice& c) { return c.point.kind == ChoicePoint::Kind::unknown; });
}

Journey::Journey(const cluster::Cluster& cluster, JourneyOptions options)
    : cluster_(cluster),
      options_(options),
      topology_(std::make_shared<const Topology>(cluster)),
      sessions_(std::make_shared<SwitchSessions>(options.as_intended)) {}

Journey Journey::with(JourneyOptions options) const {
  Journey other = *this;
  if (options.as_intended != options_.as_intended) other.sessions_ = std::make_shared<SwitchSessions>(options.as_intended);
  other.options_ = options;
  return other;
}

Journey Journey::for_thread() const {
  Journey other = *this;
  other.sessions_ = std::make_shared<SwitchSessions>(options_.as_intended);
  return other;
}

const Workloads& Journey::workloads() const { return topology_->workloads(); }

std::vector<WalkedPath> Journey::explore(const Start& start, const NetworkState& network_state, bool* truncated) const {
  std::vector<WalkedPath> walked_paths;
  std::size_t steps = 0;
  const auto goes_on = [&](std::size_t runs) { return runs < options_.max_paths && steps < kMostSteps; };
  const bool cut = for_each_script(goes_on, [&](const std::vector<std::size_t>& script) {
    walked_paths.push_back(run_once(cluster_, *topology_, *sessions_, options_, start, network_state, script));
    steps += walked_paths.back().record.steps.size();
    return walked_paths.back().choices;
  });
  if (truncated != nullptr) *truncated = cut;
  return walked_paths;
}

std::vector<WalkedPath> Journey::explore_reply(const Start& start, const WalkedPath& forward, bool* truncated) const {
  return answers(start, forward, kSynAck, truncated);
}

std::vector<WalkedPath> Journey::explore_later_reply(const Start& start, const WalkedPath& next, bool* truncated) const {
  return later(start, next).answers(start, next, kPushAck, truncated);
}

std::vector<WalkedPath> Journey::answers(const Start& start, const WalkedPath& forward, std::uint64_t tcp_flags,
                                         bool* truncated) const {
  Start answer = answer_of(forward, kDefaultTtl, tcp_flags);
  enter_where_it_left(answer, forward);
  enter_at_owner(answer, *topology_);
  answer.client = Client{start.from, forward.sent};
  std::vector<WalkedPath> replies = explore(answer, forward.network_state, truncated);
  for (WalkedPath& reply : replies) {
    judge_reply(reply, start, forward);
    if (reply.verdict == Verdict::delivered && answer.packet.u64(FieldId::nw_proto) == ip_proto::tcp)
      reset_by_others(reply, forward);
  }
  return replies;
}

// A stack that gets a segment of a connection that it does not have resets it at the sender (RFC 9293, 3.10.7.1).
void Journey::reset_by_others(WalkedPath& reply, const WalkedPath& forward) const {
  for (const OtherReceiver& other : reply.other_receivers) {
    WalkedPath copy;
    copy.end = other.end;
    copy.received = other.received;
    const std::vector<WalkedPath> resets = explore(answer_of(copy, kDefaultTtl, kReset), reply.network_state);
    const auto arrives = [&](const WalkedPath& reset) {
      return reset.verdict == Verdict::inconclusive || (reset.verdict == Verdict::delivered && reset.end.same_place(forward.end));
    };
    for (const WalkedPath& reset : resets) {  // also one that is lost decides
      for (const Assumption& a : reset.record.assumptions) reply.record.assume(a);
      reply.undecided |= reset.assumed();
    }
    if (std::none_of(resets.begin(), resets.end(), arrives)) continue;
    reply.verdict = Verdict::rejected;
    reply.refusal_accepted = true;
    reply.stop = stop_at(other.end, {Reason::reply_reset});
    reply.record.assume({Supposition::reset_ends_connection, {name_of(other.end)}});
    return;
  }
}

// With the length that packets have once the connection stands: no end sends segments that are larger than its own device
// takes, or than the other end's, which it learned from the MSS in the handshake (RFC 9293, 3.7.1).
Journey Journey::later(const Start& start, const WalkedPath& first) const {
  JourneyOptions options = options_;
  if (!options.later_length) return *this;
  options.packet_length = *options.later_length;
  for (const Endpoint* end : {&start.from, &first.end})
    if (const std::uint32_t mtu = mtu_of(*end); mtu != 0)
      options.packet_length = std::min(options.packet_length, mtu + kEthernetHeader);
  return with(options);
}

std::vector<WalkedPath> Journey::explore_continued(const Start& start, const WalkedPath& forward, const WalkedPath& reply,
                                                   bool* truncated) const {
  Start next = start;
  next.choose_source = false;  // the connection has its source by now
  next.packet = forward.sent;
  clear_pipeline(next.packet);
  if (next.packet.u64(FieldId::nw_proto) == ip_proto::tcp) next.packet.set(FieldId::tcp_flags, kPushAck);
  return later(start, forward).explore(next, reply.network_state, truncated);
}

}  // namespace egt::engine
