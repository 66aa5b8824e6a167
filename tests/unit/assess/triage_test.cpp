// Each check of the catalogue: a snapshot that has the fault, and one that nearly has it.
#include "egtrace/assess/triage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "egtrace/assess/cause.h"
#include "egtrace/parsers/dump_copies.h"
#include "support/run.h"
#include "support/sample.h"

namespace egt::assess {
namespace {

using egt::testing::Sample;
using Change = std::function<void(Sample&)>;

struct Case {
  std::string id;
  Change fault, nearly;
};

const char* const kPolicies = "master-03-demo/ovn-nbctl_list_logical_router_policy";
const char* const kPolicyList = "master-03-demo/ovn-nbctl_lr-policy-list_ovn_cluster_router";

void as_it_is(Sample&) {}

// iptables-save alone shows the rules of a node.
Sample& only_iptables(Sample& s, const std::string& node) {
  return s.remove(node + "/nft_list_ruleset").remove(node + "/nft_-j_list_ruleset").remove(node + "/iptables_-t_nat_-S");
}

void add_service(Sample& s, const std::string& policy, const std::string& endpoints) {
  s.write("k8s/services.yaml",
          "apiVersion: v1\nkind: Service\nmetadata:\n  name: shop\n  namespace: demo-web\nspec:\n  clusterIP: 172.22.1.1\n"
          "  type: LoadBalancer\n  selector:\n    app: web\n  externalTrafficPolicy: " +
              policy +
              "\n  ports:\n  - port: 8080\n    protocol: TCP\n    targetPort: 8080\nstatus:\n  loadBalancer:\n    ingress:\n"
              "    - ip: 192.168.77.1\n");
  s.write("k8s/endpointslices.yaml",
          "apiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\nmetadata:\n  name: shop-1\n  namespace: demo-web\n  labels:\n"
          "    kubernetes.io/service-name: shop\nendpoints:\n" +
              endpoints);
}

const char* const kWebTwo =
    "- addresses: [10.132.0.39]\n  nodeName: master-02-demo\n  conditions: {ready: true}\n"
    "  targetRef: {kind: Pod, name: web-2, namespace: demo-web}\n";

void add_egress_service(Sample& s, const std::string& host) {
  add_service(s, "Cluster", kWebTwo);
  s.write("k8s/egressservices.yaml",
          "apiVersion: k8s.ovn.org/v1\nkind: EgressService\nmetadata:\n  name: shop\n  namespace: demo-web\nspec:\n"
          "  sourceIPBy: LoadBalancerIP\n" +
              (host.empty() ? "" : "status:\n  host: " + host + "\n"));
}

void add_external_route(Sample& s) {
  s.write("k8s/routes.yaml",
          "apiVersion: k8s.ovn.org/v1\nkind: AdminPolicyBasedExternalRoute\nmetadata:\n  name: blue\nspec:\n  from:\n"
          "    namespaceSelector:\n      matchLabels:\n        kubernetes.io/metadata.name: ns-blue\n  nextHops:\n    static:\n"
          "    - ip: 192.168.99.12\n");
}

std::string policy(const std::string& pod, const std::string& hop) {
  return "\n_uuid               : 11111111-2222-4333-8444-" + std::string(hop.size() > 9 ? "5555555555" : "6666666666") +
         "55\naction              : reroute\nexternal_ids        : {}\nmatch               : \"ip4.src == " + pod +
         "\"\nnexthop             : []\nnexthops            : [\"" + hop +
         "\"]\noptions             : {}\npriority            : 101\n";
}

std::string snat_row(const std::string& pod, const std::string& external, char digit) {
  return "\n_uuid               : 1111111" + std::string(1, digit) +
         "-2222-4333-8444-555555555555\nallowed_ext_ips     : []\nexempted_ext_ips    : []\nexternal_ids        : {}\n"
         "external_ip         : \"" +
         external +
         "\"\nexternal_mac        : []\nexternal_port_range : \"\"\ngateway_port        : []\n"
         "logical_ip          : \"" +
         pod + "\"\nlogical_port        : []\noptions             : {stateless=\"false\"}\ntype                : snat\n";
}

std::string static_route(const std::string& pod, char digit) {
  return "\n_uuid               : 2111111" + std::string(1, digit) +
         "-2222-4333-8444-555555555555\nbfd                 : []\nexternal_ids        : {}\nip_prefix           : \"" + pod +
         "/32\"\nnexthop             : \"192.168.99.12\"\noptions             : {ecmp_symmetric_reply=\"true\"}\noutput_port     "
         "    : []\n"
         "policy              : src-ip\nroute_table         : \"\"\n";
}

// A route of the gateway router of master-03-demo, of which ovn-northd has made nothing.
void add_gateway_route(Sample& s, const std::string& next_hop) {
  std::string row = static_route("10.134.9.21", '1');
  row.replace(row.find("192.168.99.12"), 13, next_hop);
  s.append("master-03-demo/ovn-nbctl_list_logical_router_static_route", row)
      .replace("master-03-demo/ovn-nbctl_list_logical_router", "static_routes       : [3fba0f3a",
               "static_routes       : [21111111-2222-4333-8444-555555555555, 3fba0f3a");
}

std::string mac_binding(const std::string& mac) {
  return "\n_uuid               : 31111111-2222-4333-8444-555555555555\nip                  : \"192.168.99.12\"\n"
         "logical_port        : rtoe-GR_master-03-demo\nmac                 : \"" +
         mac + "\"\noverride_dynamic_mac: true\n";
}

// An ACL that OVN-Kubernetes made, as `ovn-nbctl list acl` prints it; `ids`: those that show what for.
std::string acl(char digit, const std::string& action, const std::string& ids, const std::string& match) {
  return "_uuid               : 4111111" + std::string(1, digit) +
         "-2222-4333-8444-555555555555\naction              : " + action +
         "\ndirection           : to-lport\nexternal_ids        : {" + ids +
         "}\nlabel               : 0\nlog                 : false\n"
         "match               : \"" +
         match +
         "\"\nmeter               : []\nname                : []\noptions             : {}\n"
         "priority            : 10000\nseverity            : []\n\n";
}

std::string firewall_ids(int rule) {
  return "\"k8s.ovn.org/name\"=demo-egress, \"k8s.ovn.org/owner-type\"=EgressFirewall, rule-index=\"" + std::to_string(rule) +
         "\"";
}

// An EgressFirewall of two rules, the second for a name, with what OVN has of it.
void add_egress_firewall(Sample& s, const std::string& first_action, const std::string& resolved) {
  s.write("k8s/egressfirewalls.yaml",
          "apiVersion: v1\nkind: List\nitems:\n- apiVersion: k8s.ovn.org/v1\n  kind: EgressFirewall\n"
          "  metadata: {name: default, namespace: demo-egress}\n  spec:\n    egress:\n"
          "    - {type: Deny, to: {cidrSelector: 203.0.113.0/24}}\n    - {type: Allow, to: {dnsName: www.example.com}}\n"
          "- apiVersion: network.openshift.io/v1alpha1\n  kind: DNSNameResolver\n  metadata: {name: dns-1, namespace: "
          "openshift-ovn-kubernetes}\n"
          "  spec: {name: www.example.com.}\n  status: {resolvedNames: [{dnsName: www.example.com., resolvedAddresses: [{ip: "
          "198.51.100.7}]}]}\n");
  s.write("master-03-demo/ovn-nbctl_list_acl",
          acl('1', first_action, firewall_ids(0), "(ip4.dst == 203.0.113.0/24) && inport == @a7") +
              acl('2', "allow", firewall_ids(1), "(ip4.dst == $a5115511551) && inport == @a7"));
  s.append("master-03-demo/ovn-nbctl_list_address_set",
           "\n_uuid               : 51111111-2222-4333-8444-555555555555\naddresses           : [\"" + resolved +
               "\"]\nexternal_ids        : {ip-family=v4, \"k8s.ovn.org/name\"=www.example.com, "
               "\"k8s.ovn.org/owner-type\"=EgressFirewallDNS}\n"
               "name                : a5115511551\n");
}

void add_admin_network_policy(Sample& s, const std::string& peers) {
  s.write(
      "k8s/adminnetworkpolicies.yaml",
      "apiVersion: policy.networking.k8s.io/v1alpha1\nkind: AdminNetworkPolicy\nmetadata: {name: closed}\nspec:\n  priority: 5\n"
      "  subject: {namespaces: {matchLabels: {kubernetes.io/metadata.name: demo-egress}}}\n  ingress:\n"
      "  - {action: Deny, from: [{pods: {namespaceSelector: {}, podSelector: {matchLabels: {app: web}}}}]}\n");
  const std::string ids =
      "direction=Ingress, gress-index=\"0\", \"k8s.ovn.org/name\"=closed, \"k8s.ovn.org/owner-type\"=AdminNetworkPolicy";
  s.write("master-03-demo/ovn-nbctl_list_acl", acl('1', "drop", ids, "outport == @a7 && ((ip4.src == $a6006006006))"));
  s.append("master-03-demo/ovn-nbctl_list_address_set",
           "\n_uuid               : 61111111-2222-4333-8444-555555555555\naddresses           : [" + peers +
               "]\nexternal_ids        : {ip-family=v4, " + ids + "}\nname                : a6006006006\n");
}

// What OVN has on master-03-demo for a NetworkPolicy: of its one rule, and of what isolates the namespace. `peers` and `group`: what is in
// the rule's address set and in both port groups.
constexpr const char* kWebPods = "\"10.132.0.39\", \"10.133.0.4\"";
void add_network_policy(Sample& s, const std::string& peers, const std::vector<std::string>& group,
                        const std::string& action = "allow-related", const std::string& rule = "0") {
  s.write("k8s/networkpolicies.yaml",
          "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: web, namespace: demo-egress}\nspec:\n  "
          "podSelector: {}\n"
          "  ingress:\n  - from:\n    - {namespaceSelector: {}, podSelector: {matchLabels: {app: web}}}\n");
  const std::string ids = "direction=Ingress, gress-index=\"" + rule +
                          "\", ip-block-index=\"-1\", \"k8s.ovn.org/name\"=\"demo-egress:web\", "
                          "\"k8s.ovn.org/owner-controller\"=default-network-controller, "
                          "\"k8s.ovn.org/owner-type\"=NetworkPolicy, port-policy-protocol=None";
  const std::string deny =
      "direction=Ingress, \"k8s.ovn.org/name\"=demo-egress, \"k8s.ovn.org/owner-type\"=NetpolNamespace, type=defaultDeny";
  s.write("master-03-demo/ovn-nbctl_list_acl",
          acl('1', action, ids, "ip4.src == {$a6006006006} && outport == @a70") + acl('2', "drop", deny, "outport == @a71"));
  s.append(
      "master-03-demo/ovn-nbctl_list_address_set",
      "\n_uuid               : 61111111-2222-4333-8444-555555555555\naddresses           : [" + peers +
          "]\nexternal_ids        : {ip-family=v4, \"k8s.ovn.org/owner-type\"=PodSelector}\nname                : a6006006006\n");
  std::string ports;
  const std::string listed = egt::testing::read_file(s.path() + "/master-03-demo/ovn-nbctl_list_logical_switch_port");
  for (const std::string& pod : group) {
    const std::size_t name = listed.find(": demo-egress_" + pod + "\n"), uuid = listed.rfind("_uuid               : ", name);
    ports += (ports.empty() ? "" : ", ") + listed.substr(uuid + 22, 36);
  }
  std::string groups;
  for (const char digit : {'0', '1'})
    groups += std::string("_uuid               : 7111111") + digit +
              "-2222-4333-8444-555555555555\nacls                : []\nexternal_ids        : {}\n" + "name                : a7" +
              digit + "\nports               : [" + ports + "]\n\n";
  s.write("master-03-demo/ovn-nbctl_list_port_group", groups);
}

// An EgressQoS of two rules, with what OVN has on master-03-demo of them.
std::string qos_row(char digit, const std::string& priority, const std::string& dscp, const std::string& to) {
  return "_uuid               : 8111111" + std::string(1, digit) +
         "-2222-4333-8444-555555555555\naction              : {dscp=" + dscp +
         "}\nbandwidth           : {}\ndirection           : to-lport\nexternal_ids        : "
         "{\"k8s.ovn.org/name\"=demo-egress, \"k8s.ovn.org/owner-type\"=EgressQoS, priority=\"" +
         priority + "\"}\nmatch               : \"(" + to + ") && ip4.src == $a8008008008\"\npriority            : " + priority +
         "\n\n";
}

constexpr const char* kMarkedPods = "\"10.132.0.13\", \"10.133.0.3\", \"10.133.0.9\"";
void add_egress_qos(Sample& s, const std::string& dscp, const std::string& pods = kMarkedPods,
                    const std::string& name = "default", const std::string& ready = "True") {
  s.write("k8s/egressqoses.yaml",
          "apiVersion: k8s.ovn.org/v1\nkind: EgressQoS\nmetadata: {name: " + name +
              ", namespace: demo-egress}\nspec:\n  egress:\n  - {dscp: 46, dstCIDR: 203.0.113.0/24}\n  - {dscp: 10}\n"
              "status: {conditions: [{type: Ready-In-Zone-master-03-demo, status: \"" +
              ready + "\", message: why}]}\n");
  s.write("master-03-demo/ovn-nbctl_list_qos", qos_row('1', "1000", dscp, "ip4.dst == 203.0.113.0/24") +
                                                   qos_row('2', "999", "10", "ip4.dst == 0.0.0.0/0 || ip6.dst == ::/0"));
  s.append("master-03-demo/ovn-nbctl_list_address_set",
           "\n_uuid               : 61111111-2222-4333-8444-555555555556\naddresses           : [" + pods +
               "]\nexternal_ids        : {ip-family=v4, \"k8s.ovn.org/owner-type\"=EgressQoS}\nname                : "
               "a8008008008\n");
}

// What the switch of master-02-demo has for IPsec, with a tunnel that is to be encrypted.
void ipsec_settings(Sample& s, const std::string& settings) {
  const std::string file = "master-02-demo/ovs-vsctl_list_interface";
  s.replace(file, "remote_ip=\"192.168.99.25\"", "remote_ip=\"192.168.99.25\", remote_name=\"d88ff5\"");
  if (!settings.empty())
    s.replace("master-02-demo/ovs-vsctl_list_Open_vSwitch", "other_config        : {",
              "other_config        : {" + settings + ", ");
}

// The session of master-01-demo with the gateway of add_external_route(), which the route of one of its pods names.
void bfd_session(Sample& s, const std::string& status, const std::string& also = "") {
  std::string route = static_route("10.134.0.21", '1');
  route.replace(route.find("bfd                 : []"), 24, "bfd                 : 91111111-2222-4333-8444-555555555555");
  s.append("master-01-demo/ovn-nbctl_list_logical_router_static_route", route + also);
  s.write("master-01-demo/ovn-nbctl_list_bfd",
          "_uuid               : 91111111-2222-4333-8444-555555555555\ndetect_mult         : []\ndst_ip              : "
          "\"192.168.99.12\"\n"
          "external_ids        : {}\nlogical_port        : rtoe-GR_master-01-demo\nmin_rx              : []\nmin_tx              "
          ": []\n"
          "options             : {}\nstatus              : " +
              status + "\n");
}

void primary_egress_ip(Sample& s) { s.replace("k8s/egressips.yaml", "192.168.66.100", "192.168.99.100"); }

void route_to(Sample& s, const std::string& address, const std::string& via) {
  const std::string path = "router/ip_route_show_table_all";
  s.replace(
      path, "192.168.99.0/24 dev enp1s0 proto kernel scope link src 192.168.99.12 \n",
      "192.168.99.0/24 dev enp1s0 proto kernel scope link src 192.168.99.12 \n" + address + " via " + via + " dev enp1s0 \n");
}

void tenant_rules(Sample& s, const std::string& snat_packets) {
  only_iptables(s, "router")
      .write("router/iptables-save",
             "*mangle\n:PREROUTING ACCEPT [0:0]\n[236:100] -A PREROUTING -i enp1s0 -j MARK --set-xmark 0x64/0xffffffff\nCOMMIT\n"
             "*nat\n:POSTROUTING ACCEPT [0:0]\n[" +
                 snat_packets + ":0] -A POSTROUTING -o enp7s0 -m mark --mark 0x64 -j SNAT --to-source 192.168.55.113\nCOMMIT\n");
}

// An established connection of a pod on the egress node, whose answers go to this address.
std::string connection(const std::string& source) {
  return "tcp      6 431999 ESTABLISHED src=10.133.0.9 dst=192.168.55.13 sport=40000 dport=80 src=192.168.55.13 dst=" + source +
         " sport=80 dport=40000 [ASSURED] mark=0 use=1\n";
}

// Of the two translations of the egress node: the first pod's and the second one's.
void counters(Sample& s, const std::string& first, const std::string& second) {
  const std::string chain = "-A OVN-KUBE-EGRESS-IP-MULTI-NIC -s ";
  only_iptables(s, "master-02-demo")
      .replace("master-02-demo/iptables-save", chain + "10.132.0.13", first + " " + chain + "10.132.0.13")
      .replace("master-02-demo/iptables-save", chain + "10.133.0.9", second + " " + chain + "10.133.0.9");
}

// The flows of a node a minute later.
void second_dump(Sample& s, const std::string& drop) {
  const std::string later = "master-02-demo/later/ovs-ofctl_dump-flows_br-int";
  s.copy("master-02-demo/ovs-ofctl_dump-flows_br-int.gz", later).replace(later, "duration=36.131s, table=0, n_packets=7,", drop);
}

// Matches packets that OVN-Kubernetes' guard against leaking pods matches as well.
std::string flow_by_hand(const std::string& priority) {
  return " cookie=0x0, duration=4.853s, table=0, n_packets=0, n_bytes=0, idle_age=4, priority=" + priority +
         ",ip,in_port=2,nw_dst=192.168.55.0/24 actions=NORMAL\n";
}

// The translation that OVN-Kubernetes writes for the load balancer address of add_service().
Sample& external_address(Sample& s, const std::string& node) {
  const std::string before = "-A OVN-KUBE-EGRESS-SVC -m mark";
  return only_iptables(s, node).replace(node + "/iptables-save", before,
                                        "-A OVN-KUBE-EXTERNALIP -d 192.168.77.1/32 -p tcp -m tcp --dport 8080 -j DNAT "
                                        "--to-destination 172.22.1.1:8080\n" +
                                            before);
}

void default_route(Sample& s, const std::string& device) {
  tenant_rules(s, "5");
  s.replace("router/ip_route_show_table_all", "192.168.55.0/24 dev enp7s0 proto kernel",
            "default via 192.168.99.1 dev " + device + " \n192.168.55.0/24 dev enp7s0 proto kernel");
}

void guard(Sample& s, const std::string& network) {
  only_iptables(s, "router")
      .write("router/iptables-save", "*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n-A FORWARD -s " +
                                         network + " -o enp7s0 -j REJECT --reject-with icmp-port-unreachable\nCOMMIT\n");
}

void drop_snat(Sample& s) {
  s.remove("master-02-demo/nft_-j_list_ruleset");
  for (const char* file : {"iptables-save", "iptables_-t_nat_-S", "nft_list_ruleset"})
    s.without_lines(std::string("master-02-demo/") + file, "10.133.0.9");
}

void stray_snat(Sample& s, const std::string& to) {
  only_iptables(s, "master-01-demo")
      .replace("master-01-demo/iptables-save", "-A POSTROUTING -j OVN-KUBE-EGRESS-SVC\n",
               "-A POSTROUTING -j OVN-KUBE-EGRESS-SVC\n-A OVN-KUBE-EGRESS-IP-MULTI-NIC -s 10.133.0.9/32 -o br-ex -j SNAT "
               "--to-source " +
                   to + "\n");
}

// In the configuration of a port, as ovs-ofctl(8) shows it.
void set_flag(Sample& s, const std::string& node, const std::string& bridge, const std::string& port, const std::string& flag) {
  const std::string file = node + "/ovs-ofctl_show_" + bridge;
  std::string mac = port == "br-ex" ? "00:50:56:8e:2a:33" : "42:29:59:b4:c7:2c";
  s.replace(file, "(" + port + "): addr:" + mac + "\n     config:     0",
            "(" + port + "): addr:" + mac + "\n     config:     " + flag);
}

// The translation of the gateway router for pods of master-02-demo that no egress IP selects; empty: none.
void gateway_snat(Sample& s, const std::string& to) {
  const std::string pod = "10.132.0.39";
  s.remove("master-02-demo/ovn-nbctl_lr-nat-list_GR_master-02-demo").remove("master-02-demo/ovn-nbctl_show");
  s.without_record("master-02-demo/ovn-nbctl_list_nat", '"' + pod + '"');
  if (!to.empty()) s.append("master-02-demo/ovn-nbctl_list_nat", snat_row(pod, to, '3'));
  // What translates is a flow of the gateway router.
  if (to.empty()) s.without_lines("master-02-demo/ovs-ofctl_dump-flows_br-int.gz", "nw_src=" + pod + " actions=ct(commit,table=");
}

// The gateway router of a node has lost one of its routes: the row, and what northd and ovn-controller made of it.
void gateway_route(Sample& s, const std::string& prefix, const std::string& cookie) {
  s.remove("master-02-demo/ovn-nbctl_lr-route-list_GR_master-02-demo");
  s.without_record("master-02-demo/ovn-nbctl_list_logical_router_static_route", "\"" + prefix + "\"");
  s.without_lines("master-02-demo/ovs-ofctl_dump-flows_br-int.gz", "cookie=" + cookie);
  s.without_lines("master-02-demo/ovn-sbctl_--uuid_lflow-list.gz", "uuid=" + cookie);
}

// A client of the service of add_service().
std::string service_connection(const std::string& endpoint) {
  return "tcp      6 431999 ESTABLISHED src=10.132.0.22 dst=172.22.1.1 sport=33001 dport=8080 src=" + endpoint +
         " dst=10.132.0.22 sport=8080 dport=33001 [ASSURED] mark=0 use=1\n";
}

std::string cluster_status(const std::string& status, const std::string& leader) {
  return "949b\nName: OVN_Southbound\nCluster ID: eb05 (eb05e5f9-332a-4279-aa33-360b01f951f9)\n"
         "Server ID: 949b (949b018c-46ae-4d06-8911-10e6c6599d1a)\nAddress: tcp:127.0.0.1:17642\nStatus: " +
         status + "\nRole: candidate\nTerm: 8\nLeader: " + leader + "\nVote: self\n";
}

// Another document behind the list of the sample.
std::string pod_of_phase(const std::string& phase, const std::string& address) {
  return "\n---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: job\n  namespace: other\nspec:\n  nodeName: "
         "master-01-demo\nstatus:\n  phase: " +
         phase + "\n" + (address.empty() ? "" : "  podIP: " + address + "\n");
}

// requester-3a sends by a network of its own, with the address that the sample gives it on the default one.
void on_its_own_network(Sample& s) {
  s.replace(
      "k8s/pods.yaml", "\"ip_address\":\"10.133.0.9/23\",\"gateway_ip\":\"10.133.0.1\",\"role\":\"primary\"}}",
      "\"ip_address\":\"10.133.0.9/23\",\"gateway_ip\":\"10.133.0.1\",\"role\":\"infrastructure-locked\"},"
      "\"demo-egress/blue\":{\"ip_addresses\":[\"10.133.0.9/23\"],\"mac_address\":\"0a:58:0a:85:00:09\",\"role\":\"primary\"}}");
}

void on_network_of_transport(Sample& s, const std::string& transport, const std::string& accepted) {
  on_its_own_network(s);
  s.append(
      "k8s/pods.yaml",
      "\n---\napiVersion: k8s.ovn.org/v1\nkind: ClusterUserDefinedNetwork\nmetadata:\n  name: blue\nspec:\n  network:\n    "
      "topology: "
      "Layer3\n    transport: " +
          transport +
          "\n    layer3:\n      role: Primary\n      subnets:\n      - cidr: 10.132.0.0/14\nstatus:\n  conditions:\n  - type: "
          "TransportAccepted\n    status: \"" +
          accepted + "\"\n    message: No RouteAdvertisements CR is advertising the pod networks.\n");
}

std::string advertisement(const std::string& accepted) {
  return "\n---\napiVersion: k8s.ovn.org/v1\nkind: RouteAdvertisements\nmetadata:\n  name: rack\nspec:\n  advertisements: "
         "[PodNetwork]\n"
         "  networkSelectors: [{networkSelectionType: DefaultNetwork}]\nstatus:\n  conditions:\n  - type: Accepted\n    status: "
         "\"" +
         accepted + "\"\n    message: no FRRConfigurations selected\n";
}

std::string certificate_request(const std::string& status) {
  return "\n---\napiVersion: certificates.k8s.io/v1\nkind: CertificateSigningRequest\nmetadata:\n  name: "
         "ipsec-csr-master-02-x7\nspec:\n"
         "  request: TUlJ\n  signerName: network.openshift.io/signer\nstatus: " +
         status + "\n";
}

std::string ipsec_status(const std::string& state) {
  std::string text = "000 Connection list:\n000  \n";
  for (const char* name : {"ovn-d88ff5-0-in-1", "ovn-d88ff5-0-out-1", "home"})  // the last one is no tunnel's
    text += "000 \"" + std::string(name) + "\": 192.168.99.24...192.168.99.25; " +
            (std::string(name) == "home" ? "unrouted" : state) + "; eroute owner: #0\n";
  return text;
}

void mark_what_it_sends(Sample& s, const std::string& mark) {
  on_its_own_network(s);
  std::string marks = policy("10.133.0.9", "100.88.0.3");
  marks.replace(marks.find("options             : {}"), 24, "options             : {pkt_mark=\"" + mark + "\"}");
  s.append("master-02-demo/ovn-nbctl_list_logical_router_policy", marks);
  s.append("master-02-demo/ovs-ofctl_dump-flows_br-ex",
           " cookie=0xdeff105, duration=9.1s, table=0, n_packets=0, n_bytes=0, priority=105,ip,pkt_mark=0xc350,in_port=2 "
           "actions=ct(commit,zone=64000,nat(src=192.168.66.100)),output:1\n");
}

std::vector<Case> cases() {
  return {
      {"egressip-not-assigned",
       [](Sample& s) {
         s.replace("k8s/egressips.yaml", "  items:\n  - egressIP: 192.168.66.100\n    node: master-02-demo\n", "  items: []\n");
       },
       as_it_is},
      {"egressservice-not-hosted", [](Sample& s) { add_egress_service(s, ""); },
       [](Sample& s) { add_egress_service(s, "master-01-demo"); }},
      {"egress-without-effect", [](Sample& s) { on_network_of_transport(s, "NoOverlay", "True"); },
       [](Sample& s) { on_network_of_transport(s, "EVPN", "True"); }},
      {"transport-not-accepted", [](Sample& s) { on_network_of_transport(s, "EVPN", "False"); },
       [](Sample& s) { on_network_of_transport(s, "NoOverlay", "True"); }},
      {"ipsec-certificate", [](Sample& s) { s.append("k8s/pods.yaml", certificate_request("{}")); },
       [](Sample& s) { s.append("k8s/pods.yaml", certificate_request("{certificate: LS0t}")); }},
      {"ipsec-connection-down", [](Sample& s) { s.write("master-02-demo/ipsec_status", ipsec_status("prospective erouted")); },
       [](Sample& s) { s.write("master-02-demo/ipsec_status", ipsec_status("erouted")); }},
      {"object-not-accepted", [](Sample& s) { s.append("k8s/pods.yaml", advertisement("False")); },
       [](Sample& s) { s.append("k8s/pods.yaml", advertisement("True")); }},
      {"egressip-address-missing", [](Sample& s) { s.without_lines("master-02-demo/ip_-d_addr", "inet 192.168.66.100/32"); },
       as_it_is},
      {"egressip-link-down",
       [](Sample& s) {
         for (const char* file : {"master-02-demo/ip_-d_addr", "master-02-demo/ip_-d_link"})
           s.replace(file, "br-ex: <BROADCAST,MULTICAST,PROMISC,UP,LOWER_UP>", "br-ex: <BROADCAST,MULTICAST,PROMISC>");
       },
       as_it_is},  // br-int is down, and that is right
      {"egressip-reroute-missing",
       [](Sample& s) {
         s.without_record(kPolicies, "ip4.src == 10.133.0.9\"").without_lines(kPolicyList, "ip4.src == 10.133.0.9 ");
       },
       [](Sample& s) { s.without_record(kPolicies, "pkt.mark == 42").without_lines(kPolicyList, "pkt.mark == 42"); }},
      {"egressip-reroute-stale",
       [](Sample& s) { s.replace(kPolicies, "100.88.0.3", "100.88.0.4").replace(kPolicyList, "100.88.0.3", "100.88.0.4"); },
       [](Sample& s) { s.replace(kPolicies, "100.88.0.3", "100.88.0.99").replace(kPolicyList, "100.88.0.3", "100.88.0.99"); }},
      {"egressip-reroute-duplicate",
       [](Sample& s) {
         s.append(kPolicies, policy("10.133.0.9", "100.88.0.3")).append(kPolicies, policy("10.133.0.9", "10.1.1.1"));
       },
       [](Sample& s) {
         s.append(kPolicies, policy("10.133.0.9", "100.88.0.4"));
       }},  // another priority than the one that is there
      {"egressfirewall-acl", [](Sample& s) { add_egress_firewall(s, "allow", "198.51.100.7"); },
       [](Sample& s) { add_egress_firewall(s, "drop", "198.51.100.7"); }},
      {"egressqos-rows", [](Sample& s) { add_egress_qos(s, "12"); }, [](Sample& s) { add_egress_qos(s, "46"); }},
      {"bfd-session-down", [](Sample& s) { bfd_session(s, "down"); }, [](Sample& s) { bfd_session(s, "init"); }},
      {"adminnetworkpolicy-acl", [](Sample& s) { add_admin_network_policy(s, "\"10.133.0.4\""); },
       [](Sample& s) { add_admin_network_policy(s, "\"10.132.0.39\", \"10.133.0.4\", \"10.133.0.0/24\""); }},
      {"networkpolicy-acl",
       [](Sample& s) {
         add_network_policy(s, "\"10.133.0.4\"", {"requester-3a", "requester-3b"});
       },
       [](Sample& s) {
         add_network_policy(s, kWebPods, {"requester-3a", "requester-3b"});
       }},
      {"stages-differ",
       [](Sample& s) { s.without_lines("master-03-demo/ovs-ofctl_dump-flows_br-int.gz", "priority=100,in_port=4"); }, as_it_is},
      {"egressip-address-set-lacks-pod",
       [](Sample& s) {
         for (const char* file : {"master-03-demo/ovn-nbctl_list_address_set", "master-03-demo/ovn-sbctl_list_Address_Set"})
           s.replace(file, "[\"10.132.0.13\", \"10.133.0.9\"]", "[\"10.132.0.13\"]");
       },
       [](Sample& s) {  // the namespace's set lacks it
         for (const char* file : {"master-03-demo/ovn-nbctl_list_address_set", "master-03-demo/ovn-sbctl_list_Address_Set"})
           s.replace(file, "[\"10.132.0.13\", \"10.133.0.3\", \"10.133.0.9\"]", "[\"10.132.0.13\", \"10.133.0.3\"]");
       }},
      {"remote-chassis-missing",
       [](Sample& s) {
         s.without_record("master-03-demo/ovn-sbctl_list_Chassis", ": master-02-demo")
             .without_record("master-03-demo/ovn-sbctl_list_Encap", "192.168.99.24")
             .remove("master-03-demo/ovn-sbctl_show");
       },
       [](Sample& s) {
         s.replace("master-03-demo/ovn-sbctl_list_Chassis", ": master-02-demo", ": \"\"");
       }},  // known by its encapsulation
      {"tunnel-port-missing",
       [](Sample& s) {
         for (const char* file : {"master-03-demo/ovs-vsctl_show", "master-03-demo/ovs-vsctl_list_interface"})
           s.replace(file, "remote_ip=\"192.168.99.24\"", "remote_ip=\"192.168.99.99\"");
       },
       as_it_is},
      {"transit-port-missing",
       [](Sample& s) {
         s.without_record("master-03-demo/ovn-nbctl_list_logical_switch_port", "tstor-master-02-demo")
             .remove("master-03-demo/ovn-nbctl_show")
             .remove("master-03-demo/ovn-sbctl_show")
             .without_record("master-03-demo/ovn-sbctl_list_Port_Binding", "tstor-master-02-demo");
       },
       as_it_is},
      {"egressip-mark-missing", on_its_own_network, [](Sample& s) { mark_what_it_sends(s, "50000"); }},
      {"egressip-nat-row-missing", primary_egress_ip,
       [](Sample& s) {
         primary_egress_ip(s);
         s.append("master-02-demo/ovn-nbctl_list_nat", snat_row("10.133.0.9", "192.168.99.100", '1'));
         s.append("master-02-demo/ovn-nbctl_list_nat", snat_row("10.132.0.13", "192.168.99.100", '2'));
       }},
      {"egressip-rule-missing", [](Sample& s) { s.without_lines("master-02-demo/ip_rule", "from 10.133.0.9"); },
       [](Sample& s) { s.without_lines("master-02-demo/ip_rule", "fwmark 0x1745ec"); }},
      {"egressip-table-stale", [](Sample& s) { s.without_lines("master-02-demo/ip_route_show_table_all", "table 1004"); },
       as_it_is},
      {"egressip-snat-missing", drop_snat, [](Sample& s) { only_iptables(s, "master-02-demo"); }},
      {"egressip-snat-stale", [](Sample& s) { stray_snat(s, "192.168.66.100"); },
       [](Sample& s) { stray_snat(s, "192.168.66.77"); }},
      {"egressip-two-owners",
       [](Sample& s) {
         s.replace("master-01-demo/ip_-d_addr", "    inet 192.168.99.23/24",
                   "    inet 192.168.66.100/32 scope global br-ex\n    inet 192.168.99.23/24");
       },
       as_it_is},
      {"egressip-forwarding-off",
       [](Sample& s) { s.replace("master-02-demo/sysctl", "br-ex.forwarding = 1", "br-ex.forwarding = 0"); },
       [](Sample& s) { s.replace("master-01-demo/sysctl", "br-ex.forwarding = 1", "br-ex.forwarding = 0"); }},  // another node
      {"egressip-upstream-wrong-node",
       [](Sample& s) { s.replace("router/ip_route_show_table_all", "via 192.168.99.24", "via 192.168.99.23"); }, as_it_is},
      {"egressservice-reroute-missing", [](Sample& s) { add_egress_service(s, "master-01-demo"); },
       [](Sample& s) {
         add_egress_service(s, "master-01-demo");
         s.append("master-01-demo/ovn-nbctl_list_logical_router_policy", policy("10.132.0.39", "10.134.0.2"));
         s.append("master-02-demo/ovn-nbctl_list_logical_router_policy", policy("10.132.0.39", "100.88.0.4"));
       }},
      {"egressservice-snat-missing", [](Sample& s) { add_egress_service(s, "master-01-demo"); },
       [](Sample& s) {
         add_egress_service(s, "master-01-demo");
         s.remove("master-01-demo/nft_-j_list_ruleset")
             .replace(
                 "master-01-demo/nft_list_ruleset", "map egress-service-snat-v4 {\n\t\ttype ipv4_addr : ipv4_addr\n",
                 "map egress-service-snat-v4 {\n\t\ttype ipv4_addr : ipv4_addr\n\t\telements = { 10.132.0.39 : 192.168.77.1 }\n");
       }},
      {"egressservice-announced-elsewhere",
       [](Sample& s) {
         add_egress_service(s, "master-01-demo");
         route_to(s, "192.168.77.1", "192.168.99.24");
       },
       [](Sample& s) {
         add_egress_service(s, "master-01-demo");
         route_to(s, "192.168.77.1", "192.168.99.23");
       }},
      {"external-gateway-route-missing", add_external_route,
       [](Sample& s) {
         add_external_route(s);
         s.append("master-01-demo/ovn-nbctl_list_logical_router_static_route", static_route("10.134.0.21", '1'));
         s.append("master-02-demo/ovn-nbctl_list_logical_router_static_route", static_route("10.132.0.22", '2'));
       }},
      {"stale-mac",
       [](Sample& s) { s.append("master-03-demo/ovn-nbctl_list_static_mac_binding", mac_binding("52:54:00:3c:d8:b6")); },
       [](Sample& s) { s.append("master-03-demo/ovn-nbctl_list_static_mac_binding", mac_binding("52:54:00:3a:76:95")); }},
      {"service-local-without-endpoint",
       [](Sample& s) {
         add_service(s, "Local", kWebTwo);
         route_to(s, "192.168.77.1", "192.168.99.23");
       },
       [](Sample& s) {
         add_service(s, "Local", kWebTwo);
         route_to(s, "192.168.77.1", "192.168.99.24");
       }},
      {"bridge-mac-mismatch",
       [](Sample& s) {
         s.replace("master-03-demo/ovn-nbctl_list_logical_router_port", "00:50:56:8e:2a:33", "00:50:56:8e:2a:99");
         s.remove("master-03-demo/ovn-nbctl_show")
             .replace("master-03-demo/ovn-sbctl_list_Port_Binding", "00:50:56:8e:2a:33", "00:50:56:8e:2a:99");
       },
       as_it_is},
      {"management-address-missing", [](Sample& s) { s.without_lines("master-03-demo/ip_-d_addr", "inet 10.133.0.2/23"); },
       as_it_is},
      {"bridge-not-set-up",
       [](Sample& s) {
         s.write("master-01-demo/ovs-ofctl_dump-flows_br-ex",
                 "NXST_FLOW reply (xid=0x4):\n cookie=0x0, duration=24.8s, table=0, n_packets=0, n_bytes=0, priority=0 "
                 "actions=NORMAL\n");
       },
       as_it_is},
      {"pod-port-unclaimed",
       [](Sample& s) {
         s.replace("master-03-demo/ovs-vsctl_list_interface", "iface-id=demo-egress_requester-3b",
                   "iface-id=demo-egress_requester-gone");
       },
       as_it_is},
      {"port-flag", [](Sample& s) { set_flag(s, "master-03-demo", "br-int", "115c3e4009659bf", "NO_FWD"); },
       [](Sample& s) {  // FLOOD alone heeds it; and the bridge's own device is down in every cluster
         set_flag(s, "master-03-demo", "br-int", "115c3e4009659bf", "NO_FLOOD");
         set_flag(s, "master-03-demo", "br-ex", "br-ex", "NO_FLOOD");
       }},
      {"dump-incomplete", [](Sample& s) { s.without_lines("router/ip_route_show_table_all", "192.168.55.0/24 dev enp7s0"); },
       [](Sample& s) {  // two dumps without it: somebody deleted the route
         s.without_lines("router/ip_route_show_table_all", "192.168.55.0/24 dev enp7s0");
         s.copy("router/ip_route_show_table_all", "router/ip_route");
         for (const char* other : {" table ", ":"}) s.without_lines("router/ip_route", other);
       }},
      {"uplink-down",
       [](Sample& s) {
         for (const char* file : {"master-02-demo/ip_-d_addr", "master-02-demo/ip_-d_link"})
           s.replace(file, "enp1s0@if710: <BROADCAST,MULTICAST,PROMISC,UP,LOWER_UP>",
                     "enp1s0@if710: <NO-CARRIER,BROADCAST,MULTICAST,PROMISC,UP>");
       },
       [](Sample& s) {  // a device that is no uplink
         for (const char* file : {"master-02-demo/ip_-d_addr", "master-02-demo/ip_-d_link"})
           s.replace(file, "lo: <LOOPBACK,UP,LOWER_UP>", "lo: <LOOPBACK,UP>");
       }},
      {"tunnel-address-wrong",
       [](Sample& s) {
         for (const char* file : {"ovn-sbctl_list_Encap", "ovn-sbctl_show"})
           s.replace(std::string("master-01-demo/") + file, "\"192.168.99.24\"", "\"192.168.99.25\"");
       },
       [](Sample& s) {  // another one of the node's addresses
         for (const char* file : {"ovn-sbctl_list_Encap", "ovn-sbctl_show"})
           s.replace(std::string("master-01-demo/") + file, "\"192.168.99.24\"", "\"192.168.66.100\"");
       }},
      {"tunnel-key-mismatch",
       [](Sample& s) { s.replace("master-01-demo/ovn-sbctl_list_Datapath_Binding", "16711683", "16711684"); },
       [](Sample& s) {
         s.replace("master-01-demo/ovn-sbctl_list_Datapath_Binding", "tunnel_key          : 2\n", "tunnel_key          : 77\n");
       }},
      {"gateway-route-missing", [](Sample& s) { gateway_route(s, "0.0.0.0/0", "0x34c4d4cb"); },
       [](Sample& s) { gateway_route(s, "169.254.0.0/17", "0xd72419f2"); }},
      {"gateway-snat-missing", [](Sample& s) { gateway_snat(s, ""); }, [](Sample& s) { gateway_snat(s, "192.168.99.24"); }},
      {"neighbour-failed",
       [](Sample& s) {
         s.replace("server/ip_route_show_table_all", "default via 192.168.55.12", "default via 192.168.55.99");
         s.append("server/ip_neigh", "192.168.55.99 dev enp1s0 FAILED \n");
       },
       [](Sample& s) { s.append("server/ip_neigh", "192.168.55.99 dev enp1s0 FAILED \n"); }},  // no next hop
      {"neighbour-wrong",
       [](Sample& s) {
         s.replace("server/ip_neigh", "192.168.55.12 dev enp1s0 lladdr 52:54:00:3c:d8:b6",
                   "192.168.55.12 dev enp1s0 lladdr 02:00:5e:00:53:02");
       },
       [](Sample& s) { s.append("server/ip_neigh", "192.168.55.77 dev enp1s0 lladdr 02:00:5e:00:53:02 REACHABLE \n"); }},
      {"duplicate-address",
       [](Sample& s) {
         s.replace("master-01-demo/ip_-d_addr", "    inet 192.168.99.23/24",
                   "    inet 192.168.99.24/24 scope global br-ex\n    inet 192.168.99.23/24");
       },
       [](Sample& s) {  // as container runtimes have it on every node
         for (const char* file : {"master-01-demo/ip_-d_addr", "router/ip_-d_addr"})
           s.append(file,
                    "99: docker0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP group default \n"
                    "    link/ether 02:42:0a:00:00:01 brd ff:ff:ff:ff:ff:ff\n    inet 172.17.0.1/16 scope global docker0\n");
       }},
      {"flows-differ",
       [](Sample& s) { s.without_lines("master-03-demo/ovs-ofctl_dump-flows_br-int.gz", "nw_dst=10.132.0.0/23"); },
       [](Sample& s) {  // which stay the same
         s.replace("master-03-demo/ovs-ofctl_dump-flows_br-int.gz", "n_packets=37, n_bytes=2686", "n_packets=38, n_bytes=2686");
       }},
      {"conntrack-full",
       [](Sample& s) { s.write("master-03-demo/ovs-appctl_dpctl.ct-get-limits", "default limit=0\nzone=3,limit=20,count=20\n"); },
       [](Sample& s) {
         s.write("master-03-demo/ovs-appctl_dpctl.ct-get-limits",
                 "default limit=0\nzone=3,limit=20,count=19\nzone=4,limit=0,count=9\n")
             .write("master-03-demo/ovs-appctl_dpctl.ct-get-maxconns", "3000000\n")
             .write("master-03-demo/ovs-appctl_dpctl.ct-get-nconns", "20\n");
       }},
      {"controller-not-connected",
       [](Sample& s) { s.write("master-03-demo/ovn-appctl_-t_ovn-controller_connection-status", "not connected\n"); },
       [](Sample& s) {
         s.write("master-03-demo/ovn-appctl_-t_ovn-controller_connection-status", "connected\n")
             .write("master-02-demo/ovn-appctl_-t_ovn-northd_sb-connection-status", "not connected\n");
       }},
      {"database-without-leader",
       [](Sample& s) { s.write("master-01-demo/cluster_status", cluster_status("cluster member", "unknown")); },
       [](Sample& s) { s.write("master-01-demo/cluster_status", cluster_status("cluster member", "601c")); }},
      {"node-not-ready", [](Sample& s) { s.replace("k8s/nodes.yaml", "status: 'True'", "status: 'Unknown'"); },
       [](Sample& s) {
         s.replace("k8s/nodes.yaml", "- type: Ready\n      status: 'True'", "- type: DiskPressure\n      status: 'True'");
       }},
      {"pod-not-running", [](Sample& s) { s.append("k8s/pods.yaml", pod_of_phase("Pending", "")); },
       [](Sample& s) { s.append("k8s/pods.yaml", pod_of_phase("Succeeded", "10.132.0.77")); }},  // as of every job that is done
      {"northd-behind", [](Sample& s) { add_gateway_route(s, "192.168.99.12"); },
       [](Sample& s) { add_gateway_route(s, "192.168.99.12"), s.remove("master-03-demo/ovn-sbctl_--uuid_lflow-list.gz"); }},
      {"next-hop-without-path", [](Sample& s) { add_gateway_route(s, "203.0.113.9"); },
       [](Sample& s) { add_gateway_route(s, "203.0.113.9"), s.remove("master-03-demo/ovn-nbctl_list_logical_router"); }},
      {"stale-connection",
       [](Sample& s) {
         add_service(s, "Cluster", kWebTwo);
         s.append("master-02-demo/conntrack_-L", service_connection("10.132.0.77"));
       },
       [](Sample& s) {
         add_service(s, "Cluster", kWebTwo);
         s.append("master-02-demo/conntrack_-L", service_connection("10.132.0.39"));
       }},
      {"egress-leak", drop_snat, [](Sample& s) { only_iptables(s, "master-02-demo"); }},
      {"ovn-controller-behind",
       [](Sample& s) {
         s.replace("master-03-demo/ovn-nbctl_list_nb_global", "sb_cfg              : ", "sb_cfg              : 9");
       },
       [](Sample& s) {
         s.replace("master-03-demo/ovn-nbctl_list_nb_global", "hv_cfg              : ", "hv_cfg              : 9");
       }},
      {"egressip-rule-stale", [](Sample& s) { s.append("master-02-demo/ip_rule", "6000:\tfrom 10.132.0.50 lookup 1004\n"); },
       [](Sample& s) {
         s.append("master-02-demo/ip_rule", "5000:\tfrom 10.132.0.50 lookup 1004\n");
       }},  // another feature's preference
      {"egressip-overlap",
       [](Sample& s) {
         s.append("k8s/egressips.yaml",
                  "---\napiVersion: k8s.ovn.org/v1\nkind: EgressIP\nmetadata:\n  name: second\nspec:\n"
                  "  egressIPs: [192.168.66.101]\n  namespaceSelector: {}\n");
       },
       [](Sample& s) {
         s.append("k8s/egressips.yaml",
                  "---\napiVersion: k8s.ovn.org/v1\nkind: EgressIP\nmetadata:\n  name: second\nspec:\n"
                  "  egressIPs: [192.168.66.101]\n  namespaceSelector:\n    matchLabels:\n"
                  "      kubernetes.io/metadata.name: ns-blue\n");
       }},
      {"egressservice-node-traffic-translated",
       [](Sample& s) {
         add_egress_service(s, "master-01-demo");
         s.remove("master-01-demo/nft_-j_list_ruleset")
             .without_lines("master-01-demo/nft_list_ruleset", "meta mark 0x000003f0 return comment");
       },
       [](Sample& s) { add_egress_service(s, "master-01-demo"); }},
      {"external-gateway-snat-remains", add_external_route,
       [](Sample& s) {
         add_external_route(s);
         s.remove("master-01-demo/ovn-nbctl_lr-nat-list_GR_master-01-demo")
             .remove("master-01-demo/ovn-nbctl_show")
             .without_record("master-01-demo/ovn-nbctl_list_nat", "\"10.134.0.21\"");
         s.remove("master-02-demo/ovn-nbctl_lr-nat-list_GR_master-02-demo")
             .remove("master-02-demo/ovn-nbctl_show")
             .without_record("master-02-demo/ovn-nbctl_list_nat", "\"10.132.0.22\"");
       }},
      {"guard-cannot-match", [](Sample& s) { guard(s, "10.128.0.0/14"); }, [](Sample& s) { guard(s, "10.132.0.0/14"); }},
      {"gateway-default-past-snat", [](Sample& s) { default_route(s, "enp1s0"); }, [](Sample& s) { default_route(s, "enp7s0"); }},
      {"gateway-mark-without-snat", [](Sample& s) { tenant_rules(s, "0"); }, [](Sample& s) { tenant_rules(s, "1"); }},
      {"address-not-routed", [](Sample& s) { s.without_lines("router/ip_route_show_table_all", "192.168.66.100"); },
       [](Sample& s) { s.replace("router/ip_route_show_table_all", "192.168.66.100 nhid", "192.168.66.0/24 nhid"); }},
      {"connection-keeps-source", [](Sample& s) { s.append("master-02-demo/conntrack_-L", connection("10.133.0.9")); },
       [](Sample& s) {
         s.append("master-02-demo/conntrack_-L", connection("192.168.66.100"));
         s.append("master-01-demo/conntrack_-L", connection("10.133.0.9"));  // no egress node
       }},
      {"translation-never-counted", [](Sample& s) { counters(s, "[7:420]", "[0:0]"); },
       [](Sample& s) { counters(s, "[0:0]", "[0:0]"); }},
      {"drop-counts-up", [](Sample& s) { second_dump(s, "duration=96.131s, table=0, n_packets=19,"); },
       [](Sample& s) { second_dump(s, "duration=96.131s, table=0, n_packets=7,"); }},  // nothing was dropped since
      {"service-dnat-missing",
       [](Sample& s) {
         add_service(s, "Cluster", kWebTwo);
         external_address(s, "master-01-demo");
         external_address(s, "master-02-demo");
       },
       [](Sample& s) {
         add_service(s, "Cluster", kWebTwo);
         for (const char* node : {"master-01-demo", "master-02-demo", "master-03-demo"}) external_address(s, node);
       }},
      {"dnat-without-load-balancer", [](Sample& s) { external_address(s, "master-01-demo"); },
       [](Sample& s) {
         external_address(s, "master-01-demo")
             .write("master-01-demo/ovn-nbctl_list_load_balancer",
                    "_uuid               : 41111111-2222-4333-8444-555555555555\nexternal_ids        : {}\nhealth_check        : "
                    "[]\n"
                    "ip_port_mappings    : {}\nname                : shop\noptions             : {}\nprotocol            : tcp\n"
                    "selection_fields    : []\nvips                : {\"172.22.1.1:8080\"=\"10.132.0.39:8080\"}\n");
       }},
      {"bridge-drops-pods",
       [](Sample& s) {
         s.replace("master-01-demo/ovs-ofctl_dump-flows_br-ex",
                   "n_packets=0, n_bytes=0, idle_age=24, priority=104,ip,in_port=2,nw_src",
                   "n_packets=9, n_bytes=666, idle_age=3, priority=104,ip,in_port=2,nw_src");
       },
       [](Sample& s) {  // a network without pods
         s.replace("master-01-demo/ovs-ofctl_dump-flows_br-ex",
                   "n_packets=0, n_bytes=0, idle_age=24, priority=104,ip,in_port=2,nw_src=10.132.0.0/14",
                   "n_packets=9, n_bytes=666, idle_age=3, priority=104,ip,in_port=2,nw_src=10.200.0.0/16");
       }},
      {"flow-overlap", [](Sample& s) { s.append("master-01-demo/ovs-ofctl_dump-flows_br-ex", flow_by_hand("104")); },
       [](Sample& s) { s.append("master-01-demo/ovs-ofctl_dump-flows_br-ex", flow_by_hand("108")); }},
      {"tunnel-mtu",
       [](Sample& s) {
         for (const char* file : {"master-02-demo/ip_-d_addr", "master-02-demo/ip_-d_link"})
           s.replace(file, "LOWER_UP> mtu 1400", "LOWER_UP> mtu 1443");
       },
       [](Sample& s) {
         for (const char* file : {"master-02-demo/ip_-d_addr", "master-02-demo/ip_-d_link"})
           s.replace(file, "LOWER_UP> mtu 1400", "LOWER_UP> mtu 1442");
       }},
      {"pod-mtu",
       [](Sample& s) {
         for (const char* file : {"master-02-demo/ip_-d_addr", "master-02-demo/ip_-d_link"})
           s.replace(file, "714: ce3e4c21937ca06@if713: <BROADCAST,MULTICAST,PROMISC,UP,LOWER_UP> mtu 1400",
                     "714: ce3e4c21937ca06@if713: <BROADCAST,MULTICAST,PROMISC,UP,LOWER_UP> mtu 600");
       },
       [](Sample& s) {  // no pod's
         for (const char* file : {"master-02-demo/ip_-d_addr", "master-02-demo/ip_-d_link"})
           s.replace(file, "ovs-system: <BROADCAST,MULTICAST> mtu 1400", "ovs-system: <BROADCAST,MULTICAST> mtu 600");
       }},
      {"tunnel-blocked",
       [](Sample& s) {
         for (const char* file : {"master-02-demo/ip_-d_addr", "master-02-demo/ip_-d_link"})
           s.replace(file, "enp1s0@if710: <BROADCAST,MULTICAST,PROMISC,UP,LOWER_UP>",
                     "enp1s0@if710: <NO-CARRIER,BROADCAST,MULTICAST,PROMISC,UP>");
       },
       [](Sample& s) {  // a device that no tunnel uses
         for (const char* file : {"master-02-demo/ip_-d_addr", "master-02-demo/ip_-d_link"})
           s.replace(file, "lo: <LOOPBACK,UP,LOWER_UP>", "lo: <LOOPBACK,UP>");
       }},
      {"underlay-mtu",
       [](Sample& s) {
         for (const char* file : {"master-02-demo/ip_-d_addr", "master-02-demo/ip_-d_link"})
           s.replace(file, "enp1s0@if710: <BROADCAST,MULTICAST,PROMISC,UP,LOWER_UP> mtu 1500",
                     "enp1s0@if710: <BROADCAST,MULTICAST,PROMISC,UP,LOWER_UP> mtu 1457");
       },
       [](Sample& s) {
         for (const char* file : {"master-02-demo/ip_-d_addr", "master-02-demo/ip_-d_link"})
           s.replace(file, "enp1s0@if710: <BROADCAST,MULTICAST,PROMISC,UP,LOWER_UP> mtu 1500",
                     "enp1s0@if710: <BROADCAST,MULTICAST,PROMISC,UP,LOWER_UP> mtu 1458");
       }},
      {"egress-rp-filter",
       [](Sample& s) {
         s.replace("master-02-demo/sysctl", "br-ex.rp_filter = 0", "br-ex.rp_filter = 1")
             .without_lines("master-02-demo/ip_rule", "from 10.132.0.13 lookup")
             .append("master-02-demo/ip_route_show_table_all", "192.168.55.13 dev ovn-k8s-mp0 scope link \n");
       },
       [](Sample& s) {  // the pod's rule leads back by the link, whatever table main says
         s.replace("master-02-demo/sysctl", "br-ex.rp_filter = 0", "br-ex.rp_filter = 1")
             .append("master-02-demo/ip_route_show_table_all", "192.168.55.13 dev ovn-k8s-mp0 scope link \n");
       }},
      {"egress-stopped",
       [](Sample& s) {
         only_iptables(s, "master-02-demo").without_lines("master-02-demo/iptables-save", "-A FORWARD -s 10.132.0.0/14");
       },
       [](Sample& s) {
         only_iptables(s, "master-02-demo").without_lines("master-02-demo/iptables-save", "-A FORWARD -s 172.22.0.0/16");
       }},
      {"connection-lost",  // replies have no way back
       [](Sample& s) { s.replace("server/ip_route_show_table_all", "default via 192.168.55.12 dev enp1s0 \n", ""); },
       [](Sample& s) { s.replace("server/ip_route_show_table_all", "metric 1024 pref medium", "metric 512 pref medium"); }},
      {"egressip-pod-not-taken-up", as_it_is,
       [](Sample& s) {
         s.replace("k8s/egressips.yaml", "podSelector: {}",
                   "podSelector:\n    matchExpressions:\n    - {key: pick, operator: Exists}")
             .replace("k8s/pods.yaml", "    uid: 04ccc5c2", "    labels: {app: requester, pick: x}\n    uid: 04ccc5c2");
       }},
      {"service-without-endpoints", [](Sample& s) { add_service(s, "Cluster", "[]\n"); },
       [](Sample& s) { add_service(s, "Cluster", kWebTwo); }},
      {"service-load-balancer-missing",
       [](Sample& s) {
         add_service(s, "Cluster", kWebTwo);
         s.write(
             "master-01-demo/ovn-nbctl_list_load_balancer",
             "_uuid               : 41111111-2222-4333-8444-555555555555\nexternal_ids        : {}\nhealth_check        : []\n"
             "ip_port_mappings    : {}\nname                : other\noptions             : {}\nprotocol            : tcp\n"
             "selection_fields    : []\nvips                : {\"172.22.1.2:8080\"=\"10.132.0.39:8080\"}\n");
       },
       [](Sample& s) {
         add_service(s, "Cluster", kWebTwo);
         for (const char* node : {"master-01-demo", "master-02-demo", "master-03-demo"})
           s.write(
               std::string(node) + "/ovn-nbctl_list_load_balancer",
               "_uuid               : 41111111-2222-4333-8444-555555555555\nexternal_ids        : {}\nhealth_check        : []\n"
               "ip_port_mappings    : {}\nname                : shop\noptions             : {}\nprotocol            : tcp\n"
               "selection_fields    : []\nvips                : {\"172.22.1.1:8080\"=\"10.132.0.39:8080\"}\n");
       }},
  };
}

Triage run(const Change& change, const std::vector<std::string>& only) {
  Sample sample;
  change(sample);
  const parsers::Snapshot snapshot = sample.open(only == std::vector<std::string>{"stages-differ"});
  const cluster::Cluster& cluster = snapshot.cluster;
  const explain::Explainer explainer(cluster);
  return triage(explainer, only, parsers::dump_copies(cluster, snapshot.collection));
}

std::string shown(const Triage& t) {
  std::string all;
  for (const Finding& f : t.findings) all += f.id + ": " + f.claim + "\n";
  for (const SkippedCheck& s : t.skipped) all += "skipped " + s.id + ": " + s.why + "\n";
  return all;
}

bool is_untouched(const Change& change) {
  const auto* function = change.target<void (*)(Sample&)>();
  return function != nullptr && *function == as_it_is;
}

class Catalogue : public ::testing::TestWithParam<Case> {};

TEST_P(Catalogue, FindsTheFault) {
  const Triage t = run(GetParam().fault, {GetParam().id});
  ASSERT_FALSE(t.findings.empty()) << shown(t);
  for (const Finding& f : t.findings) {
    EXPECT_EQ(GetParam().id, f.id);
    EXPECT_FALSE(f.claim.empty());
    EXPECT_FALSE(f.remedy.empty());
    EXPECT_FALSE(f.evidence.empty()) << f.claim;
  }
}

TEST_P(Catalogue, IsQuietWhereItIsNearlyThere) {
  static const Triage untouched = run(as_it_is, {});
  const Triage t = is_untouched(GetParam().nearly) ? untouched : run(GetParam().nearly, {GetParam().id});
  const auto shows = [](const Finding& f) { return f.id == GetParam().id && f.severity != Severity::note; };
  EXPECT_TRUE(std::none_of(t.findings.begin(), t.findings.end(), shows)) << shown(t);
}

INSTANTIATE_TEST_SUITE_P(Checks, Catalogue, ::testing::ValuesIn(cases()), [](const auto& c) {
  std::string name = c.param.id;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// What the sample cannot show is tested with snapshots of other labs.
TEST(Catalogue, EveryCheckHasATestAndAPage) {
  const std::vector<Case> tested = cases();
  std::string with_labs;
  for (const auto& file : std::filesystem::directory_iterator(EGTRACE_SOURCE_DIR "/tests/unit/other_lab"))
    if (file.path().extension() == ".cpp") with_labs += egt::testing::read_file(file.path().string());
  for (const CatalogueEntry& e : triage_catalogue()) {
    EXPECT_TRUE(std::any_of(tested.begin(), tested.end(), [&](const Case& c) { return c.id == e.id; }) ||
                with_labs.find("\"" + e.id + "\"") != std::string::npos)
        << e.id;
    EXPECT_TRUE(std::filesystem::exists(std::string(EGTRACE_SOURCE_DIR) + "/docs/triage/" + e.id + ".md")) << e.id;
    EXPECT_FALSE(e.title.empty()) << e.id;
  }
}

TEST(Triage, NamesWhatDiffersFromANetworkPolicy) {
  const auto found = [](const Change& change) { return shown(run(change, {"networkpolicy-acl"})); };
  const std::vector<std::string> all = {"requester-3a", "requester-3b"};
  const std::string set = found([](Sample& s) { add_network_policy(s, "\"10.133.0.4\"", {"requester-3a", "requester-3b"}); });
  EXPECT_NE(set.find("On master-03-demo the address sets of ingress rule 0 of NetworkPolicy demo-egress/web lack pod "
                     "demo-web/web-2 (10.132.0.39)."),
            std::string::npos)
      << set;
  const std::string group = found([](Sample& s) { add_network_policy(s, kWebPods, {"requester-3a"}); });
  EXPECT_NE(group.find("the port group of NetworkPolicy demo-egress/web lacks pod demo-egress/requester-3b"), std::string::npos)
      << group;
  EXPECT_NE(group.find("the port group of the ingress default deny of namespace demo-egress lacks pod demo-egress/requester-3b"),
            std::string::npos)
      << group;
  const std::string action = found([&](Sample& s) { add_network_policy(s, kWebPods, all, "drop"); });
  EXPECT_NE(action.find("the ACL of ingress rule 0 of NetworkPolicy demo-egress/web has the action drop."), std::string::npos)
      << action;
  const std::string other = found([&](Sample& s) { add_network_policy(s, kWebPods, all, "allow-related", "1"); });
  EXPECT_NE(other.find("OVN on master-03-demo has no ACL for ingress rule 0 of NetworkPolicy demo-egress/web."),
            std::string::npos)
      << other;
  EXPECT_NE(other.find("The ACL of ingress rule 1 of NetworkPolicy demo-egress/web is there on master-03-demo, and the object "
                       "has 1 such rules."),
            std::string::npos)
      << other;
  const std::string older = found([](Sample& s) {
    add_network_policy(s, kWebPods, {});
    s.write("master-03-demo/ovn-nbctl_list_acl",
            acl('1', "allow-related", "policy=web, policy_type=Ingress", "ip4.src == {$a6006006006} && outport == @a70"));
  });
  EXPECT_TRUE(older.starts_with("skipped networkpolicy-acl: ")) << older;
}

// A drop by the default deny of a namespace, in dumps of ../shared/corpus: what its cause is if the object has these lines more.
std::string cause_of_drop(const std::string& more) {
  const std::filesystem::path from = std::string(EGTRACE_SOURCE_DIR) + "/../shared/corpus/demo/neg-networkpolicy-drop";
  if (!std::filesystem::exists(from)) return "";
  const egt::testing::TemporaryDirectory copy;
  for (const char* folder : {"k8s", "master-02-demo"})
    std::filesystem::copy(from / folder, std::filesystem::path(copy.path()) / folder, std::filesystem::copy_options::recursive);
  const std::string object = copy.path() + "/k8s/networkpolicies.yaml";
  egt::testing::write_file(object, egt::testing::read_file(object) + more);
  parsers::SnapshotRequest request;
  request.path = copy.path();
  const auto snapshot = parsers::open_snapshot(request);
  if (!snapshot) return snapshot.error().message;
  const explain::Explainer explainer(snapshot->cluster);
  explain::Question q;
  q.from = *explain::parse_point("demo-egress/requester-2a");
  q.to = *explain::parse_point("192.168.55.13:80");
  q.dport = q.to.port;
  const auto x = explainer.explain(q);
  const auto found = x ? find_cause(explainer, *x) : std::nullopt;
  return found ? found->finding + ": " + found->claim : "none";
}

TEST(Cause, SaysWhetherANetworkPolicyWantsTheDrop) {
  const std::string wanted = cause_of_drop("");
  if (wanted.empty()) GTEST_SKIP() << "no corpus";
  EXPECT_TRUE(wanted.starts_with("policy: ") && wanted.ends_with("and no rule allows this packet: as intended")) << wanted;
  EXPECT_EQ(cause_of_drop("  egress:\n  - ports: [{port: 80}]\n"),
            "networkpolicy-acl: Egress rule 0 of NetworkPolicy demo-egress/deny-egress allows this packet, and an ACL for "
            "NetworkPolicies drops it: "
            "the northbound database lags behind the object");
  const std::string open = cause_of_drop("  egress:\n  - ports: [{port: web}]\n");
  EXPECT_TRUE(open.ends_with("objects do not show whether a rule allows this packet")) << open;
}

// The policies of the cluster router alone do not show those of a network's gateway router.
TEST(Triage, MarksAreMissingOnlyWhereThePoliciesOfAllRoutersAreDumped) {
  const Triage of_one_router = run(
      [](Sample& s) {
        mark_what_it_sends(s, "50000");
        s.remove("master-02-demo/ovn-nbctl_list_logical_router_policy");
      },
      {"egressip-mark-missing"});
  EXPECT_TRUE(of_one_router.findings.empty()) << shown(of_one_router);
  EXPECT_FALSE(of_one_router.skipped.empty());
}

TEST(Triage, IsQuietOnAHealthySnapshot) {
  const Triage t = run(as_it_is, {});
  for (const Finding& f : t.findings) EXPECT_EQ(Severity::note, f.severity) << f.id << ": " << f.claim;
}

// What is left of the sample are databases, objects, and the dumps of one name.
Triage triage_of_databases(const std::string& also, const Change& change = {}) {
  Sample sample;
  if (change) change(sample);
  std::vector<std::filesystem::path> others;
  for (const auto& file : std::filesystem::recursive_directory_iterator(sample.path())) {
    const std::string folder = file.path().parent_path().filename().string(), name = file.path().filename().string();
    const bool is_kept = name.starts_with("ovn-nbctl") || name.starts_with("ovn-sbctl") || name == "hostname" || name == also;
    if (file.is_regular_file() && folder != "k8s" && (!is_kept || folder == "router" || folder == "server"))
      others.push_back(file.path());
  }
  for (const auto& file : others) std::filesystem::remove(file);
  const parsers::Snapshot snapshot = sample.open(true);
  return triage(explain::Explainer(snapshot.cluster), {}, parsers::dump_copies(snapshot.cluster, snapshot.collection));
}

// What is presumed of a host beside the dumps that there are takes nothing from them.
TEST(Triage, BelievesRulesOfAHostWithoutDevices) {
  const auto snat_missing = [](const Change& change) {
    for (const Finding& f : triage_of_databases("iptables-save", change).findings)
      if (f.id == "egressip-snat-missing") return f.claim;
    return std::string();
  };
  EXPECT_EQ("", snat_missing({}));
  EXPECT_NE("", snat_missing([](Sample& s) { s.without_lines("master-02-demo/iptables-save", "192.168.66.100"); }));
}

// What is presumed of their hosts is no evidence of what OVN-Kubernetes has done.
TEST(Triage, IsQuietOnTheDatabasesOfAHealthySnapshot) {
  const Triage t = triage_of_databases({});
  for (const Finding& f : t.findings) EXPECT_EQ(Severity::note, f.severity) << f.id << ": " << f.claim;
  EXPECT_NE(shown(t).find("egressip-pod-not-taken-up"), std::string::npos) << shown(t);
}

TEST(Triage, ComparesEachRuleOfAnEgressFirewallWithItsAcl) {
  const auto claims = [](const Change& change) {
    std::string all;
    for (const Finding& f : run(change, {"egressfirewall-acl"}).findings) all += f.claim + "\n";
    return all;
  };
  EXPECT_EQ(
      "On master-03-demo the ACL of rule 0 (Deny 203.0.113.0/24) of EgressFirewall demo-egress/default has the action allow.\n",
      claims([](Sample& s) { add_egress_firewall(s, "allow", "198.51.100.7"); }));
  EXPECT_EQ(
      "On master-03-demo the address set of rule 1 (Allow www.example.com) of EgressFirewall demo-egress/default lacks "
      "198.51.100.7.\n",
      claims([](Sample& s) { add_egress_firewall(s, "drop", "198.51.100.8"); }));
  EXPECT_EQ(
      "On master-03-demo the ACL of rule 0 (Deny 203.0.113.0/24) of EgressFirewall demo-egress/default has other destinations: "
      "(ip4.dst == 203.0.112.0/24) && inport == @a7.\n",
      claims([](Sample& s) {
        add_egress_firewall(s, "drop", "198.51.100.7");
        s.replace("master-03-demo/ovn-nbctl_list_acl", "203.0.113.0/24", "203.0.112.0/24");
      }));
  EXPECT_EQ("OVN on master-03-demo has no ACL for rule 0 (Deny 203.0.113.0/24) of EgressFirewall demo-egress/default.\n",
            claims([](Sample& s) {
              add_egress_firewall(s, "drop", "198.51.100.7");
              s.without_record("master-03-demo/ovn-nbctl_list_acl", "203.0.113.0/24");
            }));
}

TEST(Triage, ComparesEachRuleOfAnEgressQosWithItsRow) {
  const auto found = [](const Change& change) { return shown(run(change, {"object-not-accepted", "egressqos-rows"})); };
  const std::string mark = found([](Sample& s) { add_egress_qos(s, "12"); });
  EXPECT_TRUE(
      mark.starts_with("egressqos-rows: On master-03-demo the QoS row of rule 0 (DSCP 46 to 203.0.113.0/24) of EgressQoS "
                       "demo-egress/default has the action 12.\n"))
      << mark;
  const std::string missing = found([](Sample& s) {
    add_egress_qos(s, "46");
    s.without_record("master-03-demo/ovn-nbctl_list_qos", "dscp=10");
  });
  EXPECT_NE(missing.find("OVN on master-03-demo has no QoS row for rule 1 (DSCP 10) of EgressQoS demo-egress/default"),
            std::string::npos)
      << missing;
  const std::string other = found([](Sample& s) {
    add_egress_qos(s, "46");
    s.replace("master-03-demo/ovn-nbctl_list_qos", "0.0.0.0/0", "10.0.0.0/8");
  });
  EXPECT_NE(other.find("rule 1 (DSCP 10) of EgressQoS demo-egress/default matches other destinations: (ip4.dst == 10.0.0.0/8"),
            std::string::npos)
      << other;
  const std::string set = found([](Sample& s) { add_egress_qos(s, "46", "\"10.133.0.4\""); });
  EXPECT_NE(set.find("On master-03-demo the address sets of rule 0 (DSCP 46 to 203.0.113.0/24) of EgressQoS demo-egress/default "
                     "lack pod demo-egress/requester-3a (10.133.0.9)."),
            std::string::npos)
      << set;
  // On the other nodes with pods of the namespace no dump shows the rows.
  EXPECT_NE(set.find("skipped egressqos-rows: the snapshot lacks QoS rows of master-"), std::string::npos) << set;
}

TEST(Triage, AnEgressQosOfAnotherNameHasNoEffect) {
  const auto found = [](const Change& change) { return shown(run(change, {"object-not-accepted", "egressqos-rows"})); };
  const std::string named = found([](Sample& s) { add_egress_qos(s, "46", kMarkedPods, "voice"); });
  EXPECT_TRUE(named.starts_with("egressqos-rows: EgressQoS demo-egress/voice has no effect: ")) << named;
  const std::string refused = found([](Sample& s) { add_egress_qos(s, "12", kMarkedPods, "default", "False"); });
  EXPECT_EQ(refused,
            "object-not-accepted: OVN-Kubernetes has not accepted EgressQoS demo-egress/default: Ready-In-Zone-master-03-demo: "
            "why. What it asks for may not be in force.\n");
}

TEST(Triage, ABfdSessionThatIsDownTakesRoutesAway) {
  const auto found = [](const std::string& also, const Change& more = as_it_is) {
    return run(
        [&](Sample& s) {
          add_external_route(s);
          bfd_session(s, "down", also);
          more(s);
        },
        {"bfd-session-down"});
  };
  const Triage alone = found("");
  ASSERT_EQ(alone.findings.size(), 1u) << shown(alone);
  EXPECT_EQ(alone.findings[0].severity, Severity::error);
  EXPECT_EQ(alone.findings[0].object, "AdminPolicyBasedExternalRoute blue");
  EXPECT_TRUE(
      alone.findings[0].claim.starts_with("The BFD session of port rtoe-GR_master-01-demo on master-01-demo with external "
                                          "gateway 192.168.99.12 is down: OVN has withdrawn 1 route by it, of pod ns-blue/"))
      << alone.findings[0].claim;
  EXPECT_TRUE(alone.findings[0].claim.ends_with("(10.134.0.21), and no other gateway is left there.")) << alone.findings[0].claim;
  std::string second = static_route("10.134.0.21", '2');
  second.replace(second.find("192.168.99.12"), 13, "192.168.99.13");
  const Triage of_two = found(second);
  ASSERT_EQ(of_two.findings.size(), 1u) << shown(of_two);
  EXPECT_EQ(of_two.findings[0].severity, Severity::warning);
  EXPECT_TRUE(of_two.findings[0].claim.ends_with("; other gateways are left there.")) << of_two.findings[0].claim;
  const Triage without = found("", [](Sample& s) { s.remove("master-01-demo/ovn-nbctl_list_bfd"); });
  EXPECT_EQ(
      shown(without),
      "skipped bfd-session-down: the snapshot lacks BFD sessions of master-01-demo (ovn-nbctl list bfd, ovn-sbctl list bfd)\n");
}

TEST(Triage, AnEncryptedTunnelTakesACertificateAKeyAndACa) {
  const auto found = [](const std::string& settings) {
    return shown(run([&](Sample& s) { ipsec_settings(s, settings); }, {"ipsec-connection-down"}));
  };
  EXPECT_EQ(found("ca_cert=\"/ca.pem\", certificate=\"/c.pem\", private_key=\"/k.pem\""), "");
  EXPECT_NE(
      found("certificate=\"/c.pem\", private_key=\"/k.pem\"")
          .find(" of master-02-demo to 192.168.99.25 is to be encrypted, and other_config:ca_cert of Open_vSwitch is not set: "
                "ovs-monitor-ipsec sets up no connection for it."),
      std::string::npos)
      << found("certificate=\"/c.pem\", private_key=\"/k.pem\"");
  EXPECT_NE(found("").find("other_config:certificate"), std::string::npos) << found("");
}

// By a log of `egtrace collect`, which has the time of each dump.
TEST(Triage, ACertificateIsValidWhenItIsListed) {
  const auto found = [](const std::string& log, const std::string& also = "") {
    return shown(run(
        [&](Sample& s) {
          s.write("master-02-demo/ipsec_whack_--listall",
                  "000 \n000 List of X.509 End Certificates:\n000 \n000 End certificate \"ovs_certkey_d88ff5\" - SN: 0x01\n"
                  "000   subject: CN=d88ff5\n000   issuer: CN=ca\n000   not before: Sat Mar 01 12:00:00 2025\n"
                  "000   not after: Sun Mar 01 12:00:00 2026\n000   2048 bit RSA: has private key\n000 \n" +
                      also);
          if (!log.empty()) s.write("master-02-demo/egtrace-collect.tsv", log);
        },
        {"ipsec-certificate"}));
  };
  const auto log = [](const std::string& time) {
    return "# egtrace collect\n" + time + "\t0\t0\t0\tipsec_whack_--listall\tipsec whack --listall\n";
  };
  EXPECT_EQ(found(log("1767225600")), "");  // 2026-01-01
  EXPECT_TRUE(found(log("1775001600"))
                  .starts_with("ipsec-certificate: IPsec certificate ovs_certkey_d88ff5 of master-02-demo was valid until "
                               "2026-03-01T12:00:00Z, and by the archive it was listed at "
                               "2026-04-01T00:00:00Z: "))
      << found(log("1775001600"));
  EXPECT_TRUE(found(log("1735689600"))
                  .starts_with("ipsec-certificate: IPsec certificate ovs_certkey_d88ff5 of master-02-demo is valid from "
                               "2025-03-01T12:00:00Z on, "))
      << found(log("1735689600"));
  EXPECT_EQ(found(log("1775001600"),
                  "000 End certificate \"ovs_certkey_d88ff5\" - SN: 0x02\n000   not before: Sun Mar 01 12:00:00 2026\n"
                  "000   not after: Mon Mar 01 12:00:00 2027\n"),
            "");
  EXPECT_TRUE(
      found("").starts_with("skipped ipsec-certificate: the snapshot lacks when certificates of master-02-demo were listed"))
      << found("");
}

// The transit switch of a user-defined network has a port of each node with pods there.
TEST(Triage, UserDefinedNetworksHaveTransitSwitchesOfTheirOwn) {
  const auto port = [](char digit, const std::string& node) {
    return "\n_uuid               : a111111" + std::string(1, digit) +
           "-2222-4333-8444-555555555555\naddresses           : []\nexternal_ids        : {}\nname                : "
           "cluster_udn_blue_tstor-" +
           node + "\noptions             : {}\ntype                : remote\n";
  };
  const auto found = [](const std::string& ports) {
    return shown(run(
        [&](Sample& s) {
          on_network_of_transport(s, "Geneve", "True");
          s.append("master-01-demo/ovn-nbctl_list_logical_switch_port", ports);
        },
        {"transit-port-missing"}));
  };
  EXPECT_EQ(
      found(port('1', "master-01-demo")),
      "transit-port-missing: The transit switch of master-01-demo for network cluster_udn_blue has no port of master-03-demo: "
      "pods of the two nodes do not reach each other.\n");
  EXPECT_EQ(found(port('1', "master-01-demo") + port('3', "master-03-demo")), "");
}

// A pod has a port of its own on each network of OVN-Kubernetes; other plugins' interfaces have none there.
TEST(Triage, PodsHaveAPortOnEachOfTheirNetworks) {
  const std::string networks = R"(k8s.ovn.org/pod-networks: '{)", own = R"("default":{"ip_addresses":["10.133.0.3/23"])";
  const auto found = [&](const std::string& with, const Change& change = as_it_is) {
    return shown(run(
        [&](Sample& s) {
          s.replace("k8s/pods.yaml", networks + own, with + own);
          change(s);
        },
        {"pod-port-unclaimed"}));
  };
  const std::string blue =
      networks + R"("demo-egress/blue":{"ip_addresses":["10.200.0.3/24"],"mac_address":"0a:58:0a:c8:00:03","role":"primary"},)";
  const std::string begin =
      "pod-port-unclaimed: Pod demo-egress/requester-3b runs on master-03-demo, but Open vSwitch there has no interface of it";
  EXPECT_EQ(found(blue), begin + " on network demo-egress/blue.\n");
  EXPECT_EQ(found(blue,
                  [](Sample& s) {
                    s.replace("master-03-demo/ovs-vsctl_list_interface", "iface-id=demo-egress_requester-3b",
                              "iface-id=demo.egress.blue_demo-egress_requester-3b");
                  }),
            begin + ".\n");
  EXPECT_EQ(found(R"(k8s.v1.cni.cncf.io/network-status: '[{"name":"demo-egress/lan","interface":"net1","ips":["10.9.0.3"]}]')"
                  "\n      " +
                  networks),
            "");
}

// Without the routers nothing shows whether networks are connected.
TEST(Triage, ConnectedNetworksAreNotCheckedWithoutTheRouters) {
  const auto found = [](const Change& change) { return shown(run(change, {"network-connect-route-missing"})); };
  EXPECT_EQ(found(as_it_is), "");
  EXPECT_EQ(
      found([](Sample& s) { s.remove("master-02-demo/ovn-nbctl_list_logical_router"); }),
      "skipped network-connect-route-missing: the snapshot lacks routes of logical routers of master-02-demo (ovn-nbctl list "
      "logical_router, logical_router_port, logical_router_static_route)\n");
}

TEST(Triage, ADropOfIptablesCountsUpWhereNoOtherCounterGoesDown) {
  const auto save = [](int first, int drop) {
    return "# Generated by iptables-save v1.8.9 on Sat Mar  1 12:00:00 2026\n*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT "
           "[0:0]\n"
           ":OUTPUT ACCEPT [0:0]\n[" +
           std::to_string(first) + ":60] -A FORWARD -i eth9 -j ACCEPT\n[" + std::to_string(drop) +
           ":60] -A FORWARD -o eth9 -j DROP\nCOMMIT\n# Completed on Sat Mar  1 12:00:00 2026\n";
  };
  const auto dropped = [&](int first, int drop) {
    return run(
        [&](Sample& s) {
          only_iptables(s, "router")
              .write("router/iptables-save", save(1, 2))
              .copy("router/iptables-save", "router/later/iptables-save")
              .write("router/later/iptables-save", save(first, drop));
        },
        {"drop-counts-up"});
  };
  const Triage more = dropped(4, 9);
  ASSERT_EQ(1u, more.findings.size()) << shown(more);
  EXPECT_NE(std::string::npos,
            more.findings.front().claim.find("dropped 7 packets between router/iptables-save and router/later"))
      << shown(more);
  EXPECT_EQ(2u, more.findings.front().evidence.size());
  EXPECT_TRUE(dropped(4, 2).findings.empty());
  EXPECT_TRUE(dropped(0, 9).findings.empty());  // one of them was set to 0: which is later, nothing shows
}

// What is missing behind the cluster changes nothing of the source that leaves it: audit and triage agree.
TEST(Triage, ALeakIsOneWithoutTheDumpsOfTheRouter) {
  const Triage t = run(
      [](Sample& s) {
        drop_snat(s);
        for (const auto& entry : std::filesystem::directory_iterator(s.path() + "/router"))
          s.remove("router/" + entry.path().filename().string());
      },
      {"egress-leak"});
  ASSERT_FALSE(t.findings.empty()) << shown(t);
  EXPECT_EQ(Severity::error, t.findings.front().severity);
}

// Of the rows of audit none is about pods of two nodes.
TEST(Triage, ReportsWhatIsLostBetweenPodsOfTwoNodes) {
  const Triage t =
      run([](Sample& s) { s.without_lines("master-03-demo/ovs-ofctl_dump-flows_br-int.gz", "priority=100,in_port=4"); },
          {"connection-lost"});
  ASSERT_FALSE(t.findings.empty()) << shown(t);
  EXPECT_EQ(Severity::error, t.findings.front().severity);
  EXPECT_NE(std::string::npos, t.findings.front().claim.find("br-int table 0")) << shown(t);
}

// As kubelet does. Of the rows of audit none is about a node and its own pods.
TEST(Triage, ReportsWhatANodeCannotSendToItsOwnPods) {
  const Triage t = run(
      [](Sample& s) {
        only_iptables(s, "master-03-demo")
            .replace("master-03-demo/iptables-save", "-A FORWARD -d 169.254.0.1/32 -j ACCEPT\n",
                     "-A FORWARD -d 169.254.0.1/32 -j ACCEPT\n-A OUTPUT -d 10.133.0.0/23 -p icmp -j DROP\n");
      },
      {"connection-lost"});
  EXPECT_TRUE(std::any_of(t.findings.begin(), t.findings.end(), [](const Finding& f) {
    return f.severity == Severity::error && f.claim.find("node:master-03-demo to ") != std::string::npos &&
           f.claim.find("OUTPUT") != std::string::npos;
  })) << shown(t);
}

// A finding that shows which connections it explains is the only one about them, and takes its severity from them.
TEST(Triage, APortThatDropsIsOneFinding) {
  const Triage t = run([](Sample& s) { set_flag(s, "master-03-demo", "br-int", "115c3e4009659bf", "NO_RECV"); }, {});
  ASSERT_FALSE(t.findings.empty());
  EXPECT_EQ("port-flag", t.findings.front().id) << shown(t);
  EXPECT_EQ(Severity::error, t.findings.front().severity);
  for (const Finding& f : t.findings)
    if (f.id == "connection-lost") {
      EXPECT_EQ(std::string::npos, f.claim.find("requester-3b")) << shown(t);
    }
}

// A row that was left on another node's gateway router: OVN there answers ARP for its external address.
TEST(Triage, AnAddressOfANatRowIsAnotherNodes) {
  const auto found = [](const char* external) {
    const Triage t = run(
        [&](Sample& s) {
          s.append("master-03-demo/ovn-nbctl_list_nat", snat_row("10.134.9.21", external, '1'));
          s.replace("master-03-demo/ovn-nbctl_list_logical_router", "nat                 : [15c34f5b",
                    "nat                 : [11111111-2222-4333-8444-555555555555, 15c34f5b");
        },
        {});
    return std::any_of(t.findings.begin(), t.findings.end(), [](const Finding& f) {
      return f.id == "duplicate-address" && f.claim.find("OVN on master-03-demo answers ARP for it") != std::string::npos;
    });
  };
  EXPECT_TRUE(found("192.168.99.24"));
  EXPECT_FALSE(found("192.168.99.25"));  // its own
  EXPECT_FALSE(found("192.168.99.77"));  // nobody's
}

// As ovs-vsctl 3.1 lists a mirror of a bridge that somebody made for a capture, with a pod's port as its output.
TEST(Triage, APortThatAMirrorHasTakenIsOneFinding) {
  const std::string mirror = "00000000-0000-4000-8000-00000000000a", port = "00000000-0000-4000-8000-00000000000b";
  const auto taken = [&](const char* bridge) {
    return run(
        [&](Sample& s) {
          s.write("master-03-demo/ovs-vsctl_list_mirror", "_uuid               : " + mirror +
                                                              "\nname                : spy\noutput_port         : " + port +
                                                              "\nselect_all          : true\n");
          s.write("master-03-demo/ovs-vsctl_list_bridge",
                  "_uuid               : 00000000-0000-4000-8000-00000000000c\nmirrors             : [" + mirror +
                      "]\nname                : " + bridge + "\n");
          s.write("master-03-demo/ovs-vsctl_list_port",
                  "_uuid               : " + port + "\nname                : \"115c3e4009659bf\"\n");
        },
        {});
  };
  const Triage t = taken("br-int");
  const auto found = std::find_if(t.findings.begin(), t.findings.end(), [](const Finding& f) { return f.id == "port-flag"; });
  ASSERT_NE(t.findings.end(), found) << shown(t);
  EXPECT_NE(std::string::npos, found->claim.find("mirror spy")) << shown(t);
  const Triage other = taken("br-ex");
  EXPECT_TRUE(std::none_of(other.findings.begin(), other.findings.end(), [](const Finding& f) { return f.id == "port-flag"; }))
      << shown(other);
}

TEST(Triage, APodThatHasEndedAndIsStillServedIsAWarning) {
  const Triage t = run(
      [](Sample& s) {
        add_service(s, "Cluster", "- addresses: [10.132.0.77]\n  nodeName: master-01-demo\n  conditions: {ready: true}\n");
        s.append("k8s/pods.yaml", pod_of_phase("Failed", "10.132.0.77"));
      },
      {"pod-not-running"});
  ASSERT_EQ(1U, t.findings.size()) << shown(t);
  EXPECT_EQ(Severity::warning, t.findings.front().severity);
  EXPECT_EQ("Pod other/job has ended (Failed), and service demo-web/shop still sends to its address 10.132.0.77.",
            t.findings.front().claim);
}

// What a set that lacks a pod does is what the flows do: where they are older, or the pod leaks, nothing is rerouted.
TEST(Triage, AnAddressSetHasTheEffectThatWalksShow) {
  const auto lacking = [](Sample& s) {
    for (const char* file : {"master-03-demo/ovn-nbctl_list_address_set", "master-03-demo/ovn-sbctl_list_Address_Set"})
      s.replace(file, "[\"10.132.0.13\", \"10.133.0.9\"]", "[\"10.132.0.13\"]");
  };
  const Triage older = run(lacking, {"egressip-address-set-lacks-pod"});
  ASSERT_EQ(1U, older.findings.size()) << shown(older);
  EXPECT_EQ(Severity::warning, older.findings.front().severity);
  EXPECT_NE(std::string::npos, older.findings.front().claim.find("do not follow that yet")) << shown(older);
  const Triage leaking = run(
      [&](Sample& s) {
        lacking(s);
        s.without_lines("master-03-demo/ovs-ofctl_dump-flows_br-int.gz", "priority=100,ip,metadata=0x4,nw_src=10.133.0.9");
      },
      {"egressip-address-set-lacks-pod"});
  ASSERT_EQ(1U, leaking.findings.size()) << shown(leaking);
  EXPECT_EQ(Severity::error, leaking.findings.front().severity);
  EXPECT_NE(std::string::npos, leaking.findings.front().claim.find("it leaves as 192.168.99.25, not as 192.168.66.100"))
      << shown(leaking);
}

TEST(Triage, ARouterThatDoesNotForwardLosesConnections) {
  const Triage t = run(
      [](Sample& s) {
        s.replace("router/sysctl", "net.ipv4.ip_forward = 1", "net.ipv4.ip_forward = 0")
            .replace("router/sysctl", "net.ipv4.conf.all.forwarding = 1", "net.ipv4.conf.all.forwarding = 0")
            .replace("router/sysctl", "net.ipv4.conf.enp1s0.forwarding = 1", "net.ipv4.conf.enp1s0.forwarding = 0");
      },
      {"connection-lost"});
  ASSERT_FALSE(t.findings.empty());
  EXPECT_EQ(Severity::error, t.findings.front().severity) << shown(t);
  EXPECT_NE(std::string::npos, t.findings.front().claim.find("lost at router")) << shown(t);
}

// A leak of one pod explains nothing of another one that the same object selects and whose packets are dropped.
TEST(Triage, ADropDoesNotHideBehindALeak) {
  const Triage t = run(
      [](Sample& s) {
        only_iptables(s, "master-02-demo")
            .without_lines("master-02-demo/iptables-save", "10.133.0.9")
            .replace("master-02-demo/iptables-save", "-A FORWARD -d 169.254.0.1/32 -j ACCEPT\n",
                     "-A FORWARD -d 169.254.0.1/32 -j ACCEPT\n-A FORWARD -s 10.132.0.13/32 -j DROP\n");
      },
      {});
  EXPECT_TRUE(std::any_of(t.findings.begin(), t.findings.end(), [](const Finding& f) {
    return f.severity == Severity::error && f.claim.find("demo-egress/requester-2a") != std::string::npos &&
           f.claim.find("FORWARD") != std::string::npos;
  })) << shown(t);
}

// One cause on several nodes is one finding, and so is one policy against several destinations.
TEST(Triage, OneCauseIsOneFinding) {
  const Triage t =
      run([](Sample& s) { s.replace("server/ip_route_show_table_all", "default via 192.168.55.12 dev enp1s0 \n", ""); },
          {"connection-lost"});
  std::size_t errors = 0;
  for (const Finding& f : t.findings) errors += f.severity == Severity::error ? 1U : 0U;
  EXPECT_EQ(1U, errors) << shown(t);
}

// What the destination itself has wrong is the cause, wherever the packet ends.
TEST(Cause, IsInTheDestination) {
  Sample sample;
  sample.append("k8s/pods.yaml", pod_of_phase("Succeeded", "10.132.0.77"));
  add_service(sample, "Cluster", kWebTwo);
  const cluster::Cluster cluster = sample.read();
  const explain::Explainer explainer(cluster);
  const auto cause = [&](const char* to) {
    explain::Question q;
    q.from = *explain::parse_point("other/client-1");
    q.to = *explain::parse_point(to);
    q.dport = q.to.port;
    const auto x = explainer.explain(q);
    if (!x) return x.error().message;
    const auto found = find_cause(explainer, *x);
    return found ? found->finding + ": " + found->claim : std::string();
  };
  EXPECT_EQ(
      "service-address: no Service of the snapshot has the address 172.22.77.7, which is of the service network 172.22.0.0/16",
      cause("172.22.77.7:80"));
  EXPECT_EQ("service-port: Service demo-web/shop has port 8080/TCP, not 9999/TCP", cause("svc:demo-web/shop:9999"));
  EXPECT_EQ("pod-not-running: pod other/job, which had the address 10.132.0.77, has ended", cause("10.132.0.77:80"));
  EXPECT_EQ("pod other/job has ended (Succeeded) and has no address", cause("other/job:80"));
}

TEST(Triage, ARuleAgainstOnePortIsNoGuardAgainstPods) {
  const Triage t = run(
      [](Sample& s) {
        only_iptables(s, "router")
            .write("router/iptables-save",
                   "*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n"
                   "-A FORWARD -s 10.9.0.0/16 -p udp -m udp --dport 6081 -j DROP\nCOMMIT\n");
      },
      {"guard-cannot-match"});
  EXPECT_TRUE(t.findings.empty()) << shown(t);
}

// What a pod sends within the cluster counts at its port, not at the policy that sends it out.
TEST(Triage, APodThatNeverLeavesTheClusterMissesNoTranslation) {
  const Triage t = run(
      [](Sample& s) {
        counters(s, "[7:420]", "[0:0]");
        // Flows of the policy, on the pod's node and on the one of the egress IP; compressed or not, contents show.
        for (const std::string node : {"master-03-demo", "master-02-demo"})
          s.replace(node + "/ovs-ofctl_dump-flows_br-int.gz", "table=25, n_packets=14,", "table=25, n_packets=0,");
      },
      {"translation-never-counted"});
  EXPECT_TRUE(t.findings.empty()) << shown(t);
}

TEST(Triage, PutsCausesBeforeWhatFollowsFromThem) {
  const Triage t = run(drop_snat, {});
  ASSERT_FALSE(t.findings.empty());
  EXPECT_EQ("egressip-snat-missing", t.findings.front().id) << shown(t);
  EXPECT_EQ(Severity::error, t.findings.front().severity);
}

// Where the dumps of a layer are missing, a check says so instead of taking absence for a fault.
TEST(Triage, TakesNoAbsentDumpForAFault) {
  const Triage t = run(
      [](Sample& s) {
        for (const char* file :
             {"ip_rule", "ip_route_show_table_all", "iptables-save", "iptables_-t_nat_-S", "nft_list_ruleset",
              "nft_-j_list_ruleset", "ovn-nbctl_list_logical_router_policy", "ovn-nbctl_lr-policy-list_ovn_cluster_router",
              "ovn-nbctl_list_nat", "ovn-sbctl_list_Chassis", "ovn-sbctl_show", "sysctl"})
          s.remove(std::string("master-02-demo/") + file);
      },
      {});
  for (const Finding& f : t.findings) EXPECT_EQ(Severity::note, f.severity) << f.id << ": " << f.claim;
  EXPECT_TRUE(std::any_of(t.skipped.begin(), t.skipped.end(), [](const SkippedCheck& s) {
    return s.id == "egressip-rule-missing";
  })) << shown(t);
}

}  // namespace
}  // namespace egt::assess
