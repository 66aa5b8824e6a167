#include "link_exchange.h"

#include <algorithm>

#include "device_checks.h"
#include "egtrace/engine/netfilter.h"
#include "egtrace/engine/ovs.h"
#include "host/arp_rules.h"
#include "wire_state.h"

namespace egt::engine {
namespace {

using cluster::Node;
using netfilter::Hook;
using Exchange = NeighbourOracle::Exchange;
using F = FieldId;

constexpr std::uint64_t kBroadcastMac = 0xffffffffffff, kNeighbourMacs = 0x3333ff000000;
constexpr std::uint8_t kSolicitation = 135, kAdvertisement = 136, kNdTtl = 255;
constexpr std::uint16_t kRequest = 1, kReply = 2;
// The IPv6 header, the ICMPv6 header with its target, and the MAC of the sender (ndisc_send_ns(), ndisc_send_na()).
constexpr std::uint32_t kDiscoveryBytes = 40 + 24 + 8;

// ff02::1:ff00:0/104 (RFC 4291, 2.7.1).
IpAddr solicited_node(const IpAddr& a) { return IpAddr::v6((U128{0xff02} << 112) | (U128{0x1ff} << 24) | (a.value & 0xffffff)); }

struct Station {
  const Node* node = nullptr;
  std::string device;
  MacAddr mac;
  IpAddr address;
};

FlowKey arp(std::uint16_t operation, const Station& from, const Station& to) {
  FlowKey k;
  const bool asks = operation == kRequest;
  k.set(F::eth_type, ethertype::arp);
  k.set(F::eth_src, from.mac.value);
  k.set(F::eth_dst, asks ? kBroadcastMac : to.mac.value);
  k.set(F::arp_op, operation);
  k.set(F::arp_sha, from.mac.value);
  k.set(F::arp_tha, asks ? 0 : to.mac.value);
  k.set(F::arp_spa, from.address.as_v4());
  k.set(F::arp_tpa, to.address.as_v4());
  return k;
}

FlowKey neighbour_discovery(std::uint8_t type, const Station& from, const Station& to) {
  FlowKey k;
  const bool asks = type == kSolicitation;
  const IpAddr destination = asks ? solicited_node(to.address) : to.address;
  k.set(F::eth_type, ethertype::ipv6);
  k.set(F::eth_src, from.mac.value);
  k.set(F::eth_dst, asks ? kNeighbourMacs | low64(to.address.value & 0xffffff) : to.mac.value);
  k.set(F::ipv6_src, from.address.value);
  k.set(F::ipv6_dst, destination.value);
  k.set(F::nw_proto, ip_proto::icmp6);
  k.set(F::nw_ttl, kNdTtl);
  k.set(F::icmp_type, type);
  k.set(F::nd_target, asks ? to.address.value : from.address.value);
  k.set(asks ? F::nd_sll : F::nd_tll, from.mac.value);
  return k;
}

// What depends on a choice is not decided.
class UndecidedChooser : public Chooser {
 public:
  std::size_t choose(const ChoicePoint& point) override {
    asked_ |= point.options.size() > 1;
    return 0;
  }
  bool was_asked() const { return asked_; }

 private:
  bool asked_ = false;
};

// What others receive when rules wrote into it is not followed.
Exchange unless_written(Exchange decided, const FlowKey& sent, FlowKey passed) {
  passed.set(F::pkt_mark, sent.get(F::pkt_mark));
  return passed == sent ? decided : std::max(decided, Exchange::undecided);
}

// What rules have decided so far.
Exchange exchange_by(const HookResult& result, const UndecidedChooser& chooser, const Record& record) {
  if (result.goes_on()) return chooser.was_asked() || !record.assumptions.empty() ? Exchange::undecided : Exchange::passes;
  const bool ends = result.outcome == HookResult::Outcome::dropped || result.outcome == HookResult::Outcome::rejected;
  return ends && !chooser.was_asked() ? Exchange::lost : Exchange::undecided;
}

HookResult run_stages(NetfilterEngine& rules, Hook hook, NetfilterContext& context) {
  HookResult result;
  for (const NetfilterStage stage : {NetfilterStage::before_conntrack, NetfilterStage::before_nat, NetfilterStage::after_nat})
    if (result.goes_on()) result = rules.run(hook, stage, context);
  return result;
}

// `hook` of the network stack, and what the device has of its own before input and behind output.
Exchange pass(const Node& node, Hook hook, const std::string& device, const FlowKey& sent) {
  FlowKey packet = sent;
  NetworkState network_state;
  Record record;
  UndecidedChooser chooser;
  NetfilterContext context{packet};
  (hook == Hook::output ? context.oif : context.iif) = device;
  context.length = kDiscoveryBytes;
  context.length_known = true;
  context.state = PacketState::untracked;  // neighbour discovery always is (nf_conntrack_icmpv6_init_net() and its callers)
  const bool is_arp = packet.u32(F::eth_type) == ethertype::arp;
  NetfilterEngine rules(node.host, is_arp ? Family::v4 : Family::v6, node.name, network_state, record, chooser);
  const auto by_stack = [&] {
    return is_arp ? run_arp_rules(node.host, node.name, hook, context, record, chooser) : run_stages(rules, hook, context);
  };
  const auto by_device = [&](Hook of_device) {
    return has_device_chain(node, of_device, device) ? run_stages(rules, of_device, context) : HookResult{};
  };
  HookResult result = hook == Hook::input ? by_device(Hook::ingress) : HookResult{};
  if (result.goes_on()) result = by_stack();
  if (result.goes_on() && hook == Hook::output) result = by_device(Hook::egress);
  return unless_written(exchange_by(result, chooser, record), sent, packet);
}

bool is_wire(const openflow::Interface& port) { return port.type.empty() || port.type == "system" || port.type == "dpdk"; }

bool has_all_flows(const openflow::Bridge& b) { return b.flows && !b.flows_partial && !b.by_logical_flows; }

enum class Passage : std::uint8_t { out, in };

// Whether the switch lets nothing of it out by a wire, or in to the bridge's device. Wires without carrier carry nothing.
bool switch_loses(const Node& node, const std::string& device, Passage passage, const FlowKey& packet) {
  const auto place = node.port(device);
  if (place.bridge == nullptr || !has_all_flows(*place.bridge) || place.port->type != "internal") return false;
  NetworkState network_state;
  Record record;
  UndecidedChooser chooser;
  SwitchSessions sessions;
  OvsEngine engine(sessions, node, network_state, record, chooser);
  bool entered = false, passed = false;
  for (const openflow::Interface& port : place.bridge->interfaces) {
    if (passage == Passage::out ? port.name != device : !is_wire(port)) continue;
    if (passage == Passage::in && dead_link(node, port.name) != nullptr) {
      entered = true;
      continue;
    }
    if (!port.ofport) return false;
    entered = true;
    const OvsResult result = engine.run(*place.bridge, *port.ofport, packet);
    if (result.undecided || chooser.was_asked() || !record.gaps.empty()) return false;
    passed |= std::any_of(result.emissions.begin(), result.emissions.end(), [&](const OvsEmission& e) {
      return e.port != nullptr && !lost_at_port(node, e) && (passage == Passage::out ? is_wire(*e.port) : e.port->name == device);
    });
  }
  return entered && !passed;
}

// By the sender, and by the receiver.
Exchange follow_packet(const Station& from, const Station& to, const FlowKey& packet) {
  if (dead_link(*from.node, from.device) != nullptr || dead_link(*to.node, to.device) != nullptr) return Exchange::lost;
  Exchange all = std::max(pass(*from.node, Hook::output, from.device, packet), pass(*to.node, Hook::input, to.device, packet));
  if (packet.u32(F::eth_type) == ethertype::ipv6) all = std::max(all, pass(*to.node, Hook::prerouting, to.device, packet));
  if (all == Exchange::lost) return all;
  const bool is_lost =
      switch_loses(*from.node, from.device, Passage::out, packet) || switch_loses(*to.node, to.device, Passage::in, packet);
  return is_lost ? Exchange::lost : all;
}

// The address with which a node sends to the other on their link.
std::optional<IpAddr> own_address(const host::Link& link, const IpAddr& other) {
  for (const host::Address& a : link.addresses)
    if (!a.prefix.is_host() && a.subnet().contains(other)) return a.prefix.address;
  return std::nullopt;
}

std::optional<Station> station(const WireEnd& end, const std::optional<IpAddr>& address, const IpAddr& other) {
  const host::Link* link = end.node->host.link(end.device);
  if (link == nullptr || !link->mac) return std::nullopt;
  const auto known = address ? address : own_address(*link, other);
  if (!known) return std::nullopt;
  return Station{end.node, end.device, *link->mac, *known};
}

FlowKey request(const Station& asker, const IpAddr& wanted) {
  const Station target{nullptr, {}, {}, wanted};
  return wanted.is_v4() ? arp(kRequest, asker, target) : neighbour_discovery(kSolicitation, asker, target);
}

// The MAC that an answer about `wanted` shows.
std::optional<MacAddr> shown_mac(const FlowKey& packet, const IpAddr& wanted) {
  if (wanted.is_v4()) {
    const bool answers =
        packet.u32(F::eth_type) == ethertype::arp && packet.u32(F::arp_op) == kReply && packet.u32(F::arp_spa) == wanted.as_v4();
    return answers ? std::optional(MacAddr{packet.u64(F::arp_sha)}) : std::nullopt;
  }
  const bool answers = packet.u64(F::nw_proto) == ip_proto::icmp6 && packet.u32(F::icmp_type) == kAdvertisement &&
                       packet.get(F::nd_target) == wanted.value;
  return answers ? std::optional(MacAddr{packet.u64(F::nd_tll)}) : std::nullopt;
}

// An advertisement goes to the MAC that its sender's neighbour table has, which no solicitation changes in an entry set by
// hand (ndisc_send_skb(), __neigh_update()); a reply of ARP goes to the MAC of the request.
bool keeps_other_mac(const Station& from, const Station& to) {
  const auto& all = from.node->host.neighbours.value;
  return std::any_of(all.begin(), all.end(), [&](const host::Neighbour& n) {
    const bool is_set = n.state == host::NeighbourState::permanent || n.state == host::NeighbourState::noarp;
    return !n.proxy && is_set && n.address == to.address && n.device == from.device && n.mac && *n.mac != to.mac;
  });
}

// Of the last flow that changed the packet: the one that made it an answer.
std::vector<Provenance> evidence_of_answer(const Record& record) {
  for (auto step = record.steps.rbegin(); step != record.steps.rend(); ++step)
    if (std::holds_alternative<TableMatch>(step->kind) &&
        std::any_of(step->changed.begin(), step->changed.end(), [](const FieldChange& c) { return c.field == F::eth_dst; }))
      return step->evidence;
  return {};
}

// Of the last step, where the packet ends there; of several copies no flow is the one that loses it.
std::vector<Provenance> evidence_of_loss(const OvsResult& result, const Record& record) {
  if (!result.emissions.empty()) return {};
  if (result.stop && !result.stop->evidence.empty()) return result.stop->evidence;
  return record.steps.empty() ? std::vector<Provenance>{} : record.steps.back().evidence;
}

using MayAnswer = std::function<bool(const openflow::Interface&)>;

bool any_may_answer(const openflow::Interface&) { return true; }

// What goes back by the port that the request comes in by; an answer without a MAC where nothing goes on that others could answer.
std::optional<FlowAnswer> answer_by(SwitchSessions& sessions, const Node& node, const openflow::Bridge& bridge,
                                    const openflow::Interface& port, const Station& asker, const IpAddr& wanted,
                                    const MayAnswer& may_answer = any_may_answer) {
  if (!port.ofport || !has_all_flows(bridge)) return std::nullopt;
  NetworkState network_state;
  Record record;
  UndecidedChooser chooser;
  const OvsResult result =
      OvsEngine(sessions, node, network_state, record, chooser).run(bridge, *port.ofport, request(asker, wanted));
  if (result.undecided || chooser.was_asked() || !record.gaps.empty() || !record.assumptions.empty())
    return FlowAnswer{{}, {}, true};
  std::optional<FlowAnswer> answer;
  bool goes_on = false;
  for (const OvsEmission& e : result.emissions) {
    const auto mac = shown_mac(e.packet, wanted);
    goes_on |= !mac && (e.port == nullptr || may_answer(*e.port));
    if (!mac || e.port == nullptr || e.port->name != port.name) continue;
    if (answer && answer->mac != *mac) return FlowAnswer{{}, {}, true};
    answer = FlowAnswer{*mac, evidence_of_answer(record)};
  }
  return answer || goes_on ? answer : FlowAnswer{{}, evidence_of_loss(result, record)};
}

std::optional<FlowAnswer> decided(std::optional<FlowAnswer> answer) {
  return answer && answer->undecided ? std::nullopt : std::move(answer);
}

}  // namespace

std::optional<FlowAnswer> find_answer_by_flows(SwitchSessions& sessions, const WireEnd& end, const LinkQuestion& question) {
  const auto place = end.node->port(end.device);
  const auto asker = station(end, question.asker, question.address);
  if (place.bridge == nullptr || !asker) return std::nullopt;
  return decided(answer_by(sessions, *end.node, *place.bridge, *place.port, *asker, question.address));
}

std::optional<FlowAnswer> find_answer_to_port(SwitchSessions& sessions, const PortAsker& asker, const IpAddr& wanted,
                                              const MayAnswer& may_answer) {
  const Station station{asker.node, asker.port->name, asker.mac, asker.address};
  return answer_by(sessions, *asker.node, *asker.bridge, *asker.port, station, wanted, may_answer);
}

std::optional<FlowAnswer> find_answer_to_wire(SwitchSessions& sessions, const WireEnd& end, const WireEnd& behind,
                                              const LinkQuestion& question) {
  const auto place = behind.node->port(behind.device);
  const auto asker = station(end, question.asker, question.address);
  if (place.bridge == nullptr || !asker) return std::nullopt;
  for (const openflow::Interface& port : place.bridge->interfaces)
    if (is_wire(port) && dead_link(*behind.node, port.name) == nullptr)
      if (auto answer = answer_by(sessions, *behind.node, *place.bridge, port, *asker, question.address); answer && answer->mac)
        return answer;
  return std::nullopt;
}

Exchange follow_own_arp(const WireEnd& end, const LinkQuestion& question) {
  const auto asker = station(end, question.asker, question.address);
  if (!asker || !question.address.is_v4()) return Exchange::passes;
  const Exchange asked = pass(*asker->node, Hook::output, asker->device, request(*asker, question.address));
  // The MAC of the answering device is not known here, and rules may compare it.
  const bool compared =
      has_arp_rules(asker->node->host, Hook::input) || has_device_chain(*asker->node, Hook::ingress, asker->device);
  return compared ? std::max(asked, Exchange::undecided) : asked;
}

Exchange follow_exchange(const LinkExchange& exchange) {
  const IpAddr& wanted = exchange.question.address;
  const auto asker = station(exchange.asker, exchange.question.asker, wanted);
  const auto owner = station(exchange.owner, wanted, wanted);
  if (!asker || !owner) return Exchange::passes;
  const bool v4 = wanted.is_v4();
  const Exchange asked =
      follow_packet(*asker, *owner, v4 ? arp(kRequest, *asker, *owner) : neighbour_discovery(kSolicitation, *asker, *owner));
  if (asked == Exchange::lost) return asked;
  if (!v4 && keeps_other_mac(*owner, *asker)) return Exchange::lost;
  return std::max(asked, follow_packet(*owner, *asker,
                                       v4 ? arp(kReply, *owner, *asker) : neighbour_discovery(kAdvertisement, *owner, *asker)));
}

}  // namespace egt::engine
