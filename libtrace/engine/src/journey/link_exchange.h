// Whether ARP or neighbour discovery between two nodes passes what the nodes themselves decide: the flows of the
// bridges of Open vSwitch by whose devices they send and the netfilter rules of both hosts.
#pragma once

#include <functional>

#include "device_index.h"
#include "egtrace/engine/host.h"
#include "egtrace/engine/link_answer.h"
#include "egtrace/engine/ovs.h"

namespace egt::engine {

// What flows of Open vSwitch answer to ARP or neighbour discovery.
struct FlowAnswer {
  std::optional<MacAddr> mac;  // none: they drop the request, or it is undecided
  std::vector<Provenance> evidence;
  bool undecided = false;  // what decides, no dump shows
};

struct LinkExchange {
  WireEnd asker, owner;  // by the devices that have the addresses
  LinkQuestion question;
};

// Lost is the request or its answer. What the flows leave open passes.
NeighbourOracle::Exchange follow_exchange(const LinkExchange& exchange);

// The same where OVN answers, or a device that no dump shows: the rules of the asker's host about ARP alone.
NeighbourOracle::Exchange follow_own_arp(const WireEnd& asker, const LinkQuestion& question);

// What the flows of Open vSwitch answer to a device of the bridge that asks for an address, as OVN's do for the ports of a logical
// switch. None where they let others answer, or the dumps leave it open.
std::optional<FlowAnswer> find_answer_by_flows(SwitchSessions& sessions, const WireEnd& asker, const LinkQuestion& question);

// A pod's stack that asks by its port of Open vSwitch.
struct PortAsker {
  const cluster::Node* node = nullptr;
  const openflow::Bridge* bridge = nullptr;
  const openflow::Interface* port = nullptr;
  MacAddr mac;
  IpAddr address;
};

// The same for a pod, which may be undecided. `may_answer`: whether what is behind a port may have the address.
std::optional<FlowAnswer> find_answer_to_port(SwitchSessions& sessions, const PortAsker& asker, const IpAddr& wanted,
                                              const std::function<bool(const openflow::Interface&)>& may_answer);

// The MAC that those of another node answer to the wire that `asker` is on: by the bridge that has the device `behind`, as
// OVN's do for external addresses of NAT.
std::optional<FlowAnswer> find_answer_to_wire(SwitchSessions& sessions, const WireEnd& asker, const WireEnd& behind,
                                              const LinkQuestion& question);

}  // namespace egt::engine
