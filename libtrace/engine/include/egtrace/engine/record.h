// What a walk writes down: typed steps, sightings, translations, tunnels, gaps. No text is made here; explain words it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "egtrace/engine/assumption.h"
#include "egtrace/engine/notice.h"
#include "egtrace/engine/place.h"
#include "egtrace/engine/reason.h"
#include "egtrace/engine/routing.h"
#include "egtrace/evidence/evidence.h"
#include "egtrace/host/host.h"
#include "egtrace/openflow/bridge.h"
#include "egtrace/outcome/outcome.h"
#include "egtrace/packet/packet.h"

namespace egt::engine {

struct LearnedFlow;

enum class Layer : std::uint8_t { ovs, ovn, host, underlay, router };
using egt::Verdict;

// --- steps ---------------------------------------------------------------------------------------------------------
struct EnterBridge {
  std::string bridge;
  std::uint32_t ofport = 0;
  std::string port;
};
// Names are of the cluster and of the logical network, which the record does not outlive: a walk has hundreds of these.
struct TableMatch {
  std::string_view bridge;
  std::uint8_t table = 0;
  std::uint16_t priority = 0;
  std::uint64_t cookie = 0, metadata = 0;  // metadata: logical datapath at the lookup
  const openflow::Bridge* on = nullptr;
  openflow::FlowIndex flow = openflow::kNoFlow;
  std::vector<openflow::FlowIndex> conjunction;
  std::vector<openflow::FlowIndex> ties;        // of equal priority, that match as well and do something else
  std::uint8_t depth = 0;                       // of nested resubmits; 0 in the main line
  bool learned = false;                         // a flow that this walk learned: `flow` is kNoFlow
  std::vector<openflow::FlowIndex> shadowed{};  // where Record::wants_shadowed: matches without a flow that never counted
  // Not empty: no flow of a switch but a logical one, of this datapath, its table and its stage.
  std::string_view intended_by{}, stage{};
};
struct TableMiss {
  std::string bridge;
  std::uint8_t table = 0;
  std::uint64_t metadata = 0;
  std::uint8_t depth = 0;
};
struct CtPass {  // ct(...) and what the packet came back with
  std::string bridge;
  std::uint16_t zone = 0;
  bool commit = false;
  std::optional<std::uint8_t> table;   // resumes there
  std::uint32_t state = 0;             // ct_state bits afterwards
  std::optional<Tuple> before, after;  // present when NAT changed the packet
  Provenance entry;                    // of the connection, where a dump shows it
};
struct GroupPick {
  std::string bridge;
  std::uint32_t group = 0;
  std::size_t bucket = 0, buckets = 0;
};
struct ToController {
  std::string bridge;
  std::string reason;
  std::uint32_t opcode = 0;
  bool pause = false;
};
struct LearnFlow {
  std::string bridge;
  std::shared_ptr<const LearnedFlow> flow;
};
struct LeaveBridge {
  std::string bridge;
  std::uint32_t ofport = 0;
  std::string port;
};
struct CrossPatch {
  std::string from_bridge, from_port, to_bridge, to_port;
};
struct Encapsulate {
  std::string type, port;
  IpAddr local, remote;
  std::uint64_t vni = 0;
  std::uint32_t ingress_key = 0, egress_key = 0;
};
struct Decapsulate {
  std::string type, port;
  IpAddr local, remote;
  std::uint64_t vni = 0;
  std::uint32_t ingress_key = 0, egress_key = 0;
};
struct ReceiveFrame {
  std::string device;
};
struct RouteLookup {  // the rule and route that decided; null: none did
  const host::PolicyRule* rule = nullptr;
  const host::Route* route = nullptr;
  std::size_t next_hop = 0;
  bool reverse_path = false;  // rp_filter's lookup
  std::string device;
  std::optional<IpAddr> gateway, source;
};
struct RuleHit {  // a netfilter rule (or a chain's policy) that did something
  netfilter::Hook hook = netfilter::Hook::prerouting;
  std::string front_end;  // "iptables", "ip6tables", "nft"
  std::string table, chain;
  const netfilter::Rule* rule = nullptr;  // null: the policy of the base chain
  netfilter::Verdict::Kind verdict = netfilter::Verdict::Kind::continue_;
  const netfilter::Chain* in = nullptr;  // the chain that has the rule
};
// A rule that all but one of its tests took for the packet's: what it asked, and what the packet had. `before_step`: the
// step of the record in front of which it was skipped.
struct RuleMiss {
  std::string node;
  RuleHit rule;
  const netfilter::Test* failed = nullptr;
  std::vector<std::optional<netfilter::Atom>> actual;  // one a part of the test's left side; empty: there is none
  std::size_t before_step = 0;
};
struct MarkSet {
  std::uint32_t before = 0, after = 0;
};
struct Translate {      // NAT of the host: by a rule, or by conntrack for later packets
  bool source = false;  // source or destination address
  std::string by;       // "iptables", "nft", "ovn", "br-ex"
  Tuple before, after;
  bool by_connection = false;  // undone or repeated from the conntrack entry
  bool port_open = false;      // as in NatEvent
};
// What TEE or dup sent besides, and where it left this node, or (`where`, `why`) was stopped in it.
struct SendCopy {
  std::optional<IpAddr> gateway;
  std::string device;
  Place where = {};
  Cause why = {};
};
struct Resolve {
  IpAddr address;
  std::optional<MacAddr> mac;
  std::string device;
  host::NeighbourState state = host::NeighbourState::none;
  bool from_dump = false;
};
struct CrossWire {
  std::string from_node, from_device, to_node, to_device;
};
struct Deliver {
  std::string to;
  bool to_pod = false;
  bool to_process = false;
};
struct Lost {
  Place where;
  Cause why;
};  // dropped
struct Refused {
  Place where;
  Cause why;
  std::string with;
};  // rejected: "tcp-reset", "icmp-host-unreachable"
using Remark = Statement<Notice>;

using StepKind = std::variant<EnterBridge, TableMatch, TableMiss, CtPass, GroupPick, ToController, LearnFlow, LeaveBridge,
                              CrossPatch, Encapsulate, Decapsulate, ReceiveFrame, RouteLookup, RuleHit, MarkSet, Translate,
                              SendCopy, Resolve, CrossWire, Deliver, Lost, Refused, Remark>;

struct FieldChange {
  FieldId field = FieldId::reg0;
  U128 before = 0, after = 0;
};

struct Step {
  std::string node;
  Layer layer = Layer::ovs;
  StepKind kind;
  std::vector<Provenance> evidence;
  std::vector<FieldChange> changed;
};

// --- beside the steps ----------------------------------------------------------------------------------------------
struct Encap {
  std::string type;
  IpAddr src, dst;
  std::uint64_t vni = 0;
};
struct Sighting {
  std::string node, device;
  bool in = false;  // the device hands it to the node
  FlowKey packet;
  std::optional<Encap> encap;
  std::size_t step = 0;  // number of steps that the record had by then
};
// A device that the packet passed, or the answer that refuses it, also within a tunnel.
struct PassedDevice {
  std::string node, device;
  bool in = false;  // as of Sighting
  friend auto operator<=>(const PassedDevice&, const PassedDevice&) = default;
};
// `port_open`: the port behind stands for whatever the kernel picks.
struct NatEvent {
  std::string node, by;
  bool source = false;
  Tuple before, after;
  std::vector<Provenance> evidence;
  bool port_open = false;
};
// `path_shown`: the snapshot has all nodes that the outer packet crosses.
struct Tunnel {
  std::string from, to, type;
  std::uint64_t vni = 0;
  std::uint32_t ingress_key = 0, egress_key = 0;
  bool path_shown = true;
};
struct Stop {
  std::string node;
  Layer layer = Layer::ovs;
  Place where = {};
  Cause why = {};
  std::vector<Provenance> evidence = {};
  bool in_tunnel = false;  // it is the outer packet of a tunnel that ends there
};

// The largest IP packet, as it was asked about, that a device takes, or that a flow sends on whole and as it does smaller ones.
struct SizeLimit {
  enum class By : std::uint8_t { mtu, flow };
  std::uint32_t bytes = 0;
  std::string node, device;  // of a flow: its bridge, or the port that it sends to
  Provenance from;
  By by = By::mtu;
};

struct Record {
  std::vector<Step> steps;
  std::vector<Sighting> sightings;           // of the packet itself
  std::vector<PassedDevice> passed_devices;  // each as often as it was passed
  std::vector<NatEvent> nat;
  std::vector<Tunnel> tunnels;
  std::vector<Assumption> assumptions;
  std::vector<MissingInput> gaps;
  std::optional<SizeLimit> largest;  // of all devices on the path
  bool wants_misses = false;         // fill both kinds of misses; costs a second look at rules that do not match
  std::vector<RuleMiss> misses;
  std::vector<RouteMiss> route_misses;  // likewise
  bool wants_shadowed = false;          // fill TableMatch::shadowed; costs a second lookup

  template <class Kind>  // one of StepKind
  void add(const std::string& node, Layer layer, Kind&& kind, std::vector<Provenance> evidence = {}) {
    Step& step = steps.emplace_back();
    step.node = node;
    step.layer = layer;
    step.kind.emplace<std::remove_cvref_t<Kind>>(std::forward<Kind>(kind));
    step.evidence = std::move(evidence);
  }
  void limit(SizeLimit to) {
    if (to.bytes != 0 && (!largest || to.bytes < largest->bytes)) largest = std::move(to);
  }
  void assume(Assumption assumption) { assumptions.push_back(std::move(assumption)); }
  void gap(MissingInput missing) {  // unless it is there
    if (std::find(gaps.begin(), gaps.end(), missing) == gaps.end()) gaps.push_back(std::move(missing));
  }
};

}  // namespace egt::engine
