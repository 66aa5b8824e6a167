// One packet from node to node: alternates between the bridges of a node, the network stack of a host, tunnels and
// wires, until the packet is delivered or dropped, or the dumps end. Every path that the dumps allow is walked.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "egtrace/cluster/cluster.h"
#include "egtrace/engine/choice.h"
#include "egtrace/engine/network_state.h"
#include "egtrace/engine/record.h"
#include "egtrace/openflow/flow_lookup.h"

namespace egt::engine {

// Stands for the MAC of the device that has an address on a link of a node that is presumed itself (RFC 7042, 2.1.2).
constexpr MacAddr kSomeNeighbour{0x00005e005301};

// The network of a pod as its own stack sees it.
struct PodNetwork {
  std::string name;               // "namespace/pod", or the logical port's name
  std::vector<Prefix> addresses;  // with the subnet's length where a dump shows it
  std::vector<IpAddr> gateways;
  std::optional<MacAddr> mac;
  std::string network;         // key of its NetworkAttachmentDefinition; empty: the default one
  std::string logical_switch;  // of its port; empty: no dump shows
};

// Where a packet starts or ends.
struct Endpoint {
  enum class Kind : std::uint8_t { pod, process, outside };
  Kind kind = Kind::outside;
  const cluster::Node* node = nullptr;       // pod, process
  const openflow::Bridge* bridge = nullptr;  // pod: where its interface is plugged in
  const openflow::Interface* port = nullptr;
  PodNetwork pod;
  IpAddr address;  // outside: the address; otherwise the one that is used

  bool same_place(const Endpoint& other) const;
};

// The client that waits for a reply, and what it sent.
struct Client {
  Endpoint end;
  FlowKey sent;
};

struct Start {
  Endpoint from;
  FlowKey packet;                     // IP header and above; Ethernet addresses are found on its path
  bool choose_source = false;         // process: let the kernel choose the source address
  std::optional<MacAddr> smac, dmac;  // override what the sender's stack would use
  std::string arrive_at;              // outside: the node at which the packet enters
  std::string in_device;              // outside: and the device
  bool returns = false;               // outside: it answers what left by that device
  bool answers = false;               // process: it sends from the socket that the request came to
  bool own_ttl = false;               // process: the host's own TTL or hop limit, whatever the packet has
  std::optional<Client> client;       // a reply: of its copies the one counts that the client takes
};

struct MadeChoice {
  ChoicePoint point;
  std::size_t chosen = 0;
  std::size_t step = 0;  // number of steps that the record had by then
};

// Where a packet leaves the cluster's nodes without encapsulation.
struct Egress {
  std::string node, device;
  FlowKey packet;
};

// Who got a copy of the packet besides the end of its path.
struct OtherReceiver {
  Endpoint end;
  FlowKey received;
};

// One path of the packet: what happened, and what it left behind.
struct WalkedPath {
  Record record;
  std::vector<MadeChoice> choices;
  Verdict verdict = Verdict::inconclusive;
  std::optional<Stop> stop;
  std::optional<Egress> egress;
  Endpoint end;
  FlowKey sent;      // as the sender sent it (source chosen)
  FlowKey received;  // as the last receiver sees it
  std::vector<OtherReceiver> other_receivers;
  bool left_snapshot = false;     // went on to a node that the snapshot does not hold
  bool size_learned = false;      // an ICMP error shows the sender what size gets through; TCP goes on with that
  bool refusal_accepted = false;  // the reset or ICMP error reaches the sender, and ends its connection
  bool undecided = false;         // something on the path was missing or not understood
  bool after_assumed = false;     // of the packets before it, one is not proven
  NetworkState network_state;

  // Not proven: an assumption, a gap, an unknown choice, something undecided, of it or of a packet before it.
  bool assumed() const;
};

struct JourneyOptions {
  std::size_t max_paths = 64;
  std::uint32_t packet_length = 74;           // of the frame, with the Ethernet header; of the first packet and its reply
  std::optional<std::uint32_t> later_length;  // of the packet after the handshake, and of the answer to that; else as the first
  bool may_fragment = true;                   // without DF; TCP always sets it
  bool as_intended = false;    // logical flows are walked where they are ready, also where OpenFlow flows are dumped
  bool note_misses = false;    // Record::misses
  bool note_shadowed = false;  // TableMatch::shadowed
};

// Connections of all dumps, ready to decide, for as long as the cluster lives. Empty with `use_conntrack` false.
NetworkState initial_network_state(const cluster::Cluster& cluster, bool use_conntrack);

// Whether `answer`, on arrival, belongs to the connection that `sent` opened, for the stack of its sender.
bool is_answer_to(const FlowKey& answer, const FlowKey& sent);

class SwitchSessions;
class Topology;
class Workloads;

// The cluster must outlive it and not change: what is plugged into what is found out once. A Journey and its copies are for
// one thread.
class Journey {
 public:
  explicit Journey(const cluster::Cluster& cluster, JourneyOptions options = {});
  // The same with other options; what is known of the cluster is shared.
  Journey with(JourneyOptions options) const;
  // The same for another thread.
  Journey for_thread() const;
  const Workloads& workloads() const;

  // All paths, in a fixed order. `truncated` is set when there were more than max_ways.
  std::vector<WalkedPath> explore(const Start& start, const NetworkState& network_state, bool* truncated = nullptr) const;
  // The reply of the receiver of a delivered path; it must come back to `start.from`. Where the receiver is outside the
  // snapshot, the reply enters where the request left.
  std::vector<WalkedPath> explore_reply(const Start& start, const WalkedPath& forward, bool* truncated = nullptr) const;
  // The sender's next packet after a delivered answer: it meets what the first two left behind.
  std::vector<WalkedPath> explore_continued(const Start& start, const WalkedPath& forward, const WalkedPath& reply,
                                            bool* truncated = nullptr) const;
  // What the receiver of that next packet answers to it.
  std::vector<WalkedPath> explore_later_reply(const Start& start, const WalkedPath& next, bool* truncated = nullptr) const;

 private:
  std::vector<WalkedPath> answers(const Start& start, const WalkedPath& forward, std::uint64_t tcp_flags, bool* truncated) const;
  void reset_by_others(WalkedPath& reply, const WalkedPath& forward) const;
  Journey later(const Start& start, const WalkedPath& first) const;

  const cluster::Cluster& cluster_;
  JourneyOptions options_;
  std::shared_ptr<const Topology> topology_;
  std::shared_ptr<SwitchSessions> sessions_;
};

}  // namespace egt::engine
