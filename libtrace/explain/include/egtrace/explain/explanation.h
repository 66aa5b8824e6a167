// The answer to "what happens to this packet, and why?": typed, ready to be laid out as text or JSON. Keys and meanings
// follow docs/schema/explain.schema.json.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "egtrace/base/result.h"
#include "egtrace/cluster/cluster.h"
#include "egtrace/cluster/policy_rules.h"
#include "egtrace/engine/journey.h"
#include "egtrace/engine/place.h"
#include "egtrace/engine/reason.h"
#include "egtrace/explain/outcome.h"
#include "egtrace/explain/point.h"

namespace egt::explain {

struct Question {
  Point from, to;
  std::string proto = "tcp";  // tcp udp sctp icmp icmp6
  std::uint16_t sport = 54321;
  std::optional<std::uint16_t> dport;
  std::optional<std::uint8_t> ttl;  // none: what the sender starts with
  std::uint8_t dscp = 0;
  std::optional<std::uint8_t> icmp_type, icmp_code;
  std::uint32_t mark = 0;
  std::string arrive_at, in_dev;
  std::optional<MacAddr> smac, dmac;
  std::optional<std::uint32_t> size;  // bytes of the IP packet: request and reply; of TCP the packets after the handshake
  bool dont_fragment = false;
  bool established = false;
  bool use_conntrack = true;
  bool one_way = false;      // walk the request alone, not the reply and the packet after the handshake
  bool as_intended = false;  // walk logical flows where they are ready (Ovn::program), also beside OpenFlow flows
  bool near_misses = false;  // also report rules that nearly matched
  bool registers = true;     // report what registers hold; needs the release of OVN, and takes time
  // Of each path report only what decided it: verdict, where it leaves, the addresses seen, source translations, where it
  // stops and why, and of the hops those behind that. No sentences, sightings, objects.
  bool only_deciding = false;
  bool steps = true;        // report hops of all paths; otherwise only of those that end undelivered
  bool later_steps = true;  // likewise of the reply and the packets after it
  bool counters = false;    // also report what neighbours of rules that never counted have counted
};

struct EvidenceLine {
  std::string dump;
  std::uint32_t line = 0;
  std::string text;
  std::string table = {}, uuid = {};  // of a row of a database file, all of whose rows may be in one line
  friend bool operator==(const EvidenceLine&, const EvidenceLine&) = default;
};
EvidenceLine evidence_line(Provenance at, const SourceTable& sources);  // of a place that is known
std::string place_of(const EvidenceLine& line);                         // "k8s/pods.yaml:12", "ovnnb_db.db:4 ACL 1867b5e6-…"
using Evidence = std::vector<EvidenceLine>;

struct LflowRef {
  std::string uuid, datapath, stage, match, actions;
  std::uint16_t priority = 0;
  std::string source;  // of northd, that made it: "northd.c:8453"; empty where no database has it
};
// A row of an OVN database that stands behind a step, and the Kubernetes object that it was made for (empty: unknown).
enum class AclDirection : std::uint8_t { none, from_lport, to_lport };  // direction of the table ACL of ovn-nb(5)
// The object that asks for an ACL, and the rule of it, counted from 0. The default beside the NetworkPolicies of a namespace has
// no name.
struct PolicyRef {
  enum class Kind : std::uint8_t { network_policy, admin_network_policy, baseline_admin_network_policy, egress_firewall };
  Kind kind = Kind::network_policy;
  std::string namespace_, name;
  std::optional<std::size_t> rule;
};
// The object that OVN-Kubernetes made a row for, as the row's external_ids name it, and which part of it.
struct ObjectRef {
  enum class Part : std::uint8_t {
    whole,
    default_deny,  // of all NetworkPolicies of the namespace `name`
    defaults,      // likewise: what is allowed beside them
    own_node,      // that the node `name` may always reach its pods
    of_namespace,  // the one object of its kind in the namespace `name`
  };
  std::string kind = {}, name = {};  // "EgressIP", "billing"; "Service", "shop/front"; no kind where only a name is known
  Part part = Part::whole;
  std::string pod = {};                              // NAMESPACE/NAME, of a row that is for one pod
  std::string direction = {}, rule = {}, type = {};  // of a rule of a policy: "Egress", "0"
  bool empty() const { return name.empty() && pod.empty() && kind.empty(); }
  std::string kind_and_name() const { return kind + " " + name; }
};
std::string to_text(const ObjectRef& object);  // "EgressIP billing for pod shop/cart-0"; empty for none

struct RowRef {
  std::string database, table, uuid, name;
  ObjectRef object;
  Evidence evidence;
  AclDirection direction = AclDirection::none;
  std::optional<PolicyRef> policy{};  // of an ACL that OVN-Kubernetes made for one
};
struct Change {
  std::string field, before, after;
};

// A rule that the packet met before the hop and that a reader might have expected to match.
struct NearMiss {
  std::string where, why;
  Evidence evidence;
};

// How often a rule was met by the time of the dump: packets, or in a chain of type nat, connections. A hint that changes
// no verdict: a rule may be younger than the traffic, and a NIC that forwards in hardware counts late.
struct Counted {
  std::uint64_t packets = 0;
  // Where the rule counted none: what another rule counted that takes part in the same decision (a flow of the table that
  // matches the packet if this one does not, a rule of the same chain) and could have done so since this one is there. 0:
  // nothing does, and nothing follows.
  std::uint64_t beside = 0;
  Evidence neighbour;  // the line that counted so
  bool never() const { return packets == 0 && beside > 0; }
};

// What a hop goes through, as expectations name it: a table "br-int 25", a chain, the preference of a policy rule.
struct Passage {
  enum class Kind : std::uint8_t { table, chain, rule } kind{};
  std::string name;
};

// The place of a hop, as those compare it that look for it; `where` is the same in words.
struct HopPlace {
  enum class Kind : std::uint8_t { other, flow_table, conntrack, routing, chain } kind{};
  std::string bridge{};          // of Open vSwitch; of a logical step the logical switch or router; empty: in none
  std::string table{}, chain{};  // of netfilter
  std::uint32_t zone = 0;        // of connection tracking
  std::string device{};          // of a host, that receives, sends or resolves
  std::string within{};          // "table 20": in words, what `where` has behind the bridge; empty where it names none
};

struct Hop {
  std::string node, layer, where, what;
  bool detail = false;  // shown only on demand
  Evidence evidence;
  std::vector<LflowRef> lflows;  // all candidates of a cookie
  std::vector<RowRef> rows;      // likewise
  std::vector<Change> changed;
  std::vector<std::string> means{};      // what values stand for, the rows that decide
  std::vector<std::string> registers{};  // what the registers hold that this step writes
  std::vector<NearMiss> near_misses{};   // where the question asks for them
  std::optional<Counted> counted{};      // where the dump has it
  bool decides = false;                  // of a detail: it changed or decided something; others merely pass the packet on
  std::vector<Passage> passes{};
  HopPlace at{};
  bool of_refusal = false;  // of the reset or ICMP error that refuses the packet, on the way back to the sender
};

inline Passage passage_of_table(std::string_view bridge, unsigned table) {
  return {Passage::Kind::table, std::string(bridge) + " " + std::to_string(table)};
}

struct SeenAddress {
  std::string ip;
  std::optional<std::uint16_t> port;
};
std::string to_text(const SeenAddress& a);  // "10.0.0.1:80", "[fd00::1]:80", "10.0.0.1"
struct NatReport {
  std::string node, by;
  SeenAddress from, to;
  Evidence evidence;
  std::vector<RowRef> rows;
};
struct StopReport {
  std::string node, layer, where, why;
  Evidence evidence;
  std::vector<RowRef> rows;
  engine::Reason reason = engine::Reason::none;
  engine::Place place = {};  // in words: `where`
  std::string cause = {};    // of `why`, what does not follow from it
  bool in_tunnel = false;    // it is the outer packet of a tunnel that ends there
};
struct ChoiceReport {
  std::size_t hop = 0;
  std::string node, what, chosen;
  bool unknown = false;
  std::string why;
};
struct AssumptionReport {
  std::string what, why;
  Evidence evidence;
};
struct SightingReport {
  std::string node, device;
  bool in = false;
  std::string src, dst, proto, smac, dmac;
  std::optional<std::uint16_t> sport, dport;
  std::uint8_t ttl = 0;
  std::optional<engine::Encap> encap;
  std::size_t hop = 0;  // index of the first hop after it
};
struct EgressReport {
  std::string node, device;
};

struct PathReport;
// A walk that follows another one: the reply, or what comes after the handshake.
struct FollowUp {
  CommonVerdict verdict = Verdict::inconclusive;
  Confidence confidence = Confidence::assumed;
  std::string summary;
  std::vector<PathReport> paths;
};

struct PathReport {
  bool walked = true;                           // else `hops` are lines that are about the packet, in no order that it meets them
  Verdict verdict = Verdict::inconclusive;      // of this packet
  Confidence confidence = Confidence::assumed;  // likewise
  bool size_learned = false;                    // rejected: the sender learns of what size packets get through
  bool refusal_accepted = false;                // rejected: the sender ends the connection by the refusal
  Outcome outcome = Outcome::undecided;         // of the connection, where its replies were walked; of this packet otherwise
  bool proven = false;                          // the outcome is: nothing on any of its walks is assumed
  Listener listener = Listener::unknown;
  bool is_for_group = false;   // broadcast or multicast: has other receivers, which answer from their own addresses
  bool has_handshake = false;  // TCP, SCTP: a connection that only the packet after the handshake makes of use
  std::optional<double> weight;
  std::vector<ChoiceReport> choices;
  std::optional<EgressReport> egress;
  std::optional<SeenAddress> source_seen, destination_seen;
  std::vector<NatReport> snat, dnat;
  std::vector<engine::Tunnel> tunnels;
  std::optional<StopReport> stopped_at;
  std::vector<SightingReport> sightings;
  std::vector<Hop> hops;
  std::vector<AssumptionReport> assumptions;
  std::vector<Gap> gaps;
  std::optional<engine::SizeLimit> largest;  // IP packet, by MTUs
  std::string summary;
  std::string end_name;                    // the receiver
  std::vector<std::string> ovn_nodes;      // whose flows of OVN the packet met, or missed
  std::vector<FollowUp> reply, continued;  // none or one each
};

// A Kubernetes object that asks for something else than the dumps do with this packet.
struct IntentViolation {
  std::string object;           // "EgressIP project"
  std::string expected, found;  // what it demands; what the dumps do: sentences without an end
  Evidence evidence;            // of the object, then of what does otherwise
  friend bool operator==(const IntentViolation&, const IntentViolation&) = default;
};

// What the objects ask for this traffic. `kept`: nothing where none of them is about it.
struct Intent {
  std::optional<bool> kept;
  std::vector<IntentViolation> violations;
  std::optional<cluster::PolicyRuling>
      of_stop;  // of policies, for the first request that an ACL of one stops, in the ACL's direction
};

// What keeps the connection from being answered, and what to look at next.
struct Fault {
  Direction direction = Direction::request;
  StopReport at;
  std::string summary, next;
};

// The finding of triage that explains a fault or a violated intent.
struct Cause {
  std::string finding, claim, next;
  Evidence evidence;
};

// A counter of the node at which packets are lost, that counts such drops. Evidence, never proof: it counts the packets of all since
// the node booted.
struct CounterReport {
  std::string node, name, device;  // device: empty is the node's own
  std::uint64_t value = 0;
  std::optional<std::uint64_t> increase;  // from one dump to another; none where only one has it
  std::string meaning;                    // what it counts
  Evidence evidence;
};

// What the outcome rests on and the dumps do not show, and the command that would.
struct NotChecked {
  std::string what, why, command;
};

// The largest IP packet that fits the MTUs dumped, forth and back and on all paths, and that flows send on as they do smaller
// ones; the device with the smallest MTU, or the bridge or port of the flow.
struct LargestPacket {
  std::uint32_t bytes = 0;
  std::string node, device;
  Evidence evidence;
  bool by_flow = false;
};

// Where two walks of a packet differ first, one through OpenFlow flows and one through the logical flows that these realise: the logical
// flow that either meets there. None: it ends before.
struct StageDifference {
  Direction direction = Direction::request;
  std::string node;
  std::optional<LflowRef> realised, intended;
  Evidence evidence;  // of both steps
};
struct CrossCheck {
  std::size_t stages = 0;                    // that were compared
  std::vector<StageDifference> differences;  // the first of each walk; equal ones once
};

struct PacketReport {
  std::string src, dst, proto;
  std::optional<std::uint16_t> sport, dport;
};
struct EndReport {
  std::string kind, name, node, ip;
};

struct Explanation {
  PacketReport packet;
  EndReport from, to;
  Outcome outcome = Outcome::undecided;
  CommonVerdict verdict = Verdict::inconclusive;  // of the request
  Confidence confidence = Confidence::assumed;    // of the outcome
  std::string summary;
  Listener listener = Listener::unknown;
  std::optional<Fault> fault;           // of the first path that fails; none where none does
  std::optional<Cause> cause;           // of the fault, or of what the intent violates; filled by the code that runs the checks
  std::vector<CounterReport> counters;  // of the node of the fault; filled by a reader of counters
  std::vector<PathReport> paths;
  std::vector<AssumptionReport> assumptions;
  std::vector<Gap> gaps;
  std::optional<LargestPacket> largest;   // none where no device's MTU is known
  std::optional<CrossCheck> cross_check;  // filled by the code that walks the logical flows as well
  Intent intent;                          // objects never decide; the walk follows the dumps
  std::vector<std::string> checked;       // kinds of dumps that the outcome was computed from
  std::vector<NotChecked> not_checked;
  bool truncated = false;  // there were more paths than are shown
  bool one_way = false;    // the request alone was walked: it is answered if its reply arrives
};

Result<Explanation> explain(const cluster::Cluster& cluster, const Question& question);

}  // namespace egt::explain
