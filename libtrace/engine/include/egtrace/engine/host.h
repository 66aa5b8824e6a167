// Runs one packet through the network stack of one Linux host: hooks in the kernel's order, conntrack and NAT, policy
// routing, source validation, forwarding, local delivery, and the choice of device and neighbour.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "egtrace/cluster/cluster.h"
#include "egtrace/engine/choice.h"
#include "egtrace/engine/esp.h"
#include "egtrace/engine/network_state.h"
#include "egtrace/engine/record.h"

namespace egt::engine {

// Finds the MAC of a neighbour that the host's own table does not hold: which device of the snapshot would answer ARP.
class NeighbourOracle {
 public:
  virtual ~NeighbourOracle() = default;
  struct Answer {
    MacAddr mac;
    bool by_ovn = false;  // as OVN answers for the ports of a logical switch; its flows for that were not walked
    std::vector<Provenance> evidence = {};  // the flows that answer
    bool off_link = false;                  // by its addresses the owner has no leg in a network of the device
  };
  // `asker`: in whose name the node asks by ARP; empty for IPv6, and where it has no address to ask with.
  virtual std::optional<Answer> resolve(const cluster::Node& node, std::string_view device, const IpAddr& address,
                                        const std::optional<IpAddr>& asker) const = 0;
  // What becomes of the request to the only owner and of its answer. Undecided: what rules of the two hosts do to it.
  enum class Exchange : std::uint8_t { passes, undecided, lost };
  virtual Exchange exchange(const cluster::Node& node, std::string_view device, const IpAddr& address,
                            const std::optional<IpAddr>& asker) const;
};

// Of the packet, beside its headers.
struct HostOptions {
  std::uint32_t packet_length = 60;     // bytes of the IP packet
  std::optional<Tuple> quoted;          // an ICMP error: the packet that it quotes
  bool may_fragment = false;            // IPv4 without DF
  std::optional<EspOverhead> esp = {};  // the packet is encrypted on its path; `packet_length` is what it has without that
};

// The connection that the host's own error message or reset is about, with which it passes the host's rules (nf_ct_attach()).
struct Attached {
  Connection connection;
  std::uint16_t zone = 0;
  bool reply_direction = false;  // of the message
};

// A process on the host that opens a connection or answers one, or an error message of the kernel.
struct LocalSend {
  FlowKey packet;              // destination, protocol, ports, ttl; source address unless it is to be chosen
  bool choose_source = false;  // unbound socket: source by route
  std::string bound_device;
  std::optional<Attached> about = {};
  std::optional<Tuple> quoted = {};  // an error message: the packet as it was when the host refused it
  bool by_switch = false;            // the userspace datapath sends it: it knows routes, and asks by ARP itself
  bool as_frame = false;             // leaves by bound_device as the frame that it is, past all rules
  bool answers = false;              // the socket that it leaves was sent to
  bool own_ttl = false;              // the host's settings decide on the TTL or hop limit
};

struct HostOutcome {
  enum class Kind { delivered, transmit, dropped, rejected, inconclusive };
  Kind kind = Kind::inconclusive;
  std::string device;  // transmit: the device of the route (its lower devices are the caller's affair)
  FlowKey packet;      // as delivered or transmitted, Ethernet addresses set; pkt_mark is the skb mark
  std::optional<IpAddr> next_hop;
  std::optional<Stop> stop;  // dropped, rejected, inconclusive
  // rejected: the ICMP error or TCP reset, addressed to the sender, for this host to send. Its source is that of the route
  // to the sender where there is no better one; the route that it takes then has the last word.
  std::optional<LocalSend> answer;
  std::optional<Tuple> quoted;      // the packet that `answer` quotes, or, of a packet that is an error, the one it does now
  std::uint32_t answer_mtu = 0;     // of an answer that shows the next hop's MTU
  std::uint32_t packet_length = 0;  // transmit: bytes of the IP packet, or of the fragments that the host makes of it
  std::optional<EspOverhead> esp;   // transmit: it leaves encrypted
  std::string reject_with;          // as for netfilter; an errno name where a local process gets an error at once
  // send: the packet as the socket sent it, with the source that was chosen and before the host's own rules.
  std::optional<FlowKey> sent;
  std::vector<HostOutcome> copies;  // what TEE and dup sent besides, in the order in which they were made
  // Where a bridge's port has run PREROUTING: the packet as the bridge's device shows it behind that, with the number of steps by
  // then; empty where it got no further.
  bool passed_port = false;
  std::optional<std::pair<FlowKey, std::size_t>> on_bridge;
};

// Writes the steps between the two ends of the stack into the record. What comes before and after is the caller's:
// sightings, and the closing step (Deliver, Lost, Refused) that follows from the outcome.
class HostEngine {
 public:
  HostEngine(const cluster::Node& node, NetworkState& network_state, Record& record, Chooser& chooser,
             const NeighbourOracle& neighbours, HostOptions options = {});

  // A frame arrives on `device` (after OVS, VLAN, bond and macvlan handling). Ethernet addresses must be set.
  HostOutcome receive(const std::string& device, const FlowKey& frame);
  HostOutcome send(const LocalSend& what);
  // What the device's own rules (hooks ingress and egress) do with a frame that the stack does not see: `transmit` by the
  // device that it goes on by, which is another where a rule demands it.
  HostOutcome pass_device(const std::string& device, netfilter::Hook hook, const FlowKey& frame);

 private:
  const cluster::Node& node_;
  NetworkState& network_state_;
  Record& record_;
  Chooser& chooser_;
  const NeighbourOracle& neighbours_;
  HostOptions options_;
};

}  // namespace egt::engine
