// One packet through the network stack of one host. The parts, in the order in which a forwarded packet meets them:
// host_receive.cpp (checks on arrival, input route, forwarding, local delivery), host_hooks.cpp (netfilter, conntrack,
// NAT), host_route.cpp (route and next hop), host_transmit.cpp (neighbour, device), host_send.cpp (packets that are made
// here), host_ipsec.cpp (policies of IPsec), host_copy.cpp (what TEE and dup send besides), host_refuse.cpp (how a packet ends that goes no further).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "egtrace/engine/host.h"
#include "egtrace/engine/netfilter.h"
#include "egtrace/engine/routing.h"
#include "kernel_conntrack.h"
#include "refusal.h"
#include "source_validation.h"
#include "sysctl_view.h"

namespace egt::engine {

class HostWalk {
 public:
  HostWalk(const cluster::Node& node, NetworkState& network_state, Record& record, Chooser& chooser,
           const NeighbourOracle& neighbours, const FlowKey& packet, HostOptions options);

  HostOutcome receive(const std::string& device);
  HostOutcome send(const LocalSend& what);
  HostOutcome pass_device(const std::string& device, netfilter::Hook hook);
  // What TEE or dup makes of a packet; `passing`: of one that no process of this host sent.
  HostOutcome send_copy(const PacketCopy& copy, bool passing, int depth);

 private:
  using Ended = std::optional<HostOutcome>;  // empty: the packet goes on

  // A route with the next hop that is taken.
  struct Taken {
    RouteAnswer answer;
    std::size_t hop = 0;
    std::string device;
    std::optional<IpAddr> gateway;
  };

  // --- host_receive.cpp
  Ended check_device();
  Ended check_frame();
  Ended check_addresses();
  Ended reassemble();
  Ended enter_vrf();
  HostOutcome route_input();
  Ended check_source(const std::string& out_device, bool to_everybody = false);
  HostOutcome deliver();
  HostOutcome forward(const Taken& route);
  Setting bridge_calls() const;
  bool asked_by_bridge() const;
  Ended check_bridge(const Taken& route);
  Ended check_forwarding();
  Ended check_egress(const RouteAnswer& answer);
  Ended check_ttl();
  Ended check_scope(const Taken& route);
  Ended check_length(const Taken& route);
  struct Mtu {
    std::uint32_t bytes = 0;  // 0: not known
    Provenance from;
    std::uint32_t may_pass = 0;  // larger where it is not known what encryption adds
  };
  bool is_too_long(const Taken& route, const Mtu& mtu);
  Mtu mtu_of(const Taken& route) const;
  Mtu plain_mtu_of(const Taken& route) const;
  Ended check_own_length(const Taken& route);
  void fragment(const Taken& route, const Mtu& mtu);

  // --- host_send.cpp
  HostOutcome send_as_frame(const LocalSend& what);
  Ended choose_local_source(const LocalSend& what, Taken& route);
  Ended reroute(Taken& route);
  bool follows_source_rules(const LocalSend& what, const Taken& first);
  Ended check_loopback_source(const Taken& route);
  HostOutcome loop_back();
  Ended check_looped_source();
  Ended no_local_route(const RouteAnswer& answer);
  Ended check_echo();
  void set_own_ttl(const std::string& device);
  void take_unbound_source(const RouteQuery& query, RouteAnswer& answer);
  bool retry_with_source(const RouteQuery& query, RouteAnswer& answer);
  void stay_on_link(const RouteQuery& query, Taken& route) const;
  Ended stay_on_link_again(const RouteQuery& query, Taken& route);
  Ended refused_by_tcp(const RouteAnswer& answer);
  Ended check_own_source(const LocalSend& what);

  // --- host_hooks.cpp
  Ended pass(netfilter::Hook hook, Taken* output = nullptr);
  Ended run(netfilter::Hook hook, NetfilterStage stage, Taken* output);
  void track(const HookResult& raw, netfilter::Hook hook);
  Ended translate(netfilter::Hook hook, Taken* output);
  Ended bind(const NatDecision& decision, netfilter::Hook hook);
  void keep_addresses(bool source);
  Ended confirm();
  Ended check_masquerade();
  std::string device_of_masquerade(const Connection& c);
  void assume_pick_up();
  void assume_another_port(const std::vector<Provenance>& evidence);
  std::optional<IpAddr> translation_address(const NatDecision& decision, netfilter::Hook hook, std::vector<Provenance>& evidence);
  void note_translation(const Applied& applied, const std::string& by, bool by_connection, std::vector<Provenance> evidence);
  NetfilterContext context(netfilter::Hook hook);
  netfilter::AddressType address_type_v6(const IpAddr& a, std::string_view device, bool of_flow) const;
  bool shows_rules() const;
  bool source_is_open() const;
  void assume_no_rules();

  // --- host_ipsec.cpp
  Tuple as_policies_see(bool arriving) const;
  Ended check_ipsec(host::IpsecDirection direction);
  HostOutcome blocked_by_ipsec(const host::IpsecPolicy& policy, Cause why) const;
  std::optional<EspOverhead> esp_towards(const std::string& device) const;
  Ended protect(const host::IpsecPolicy& policy, const Tuple& packet);
  Ended check_protection(const host::IpsecPolicy& policy);

  // --- host_copy.cpp
  void duplicate(PacketCopy copy, netfilter::Hook hook);
  HostOutcome walk_copy(const PacketCopy& copy);
  Ended send_frame(const HookResult& by);

  // --- host_route.cpp
  RouteAnswer look_up(const RouteQuery& query);
  void note_misses(std::vector<RouteMiss> misses);
  RouteQuery as_rules_see(RouteQuery query) const;
  Taken take_hop(RouteAnswer answer, bool again = false);
  std::size_t share_load(const RouteAnswer& answer, bool again);
  bool hashes_anew() const;
  bool hashes_ports() const;
  void keep_hop(const Tuple& unbound);
  std::optional<IpAddr> gateway_of(const RouteHop& hop) const;
  void note_route(const Taken& taken, std::optional<IpAddr> source);
  void note(const std::vector<Assumption>& assumptions, bool decided);
  bool know(const Setting& setting, bool otherwise, Supposition needed);

  // --- host_transmit.cpp
  HostOutcome leave(const Taken& route);
  HostOutcome transmit(const Taken& route);
  HostOutcome without_carrier(const Taken& route, const host::Link& link);
  HostOutcome arp_off(const std::string& device) const;
  Ended find_mac(const Taken& route, const IpAddr& next);

  // --- host_refuse.cpp
  HostOutcome outcome(HostOutcome::Kind kind) const;
  HostOutcome stopped(HostOutcome::Kind kind, Place where, Cause why, std::vector<Provenance> evidence) const;
  HostOutcome dropped(Place where, Cause why, std::vector<Provenance> evidence = {}) const;
  HostOutcome inconclusive(Place where, Cause why, std::vector<Provenance> evidence = {}) const;
  HostOutcome rejected(const std::string& with, Place where, Cause why, std::vector<Provenance> evidence);
  bool by_bridge();
  LocalSend reset_frame() const;
  HostOutcome failed_route(const RouteAnswer& answer);
  struct ErrorSource {
    IpAddr address;
    bool by_route = false;  // the route to the sender decides
  };
  std::optional<ErrorSource> error_source(IcmpError error);
  std::optional<Attached> its_connection() const;
  IpAddr sender() const;
  std::string link_of_sender() const;
  std::optional<ErrorSource> error_source_v6(const RouteQuery& query, const RouteAnswer& back, bool found);
  void assume(Assumption assumption);
  void gap(Input input, Details about = {}) { record_.gap({node_.name, input, std::move(about)}); }

  Family family() const { return to_.family; }
  bool made_here() const { return in_.empty(); }

  const cluster::Node& node_;
  const host::Host& host_;
  NetworkState& network_state_;
  Record& record_;
  Chooser& chooser_;
  const NeighbourOracle& neighbours_;
  HostOptions options_;
  Layer layer_;
  FlowKey packet_;
  Tuple entered_;         // before any translation of this host
  const IpAddr to_;       // likewise
  std::string in_, out_;  // devices; in_ is empty for packets that are made here
  std::string bound_device_;
  std::optional<Tuple> refused_;  // of an error message of this host: the packet that it quotes
  IpAddr next_hop_;               // valid from the output route on
  NetfilterEngine netfilter_;
  KernelConntrack conntrack_;
  std::optional<Applied> destination_, source_;  // this host's own translations of the packet
  std::uint32_t reassembled_ = 0;                // ip_frag of the fragment that the packet was put together from
  bool by_switch_ = false;    // what the userspace datapath sends: no rule and no neighbour entry of the host applies
  bool passed_port_ = false;  // PREROUTING has run on a bridge's port
  std::optional<std::pair<FlowKey, std::size_t>> on_bridge_;     // and this is what the bridge's device shows
  bool looped_ = false;                                          // came back by lo
  bool route_lost_ = false;                                      // and has to be routed there once more
  bool hashed_without_source_ = false;                           // which of several next hops a socket takes
  bool taken_by_proxy_ = false;                                  // TPROXY gave the packet to a socket
  bool passing_copy_ = false;                                    // a copy of a packet that has no socket here
  int copy_depth_ = 0;                                           // copies of copies; 0: the packet itself
  int own_copies_left_ = 32, *copies_left_ = &own_copies_left_;  // that are walked, of the packet and of its copies together
  std::vector<HostOutcome> copies_;
};

// Whether two lookups lead the same way.
bool same_hops(const RouteAnswer& a, const RouteAnswer& b);

// Nodes that are no cluster nodes are the path's routers and servers.
Layer layer_of_host(const cluster::Node& node);

}  // namespace egt::engine
