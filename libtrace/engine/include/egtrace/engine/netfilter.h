// Runs one packet through the netfilter chains of one hook of one Linux host: iptables (both backends) and nft together,
// in the order in which the kernel calls them (nft(8), iptables(8), include/uapi/linux/netfilter_ipv4.h).
//
// Conntrack and the translation itself are the caller's: this engine finds what the rules decide. It sets marks (skb and
// connection) at once, and returns a NAT decision for the caller to carry out. Rules with an effect or a verdict are
// written to the Record; a test that the dumps cannot decide is put to the Chooser.
//
//   for stage in {before_conntrack, (conntrack lookup) before_nat, (known translation, or) nat, after_nat}: run(…)
//
// Each chain of a hook belongs to exactly one stage, so running all stages in order runs each chain once.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/engine/choice.h"
#include "egtrace/engine/datapath/conntrack.h"
#include "egtrace/engine/network_state.h"
#include "egtrace/engine/record.h"
#include "egtrace/host/host.h"
#include "egtrace/host/netfilter.h"
#include "egtrace/packet/packet.h"

namespace egt::engine {

enum class NetfilterStage : std::uint8_t {
  before_conntrack,  // prerouting, output: priority < -200 (raw); nothing in the other hooks
  before_nat,        // filter and route chains before the NAT priority of the hook; in forward: all chains
  nat,               // nat-type chains: call it only for the first packet of a tracked connection
  after_nat,         // the rest
};

// What TEE or dup sends besides. Without a gateway: the frame as it is, by `device`; without either its path is not known.
struct PacketCopy {
  FlowKey packet;  // as it was then
  std::optional<IpAddr> gateway;
  std::string device;
  std::vector<Provenance> evidence;
};

struct NetfilterContext {
  FlowKey& packet;                 // pkt_mark is the skb mark; only that is written
  std::string iif = {}, oif = {};  // device names; empty where the hook has none (oif in prerouting …)
  PacketState state = PacketState::none;
  // The connection of the packet, or the one that is being set up; null when untracked, invalid or before conntrack.
  // `ct mark set` writes to it.
  Connection* connection = nullptr;
  std::optional<Connection> carrier = {};  // set by "ct zone set" before conntrack: `connection` is this one then
  bool reply_direction = false;
  bool confirmed = false;                       // an earlier packet of the connection has passed all hooks
  std::uint16_t zone = 0;                       // of the connection
  bool local_socket = false;                    // made by (output) or going to a process of this host: owner tests are open
  bool sport_open = false, dport_open = false;  // the kernel chose it when it translated: what stands for it decides nothing
  std::uint32_t length = 60;                    // bytes of the IP packet
  bool length_known = false;                    // not only presumed
  // The connection rests on a setting that no dump shows; without it the packet would be invalid.
  bool presumed = false;
  // Type of an address in the routing tables; `device` not empty: only as seen on that device. `of_flow`: nft asks with the
  // packet's other address and protocol, -m addrtype for the address alone. Unset: by the addresses of the host's devices.
  std::function<netfilter::AddressType(const IpAddr& address, std::string_view device, bool of_flow)> address_type = {};
  // Devices of the route to `to` from `from` (mark and protocol as given, 0: not shown), one a next hop, in the table's
  // order; none: no route that leads out. Absent: the dumps do not show. Unset: fib device tests are put to the Chooser.
  std::function<std::optional<std::vector<std::string>>(const IpAddr& to, const IpAddr& from, std::uint32_t mark,
                                                        std::uint8_t proto)>
      route_devices = {};
  // Sends a copy before the packet goes on. Unset: the packet is a copy itself, of which none are made.
  std::function<void(PacketCopy)> duplicate = {};
};

// What a nat chain decided for the connection that this packet opens.
struct NatDecision {
  netfilter::NatTarget::Kind kind = netfilter::NatTarget::Kind::snat;
  // New source (snat, netmap in postrouting and input) or destination (dnat, netmap else). Absent: masquerade and
  // redirect, where the caller picks the device's address, and translations of the port alone.
  std::optional<IpAddr> address;
  std::optional<std::uint16_t> port;  // absent: kept
  bool only_port = false;             // no other will do: where it is taken, the packet is lost
  bool port_uncertain = false;        // random, or a range out of which the kernel picks: `port` is one of them
  bool source = false;                // source (snat, masquerade) or destination (dnat, redirect)
  const netfilter::Rule* rule = nullptr;
  std::string front_end, table, chain;  // "iptables", "ip6tables", "nft"
  std::vector<Provenance> evidence;
};

struct HookResult {
  // inconclusive: a statement that was not understood applies to the packet. sent: it leaves as a frame by `device`.
  enum class Outcome : std::uint8_t { accepted, dropped, rejected, inconclusive, sent };
  Outcome outcome = Outcome::accepted;
  Place where;  // neither is filled when accepted
  Cause why;
  std::string reject_with;           // rejected: "icmp-port-unreachable", "tcp-reset", …
  std::string device;                // sent
  std::vector<Provenance> evidence;  // of the outcome
  std::optional<NatDecision> nat;    // stage nat only
  // A chain of type route (or iptables' mangle OUTPUT) changed mark, addresses or DSCP: the packet is routed anew.
  bool mark_changed_in_route_chain = false;
  bool untracked = false;             // notrack: skip conntrack and nat
  std::optional<std::uint16_t> zone;  // set by "ct zone set"
  std::optional<netfilter::Tproxy> tproxy;

  bool asked_presumed = false;  // a rule had done something else with an invalid packet

  bool goes_on() const { return outcome == Outcome::accepted; }
};

class NetfilterEngine {
 public:
  // `family`: of the packet. The host, network state, record and chooser must outlive the engine. `node` names steps and gaps.
  NetfilterEngine(const host::Host& host, Family family, std::string node, NetworkState& network_state, Record& record,
                  Chooser& chooser);
  ~NetfilterEngine();

  HookResult run(netfilter::Hook hook, NetfilterStage stage, NetfilterContext& context);

  // Whether anything of this host needs connections: a nat chain or a rule that reads or sets conntrack. Without, the
  // kernel keeps no entries and translates nothing.
  bool uses_conntrack() const;
  // Whether any rule masquerades.
  bool may_masquerade() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace egt::engine
