// Looking things up in the dumps of a node, whichever dump showed them.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "egtrace/cluster/cluster.h"
#include "egtrace/engine/excerpt.h"
#include "egtrace/engine/routing.h"

namespace egt::assess {

// Where rows stand: of the first few, as many as a finding shows.
std::vector<Provenance> places_of(const std::vector<const ovn::Row*>& rows);

// A policy of a logical router, from the northbound database or, failing that, from logical flows.
struct Policy {
  std::string uuid, match, action;
  std::uint32_t priority = 0;
  std::vector<IpAddr> next_hops;
  Provenance from;
  std::optional<IpAddr> source;       // the pod that it is about, if about one alone ("ip4.src == 10.0.0.1")
  std::optional<std::uint32_t> mark;  // that it gives packets (options:pkt_mark)
  bool is_for_source(const IpAddr& pod) const { return source == pod; }
  bool names(const IpAddr& address) const;
};
// `complete` shows whether absence proves anything.
struct Policies {
  std::vector<Policy> all;
  bool complete = false;  // of the cluster router of the default network
  bool complete_of_all_routers = false;
};
Policies policies_of(const cluster::Node& node);

struct NatRow {
  std::string type, external_ip, logical_ip, router;
  Provenance from;
  std::optional<IpAddr> external;  // as external_ip and logical_ip have them
  std::optional<Prefix> logical;
};
class NatRows {
 public:
  std::vector<NatRow> all;
  bool complete = false;

  void add(NatRow row);
  // Those whose logical address is this one or a network that has it, in the database's order.
  std::vector<const NatRow*> of(const IpAddr& logical) const;

 private:
  std::map<Prefix, std::vector<std::size_t>> by_network_;  // indices into `all`
  std::set<std::pair<Family, std::uint8_t>> lengths_;      // of these networks
};
NatRows nat_rows_of(const cluster::Node& node);

// The node that a next hop in OVN's networks belongs to: its transit, join or management address. Empty: unknown.
std::string owner_of_next_hop(const cluster::Cluster& cluster, const IpAddr& next_hop);

// The internal port of the integration bridge by which OVN reaches the node's host; it has the MTU of pods. Null: not shown.
const host::Link* management_device(const cluster::Node& node);

// Whose rules, routes and settings are evidence: without those that are presumed. (What is never presumed, and addresses,
// which are those that objects show, are read in the node's own.)
const host::Host& dumped_host(const cluster::Node& node);

// A device by which no frame passes: down, or without a carrier.
bool is_dead(const host::Link& link);
// Whether frames leave the node by no wire from here: a device without a carrier, or that of a bridge all wires of which have none.
bool has_no_wire(const cluster::Node& node, const std::string& device);

// Source translations of a node's host that a packet from this pod passes the address test of.
std::vector<engine::JudgedRule> host_snat_for(const cluster::Node& node, const IpAddr& pod, const IpAddr& destination);
// Whether the rule translates to this address.
bool translates_to(const engine::JudgedRule& rule, const IpAddr& address);
bool has_nat_rules(const cluster::Node& node, Family family);

// What the load balancers of a node's northbound database know of a service's address. other_addresses: there are load
// balancers of the service, with other addresses: objects and database are of different moments.
// The key of a load balancer's vips: "10.96.0.1:443", "[fd00::1]:443".
std::string vip_of(const IpAddr& address, std::uint16_t port);
enum class VipState : std::uint8_t { present, absent, other_addresses, unknown };
VipState vip_state(const cluster::Node& node, const cluster::Service& service, const IpAddr& address, std::uint16_t port);

// A destination translation with what it asks of a packet, as far as that is a single address and port: a rule, or an element
// of a map that a rule looks up.
struct DnatRule {
  const netfilter::Table* table = nullptr;
  const netfilter::Chain* chain = nullptr;
  const netfilter::Rule* rule = nullptr;
  const netfilter::SetElement* element = nullptr;
  std::string map;  // that holds the element; empty: none, or one without a name
  std::optional<IpAddr> destination, to;
  std::optional<std::uint16_t> port, to_port;
  const Provenance& from() const { return element != nullptr ? element->from : rule->from; }
};
// Of iptables and of nft, each once; of one family.
std::vector<DnatRule> dnat_rules_of(const cluster::Node& node, Family family);

// OVN-Kubernetes writes what a host translates with iptables (chains OVN-KUBE-*) until 2026, since then in table
// inet ovn-kubernetes of nft.
enum class HostFeature : std::uint8_t { services, egress_ips };
struct HostChains {
  std::vector<const netfilter::Chain*> iptables;  // each once, in the order of the dump
  const netfilter::Chain* nft = nullptr;
};
HostChains host_chains(const cluster::Node& node, Family family, HostFeature feature);
// Whether the rules of this table are OVN-Kubernetes' own.
bool is_ovn_kubernetes(const netfilter::Table& table);

const host::Part<std::vector<host::PolicyRule>>& rules_of(const cluster::Node& node, Family family);
const host::Part<std::vector<host::Route>>& routes_of(const cluster::Node& node, Family family);
// Where a node sends packets to `to` that come from outside the cluster, or that it makes itself where it is the outside.
engine::RouteAnswer route_from_outside(const cluster::Cluster& cluster, const cluster::Node& node, const IpAddr& to);

// Nodes of the snapshot that are no cluster nodes: routers, gateways, servers.
std::vector<const cluster::Node*> outside_nodes(const cluster::Cluster& cluster);

}  // namespace egt::assess
