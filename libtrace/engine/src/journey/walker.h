// One run of one packet: hands it from bridge to host to wire until its path ends.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "device_stack.h"
#include "egtrace/engine/host.h"
#include "egtrace/engine/journey.h"
#include "egtrace/engine/netfilter.h"
#include "egtrace/engine/ovs.h"
#include "pod_stack.h"
#include "topology.h"

namespace egt::engine {

// Places at which a packet can be.
struct AtPort {  // about to enter a bridge
  const cluster::Node* node = nullptr;
  const openflow::Bridge* bridge = nullptr;
  std::uint32_t ofport = 0;
  FlowKey packet;
  bool by_patch = false;  // from another bridge of the switch
};
struct AtHost {  // about to be received by a network stack
  const cluster::Node* node = nullptr;
  std::string device;
  FlowKey packet;
  std::string by_port{};  // of the Linux bridge `device`: by which the frame came; empty: none
};
struct AtDevice {  // about to be sent by a device of the host
  const cluster::Node* node = nullptr;
  std::string device;
  FlowKey packet;
  bool by_stack = true;     // which has asked the device's MTU and its rules at egress already
  std::string leaves_by{};  // the bridge or upper device that sends by this one; empty: none
};
struct OnWire {  // left the lowest device of a node
  const cluster::Node* node = nullptr;
  std::string device;
  FlowKey packet;
  std::string leaves_by{};  // as of AtDevice
};
struct AtPod {
  Endpoint pod;
  FlowKey packet;
};
struct AtProcess {  // or the end of a tunnel
  const cluster::Node* node = nullptr;
  std::string device;
  FlowKey packet;
  const openflow::Bridge* taken_by = nullptr;  // the userspace datapath that takes it before the host sees it
};
struct InTunnel {  // left a tunnel port; the inner packet with its tunnel fields
  const cluster::Node* node = nullptr;
  const openflow::Interface* port = nullptr;
  const openflow::Bridge* bridge = nullptr;
  FlowKey packet;
};

constexpr int kMostPlaces = 96;         // bridges, hosts and wires that one packet may cross between two routers
constexpr int kMostPlacesInAll = 4096;  // with those of its copies

using Position = std::variant<AtPort, AtHost, AtDevice, OnWire, AtPod, AtProcess, InTunnel>;

struct Arrival {
  Verdict verdict = Verdict::inconclusive;
  std::optional<Stop> stop;
  Endpoint end;
  FlowKey packet;
  bool left_snapshot = false;
  bool size_learned = false, refusal_accepted = false;  // as in WalkedPath
};

class Walker {
 public:
  Walker(const cluster::Cluster& cluster, const Topology& topology, SwitchSessions& sessions, const JourneyOptions& options,
         NetworkState& network_state, Record& record, Chooser& chooser)
      : cluster_(cluster),
        topology_(topology),
        sessions_(sessions),
        options_(options),
        network_state_(network_state),
        record_(record),
        chooser_(chooser),
        frame_length_(options.packet_length) {}

  // Sets `sent` to the packet as its sender puts it on the way.
  Arrival walk(const Start& start, FlowKey& sent);

  const std::optional<Egress>& egress() const { return egress_; }
  bool undecided() const { return undecided_; }

 private:
  struct Next {
    std::vector<Position> places;
    std::optional<Arrival> arrival;
  };

  Arrival follow(Position place, int budget);
  Arrival follow_copies(std::vector<Position> places, int budget);
  bool counts_before(const Arrival& a, const Record& of_a, const Arrival& b, const Record& of_b) const;
  Next step(AtPort at);
  Next step(AtHost at);
  Next step(AtDevice at);
  Next step(OnWire at);
  Next step(AtPod at);
  Next step(AtProcess at);
  Next step(InTunnel at);

  Next begin(const Start& start, FlowKey& sent);
  Next begin_pod(const Start& start, FlowKey& sent);
  std::optional<Arrival> send_by_other_network(Endpoint& pod, const IpAddr& to);
  std::optional<Next> route_in_pod(const PodStack& stack, const Start& start, PodNextHop& hop, FlowKey& packet);
  Next refused_in_pod(const Start& start, Stop where, const char* error);
  // pod_rules.cpp; `opens`: the packet is the first of its connection
  std::optional<Next> filter_in_pod(const Endpoint& pod, const PodStack& stack, FlowKey& packet, bool opens, bool sends);
  Next rewritten_in_pod(const Endpoint& pod);
  Next ended_in_pod(const Endpoint& pod, const HookResult& result);
  std::optional<Next> translated_in_pod(const Endpoint& pod, const PodStack& stack, const NatDecision& nat, bool sends);
  bool may_open(const FlowKey& packet) const;
  Cause not_for_pod(const AtPod& at, const PodStack& stack) const;
  Next begin_process(const Start& start, FlowKey& sent);
  Next begin_outside(const Start& start, FlowKey& sent);
  WireEnd router_entry(const FlowKey& packet) const;
  Next number_missing(const AtPort& at);
  Next after_ovs(const cluster::Node& node, OvsResult result);
  Position position_of(const cluster::Node& node, const OvsEmission& emission);
  Next answered_by_ovs(const cluster::Node& node, const OvsEmission& answer);
  Next refused_by_host(const cluster::Node& node, const HostOutcome& refusal);
  bool is_amid_connection() const;
  bool ends_connection(const FlowKey& refusal, std::string_view with) const;
  std::optional<Next> pass_hook(const cluster::Node& node, netfilter::Hook hook, const std::string& device, FlowKey& packet);
  Next take_off_wire(const WireEnd& end, const OnWire& at);
  Next no_taker(const OnWire& at);
  std::optional<Next> cross_physical_network(const OnWire& at);
  std::size_t choose_taker(const OnWire& at, const std::vector<WireEnd>& ends);
  Next receive(const cluster::Node& node, Foot wire, FlowKey packet);
  std::optional<Next> climb(AtHost& at);
  Next enter_switch(const cluster::Node& node, const std::string& device, FlowKey packet);
  std::optional<Next> leave_untagged(const cluster::Node& node, const std::string& device, FlowKey& packet);
  Next send_below(const AtDevice& at, const host::Link& device);
  Next enter_host_tunnel(const AtDevice& at, const host::Link& device, const std::string& leaves_by);
  std::optional<Next> filter_vlan(const cluster::Node& node, const host::Link& bridge, const host::Link& from,
                                  const host::Link* to, FlowKey& packet);
  Next forward_by_bridge(const AtHost& at, const host::Link& bridge);
  Next open_forwarding(const cluster::Node& node, const std::string& device, Statement<Input> missing, Cause why,
                       std::vector<Provenance> evidence);

  // walker_tunnel.cpp
  Arrival carry(const InTunnel& at, FlowKey& outer);
  Arrival carry_by_switch(const InTunnel& at, FlowKey& outer);
  Arrival carry_on(const FlowKey& outer, const cluster::Node& from, Arrival last);
  bool ends_tunnel(const cluster::Node& node, const openflow::Bridge& bridge, const openflow::Interface& port,
                   const FlowKey& packet) const;
  void note_encapsulation(const InTunnel& at, const Encap& encap);
  void adopt(const Record& outer, const InTunnel& at, const Encap& encap, bool arrived);
  Next lost_in_tunnel(const Arrival& outer, const Encap& encap);
  Next decapsulate(const Arrival& outer, const InTunnel& at, const Encap& sent);

  void see(const cluster::Node& node, const std::string& device, bool in, const FlowKey& packet);
  void see_on_bridge(const AtHost& at, const HostOutcome& outcome, std::size_t before);
  void see_copies(const cluster::Node& node, const HostOutcome& outcome);
  Next stop(Verdict verdict, Stop where);
  Next gap(const cluster::Node& node, Layer layer, Statement<Input> missing, Reason why);
  std::optional<Arrival> no_link(const Endpoint& pod, const FlowKey& packet);
  bool is_lost_at_home(const cluster::Node& node, const LocalSend& refusal);
  std::optional<Arrival> check_own_size(const Endpoint& pod, const FlowKey& packet);
  // Ends a packet that is too large for the device; notes what would fit.
  std::optional<Next> check_size(const cluster::Node& node, const std::string& device);
  std::uint32_t frame_length() const;            // of the packet under way
  void take_length(const HostOutcome& outcome);  // of what a host sends on
  HostOptions host_options() const;
  void presume(const cluster::Node& node, Record& record);
  Stop with_transport(Stop stop) const;
  void presume_device(const cluster::Node& node, const std::string& device);
  HostEngine host(const cluster::Node& node);
  OvsResult run_ovs(const cluster::Node& node, const openflow::Bridge& bridge, std::uint32_t ofport, const FlowKey& packet,
                    Record& record);

  const cluster::Cluster& cluster_;
  const Topology& topology_;
  SwitchSessions& sessions_;
  const JourneyOptions& options_;
  NetworkState& network_state_;
  Record& record_;
  Chooser& chooser_;
  std::optional<Egress> egress_;
  Endpoint from_;
  std::optional<Client> client_;
  FlowKey sent_;
  std::uint32_t frame_length_;      // of the one that was asked about, or of its fragments
  std::optional<EspOverhead> esp_;  // the packet under way is encrypted
  bool undecided_ = false;
  std::optional<Tuple> quoted_;        // answering with an ICMP error: the packet that it quotes
  const InTunnel* carried_ = nullptr;  // the packet under way is the outer one of this
  int places_left_ = kMostPlacesInAll;
  int tunnels_ = 0;         // how many this one is within
  bool answering_ = false;  // the packet under way is the refusal of the one that was asked about
};

bool userspace_datapath(const openflow::Bridge& bridge);
// LOCAL where no dump has the number of the port of the bridge's name; `none` where no dump has that of another.
std::uint32_t number_of(const openflow::Bridge& bridge, const openflow::Interface& port);
Layer layer_of(const cluster::Node& node);  // host, or router for nodes that are no cluster nodes

}  // namespace egt::engine
