// Everything known of one Linux network namespace: the host side of a node. A part that is absent was not in the
// snapshot; a part that is present and empty was printed empty.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "egtrace/host/conntrack_entry.h"
#include "egtrace/host/device_filter.h"
#include "egtrace/host/ipsec.h"
#include "egtrace/host/ipset.h"
#include "egtrace/host/link.h"
#include "egtrace/host/netfilter.h"
#include "egtrace/host/routing.h"
#include "egtrace/host/sockets.h"

namespace egt::host {

// "net.ipv4.conf.br-ex.rp_filter" → value and the line that shows it.
struct SysctlValue {
  std::string value;
  Provenance from;
};

// A part of a dump set. `partial`: an excerpt, so that absence proves nothing.
template <class T>
struct Part {
  bool present = false;
  bool partial = false;
  T value{};
  Provenance from;
};

// Tables of routes, by canonical name, that several dumps show with the same routes.
struct ConfirmedTables {
  std::set<std::string> v4, v6;
};

// A line of /etc/hosts (hosts(5)).
struct HostsEntry {
  IpAddr address;
  std::vector<std::string> names;
  Provenance from;
};

struct Host {
  Part<std::vector<Link>> links;  // with their addresses; partial until both of these are complete:
  bool link_list_complete = false, address_list_complete = false;
  Part<std::vector<BridgedVlans>> bridged_vlans;
  Part<std::vector<Neighbour>> neighbours;
  Part<std::vector<PolicyRule>> rules_v4, rules_v6;
  Part<std::vector<Route>> routes_v4, routes_v6;
  Part<std::vector<NextHopObject>> next_hop_objects;
  std::vector<PathMtu> path_mtus;  // of both versions
  RouteSource routes_v4_by = RouteSource::kernel, routes_v6_by = RouteSource::kernel;
  RoutingDaemon routing_daemon;                       // what it shows decides where no dump shows the kernel's routes
  Part<netfilter::Ruleset> iptables_v4, iptables_v6;  // iptables-save, whatever its backend
  Part<netfilter::Ruleset> iptables_legacy_v4, iptables_legacy_v6;
  Part<netfilter::Ruleset> nft;  // native tables, and those of iptables-nft where nothing better exists
  Part<IpSets> ipsets;           // by name
  IpSetChanges ipset_changes;    // by rules of iptables
  Part<std::map<std::string, SysctlValue>> sysctl;
  Part<std::vector<ConntrackEntry>> conntrack;      // of the kernel, all zones
  Part<std::vector<ConntrackEntry>> ovs_conntrack;  // of Open vSwitch's datapath; the kernel's if that is the datapath
  Part<Sockets> sockets;
  Part<std::vector<IpsecPolicy>> ipsec_policies;
  Part<std::vector<IpsecAssociation>> ipsec_associations;
  Part<std::vector<IpsecConnection>> ipsec_connections;
  std::vector<IpsecCertificate> ipsec_certificates;
  std::vector<DeviceFilter> device_filters;
  std::vector<Address> addresses_without_route;  // at work, but the dump of routes lacks what the kernel makes of them
  std::vector<HostsEntry> hosts;

  const Link* link(std::string_view name) const;
  const Link* owner_of(const IpAddr& a) const;  // the device that has this address
  const SysctlValue* sysctl_value(const std::string& key) const;
  // Fills the routes of families that no dump of the kernel shows with what the routing daemon shows, and the next hops of routes that name
  // an object alone. To be called once all dumps are loaded; calling it more often does no harm.
  void settle_routes();
  // Takes routes for a part of the whole where one is missing that the kernel makes of an address, unless two dumps show
  // its table without it: then it was deleted. Fills `addresses_without_route`, with one address a family. To be called last.
  void notice_missing_routes(const ConfirmedTables& confirmed);
};

}  // namespace egt::host
