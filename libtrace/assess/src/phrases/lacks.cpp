#include <fmt/format.h>

#include <set>

#include "egtrace/base/fill.h"
#include "phrases/phrases.h"

namespace egt::assess {
namespace {

constexpr Wording<Lack> kLacks[] = {
    // objects, without which a check has nothing to look at
    {Lack::egress_ips, "no EgressIP objects (oc get egressips -o yaml)"},
    {Lack::egress_services, "no EgressService objects (oc get egressservices -A -o yaml)"},
    {Lack::external_routes, "no AdminPolicyBasedExternalRoute objects (oc get adminpolicybasedexternalroutes -o yaml)"},
    {Lack::services, "no Service objects (oc get services,endpointslices -A -o yaml)"},
    {Lack::pods, "no Pod objects (oc get pods -A -o yaml)"},
    {Lack::nodes, "no Node objects (oc get nodes -o yaml)"},
    {Lack::egress_firewalls, "no EgressFirewall objects (oc get egressfirewalls -A -o yaml)"},
    {Lack::egress_qoses, "no EgressQoS objects (oc get egressqoses -A -o yaml)"},
    {Lack::admin_policies, "no AdminNetworkPolicy objects (oc get adminnetworkpolicies,baselineadminnetworkpolicies -o yaml)"},
    {Lack::network_policies, "no NetworkPolicy objects (oc get networkpolicies -A -o yaml)"},
    // dumps, likewise
    {Lack::gateway_rules, "no dumps of a gateway or router (iptables-save)"},
    {Lack::gateway_counters, "no dumps of a gateway or router (iptables-save -c)"},
    {Lack::gateway_rules_and_routes, "no dumps of a gateway or router (iptables-save, ip route)"},
    {Lack::second_dumps, "one dump of each alone (ovs-ofctl dump-flows br-int and iptables-save -c, each taken twice)"},
    {Lack::tunnel_keys, "no tunnel keys (ovn-sbctl list port_binding, ovn-sbctl list datapath_binding)"},
    {Lack::flows_of_both_kinds,
     "no node with both its OpenFlow flows and its logical flows with their ports and chassis (the southbound database)"},
    // what a check did not see, and where
    {Lack::upstream_routes, "dumps of the upstream router (ip route)"},
    {Lack::upstream_routes_and_neighbours, "dumps of the upstream router (ip route, ip neigh)"},
    {Lack::node_conditions, "the conditions of Node objects (oc get nodes -o yaml)"},
    {Lack::mark_of_egress_ip, "the mark of EgressIP {0} (annotation k8s.ovn.org/egressip-mark)"},
    {Lack::devices, "the devices of {0} (ip -d link)"},
    {Lack::addresses, "addresses of {0} (ip addr)"},
    {Lack::addresses_and_devices, "the addresses of {0} (ip -d addr)"},
    {Lack::neighbours, "neighbours of {0} (ip neigh)"},
    {Lack::policy_rules, "policy rules of {0} (ip rule)"},
    {Lack::routes, "routes of {0} (ip route show table all)"},
    {Lack::sysctls, "sysctls of {0} (sysctl -a)"},
    {Lack::nat_rules, "NAT rules of {0} (iptables-save, nft list ruleset)"},
    {Lack::connections, "connections of {0} (conntrack -L)"},
    {Lack::all_connections, "connections (conntrack -L, ovs-appctl dpctl/dump-conntrack)"},
    {Lack::interfaces, "interfaces of {0} (ovs-vsctl show)"},
    {Lack::interface_rows, "interfaces of {0} (ovs-vsctl list interface)"},
    {Lack::bridge_flows, "all flows of the external bridge of {0}"},
    {Lack::logical_flows, "the logical flows of {0} (ovn-sbctl --uuid lflow-list)"},
    {Lack::flows_of_either_kind, "logical flows with UUIDs, or the flows, of {0} (ovn-sbctl --uuid lflow-list)"},
    {Lack::chassis, "the chassis of {0} (ovn-sbctl list chassis)"},
    {Lack::mac_bindings, "MAC bindings (ovn-sbctl list mac_binding, ovn-nbctl list static_mac_binding)"},
    {Lack::controller_connection, "whether ovn-controller of {0} is connected (ovn-appctl -t ovn-controller connection-status)"},
    {Lack::change_counts, "what was done of the northbound database (ovn-nbctl list nb_global)"},
    {Lack::acls, "ACLs of {0} (ovn-nbctl list acl)"},
    {Lack::qos_rows, "QoS rows of {0} (ovn-nbctl list qos)"},
    {Lack::bfd_sessions, "BFD sessions of {0} (ovn-nbctl list bfd, ovn-sbctl list bfd)"},
    {Lack::time_of_certificates, "when certificates of {0} were listed (archives of sos report and egtrace collect have it)"},
    {Lack::nat_rows, "NAT rows of {0} (ovn-nbctl list nat)"},
    {Lack::routes_of_routers,
     "routes of logical routers of {0} (ovn-nbctl list logical_router, logical_router_port, logical_router_static_route)"},
    {Lack::load_balancers, "load balancers of {0} (ovn-nbctl list load_balancer)"},
    {Lack::static_routes, "static routes of {0} (ovn-nbctl list logical_router_static_route)"},
    {Lack::router_policies, "router policies of {0} (ovn-nbctl list logical_router_policy)"},
    {Lack::policies_of_all_routers, "policies of logical routers on {0} (ovn-nbctl list logical_router_policy)"},
    {Lack::served_pods, "the address set of served pods of {0} (ovn-nbctl list address_set)"},
    {Lack::connections_not_compared, "{0} of {1} connections were compared"},
};
static_assert(is_complete(kLacks));

}  // namespace

std::string phrase(const Missing& missing) { return fill(words_of(kLacks, missing.lack), missing.about); }

std::string phrase(const std::vector<Missing>& all) {
  std::set<std::string> texts;
  for (const Missing& missing : all) texts.insert(phrase(missing));
  return fmt::format("the snapshot lacks {}", fmt::join(texts, ", "));
}

}  // namespace egt::assess
