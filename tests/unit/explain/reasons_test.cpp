// Summaries show what led a packet to its end, not only the rule that ended it.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/run.h"

namespace {

namespace fs = std::filesystem;

class SampleCopy {
 public:
  // `only`: folders of the sample; empty: all.
  explicit SampleCopy(const std::vector<std::string>& only = {}) {
    const fs::path sample = fs::path(EGTRACE_SOURCE_DIR) / "samples/egressip-secondary";
    const auto copy = [&](const fs::path& to) {
      fs::copy(sample / to, fs::path(folder_.path()) / to, fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    };
    if (only.empty()) copy("");
    for (const std::string& folder : only) copy(folder);
  }
  void replace(const std::string& file, const std::string& from, const std::string& to) {
    const std::string path = folder_.path() + "/" + file;
    std::string text = egt::testing::read_file(path);
    const std::size_t at = text.find(from);
    ASSERT_NE(std::string::npos, at) << file;
    egt::testing::write_file(path, text.replace(at, from.size(), to));
  }
  void add(const std::string& file, const std::string& text) { egt::testing::write_file(folder_.path() + "/" + file, text); }
  void duplicate(const std::string& folder, const std::string& as) {
    fs::copy(fs::path(folder_.path()) / folder, fs::path(folder_.path()) / as, fs::copy_options::recursive);
  }
  // The summary as one line.
  std::string summary(std::vector<std::string> question) const {
    question.push_back("-q");
    return shown(question);
  }
  // All that is shown, without breaks of lines.
  std::string shown(const std::vector<std::string>& question) const {
    std::vector<std::string> command = {EGTRACE_BINARY, "explain", folder_.path()};
    command.insert(command.end(), question.begin(), question.end());
    std::string out = egt::testing::run(command).out, line;
    for (const char c : out)
      if (c != '\n')
        line += c;
      else if (!line.empty())
        line += ' ';
    for (std::size_t at = line.find("  "); at != std::string::npos; at = line.find("  ")) line.erase(at, 1);
    return line;
  }

 private:
  egt::testing::TemporaryDirectory folder_;
};

bool says(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

TEST(Reasons, TheAnswerGoesToTheWrongNode) {
  SampleCopy sample;
  const std::vector<std::string> question = {"--from", "demo-egress/requester-2a", "--to", "192.168.55.13:80"};
  EXPECT_TRUE(says(sample.summary(question), "ANSWERED")) << sample.summary(question);
  sample.replace("router/ip_route_show_table_all", "192.168.66.100 nhid 10 via 192.168.99.24",
                 "192.168.66.100 nhid 10 via 192.168.99.23");
  const std::string summary = sample.summary(question);
  EXPECT_TRUE(says(summary, "NO ANSWER (proven): the reply from 192.168.55.13 to 192.168.66.100 is dropped")) << summary;
  EXPECT_TRUE(says(summary, "sends it to the wrong node: master-02-demo translates the request to 192.168.66.100")) << summary;
  sample.replace("router/ip_route_show_table_all", "192.168.99.23 dev enp1s0 proto bgp", "192.168.99.23 dev enp1s0 proto static");
  sample.replace("router/vtysh_-c_show_ip_route", "B>* 192.168.66.100/32", "B   192.168.66.100/32");
  const std::string shadowed = sample.summary(question);
  EXPECT_TRUE(
      says(shadowed,
           "router's static route 192.168.66.100 via 192.168.99.23, which is preferred to BGP's via 192.168.99.24, sends it "
           "to the wrong node"))
      << shadowed;
}

TEST(Reasons, TheAnswerHasNoRoute) {
  SampleCopy sample;
  sample.replace("router/ip_route_show_table_all", "192.168.66.100 nhid", "192.168.66.101 nhid");
  const std::string summary = sample.summary({"--from", "demo-egress/requester-2a", "--to", "192.168.55.13:80"});
  EXPECT_TRUE(says(summary, "NO ANSWER (proven): the reply from 192.168.55.13 to 192.168.66.100 is dropped")) << summary;
  EXPECT_FALSE(says(summary, "wrong node")) << summary;
}

TEST(Reasons, WhatWasNotWalkedIsNotClaimed) {
  SampleCopy sample;
  const std::string one_way = sample.summary({"--from", "demo-egress/requester-2a", "--to", "192.168.55.13:80", "--one-way"});
  EXPECT_TRUE(says(one_way, "ANSWERED if the reply arrives (assumed)")) << one_way;
}

TEST(Reasons, SocketsOfTheReceiverDecide) {
  SampleCopy sample;
  sample.add("server/ss_-tulpn",
             "Netid State  Recv-Q Send-Q Local Address:Port Peer Address:PortProcess\n"
             "tcp   LISTEN 0      128          0.0.0.0:80      0.0.0.0:*          \n");
  const std::string open = sample.summary({"--from", "demo-egress/requester-2a", "--to", "192.168.55.13:80"});
  EXPECT_TRUE(says(open, "ANSWERED (proven): server (192.168.55.13:80) sees")) << open;
  const std::string closed = sample.summary({"--from", "demo-egress/requester-2a", "--to", "192.168.55.13:81"});
  EXPECT_TRUE(says(closed, "REFUSED (proven): no process listens on 192.168.55.13:81")) << closed;
}

// As `egtrace collect` and sos lay them out. What a pod's own rules do with the connection no dump shows.
TEST(Reasons, SocketsOfAPodsNamespaceDecide) {
  SampleCopy sample;
  const std::string place = "master-02-demo/netns/cni-7/ip_netns_exec_cni-7_";
  const std::vector<std::string> question = {"--from", "demo-egress/requester-3a", "--to", "demo-egress/requester-2a:9099"};
  EXPECT_TRUE(says(sample.summary(question), "ANSWERED if a process listens on 10.132.0.13:9099")) << sample.summary(question);
  sample.add(place + "ip_-d_addr", "3: eth0@if9: <UP> mtu 1400 state UP\n    inet 10.132.0.13/23 scope global eth0\n");
  const std::string header = "Netid State  Recv-Q Send-Q Local Address:Port Peer Address:PortProcess\n";
  sample.add(place + "ss_-tulpn", header + "tcp   LISTEN 0      128          0.0.0.0:9099    0.0.0.0:*          \n");
  EXPECT_TRUE(says(sample.summary(question), "ANSWERED (proven)")) << sample.summary(question);
  sample.add(place + "ss_-tulpn", header + "tcp   LISTEN 0      128        127.0.0.1:9099    0.0.0.0:*          \n");
  const std::string closed = sample.shown(question);
  EXPECT_TRUE(says(closed, "REFUSED (assumed): no process listens on 10.132.0.13:9099")) << closed;
  EXPECT_TRUE(says(closed, "no rule in the network namespace of demo-egress/requester-2a redirects the connection")) << closed;
  sample.add("k8s/endpointslices.yaml",
             "apiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\nmetadata:\n  name: a-1\n  namespace: demo-egress\n"
             "  labels: {kubernetes.io/service-name: a}\nendpoints:\n- addresses: [10.132.0.13]\n  conditions: {ready: true}\n"
             "ports:\n- {port: 9099, protocol: TCP}\n");
  EXPECT_TRUE(says(sample.summary(question), "if a process listens"))
      << "ready, but nobody listens: " << sample.summary(question);
  sample.add("k8s/endpointslices.yaml", "# none\n");
  sample.add("master-02-demo/netns/cni-8/ip_netns_exec_cni-8_ip_-d_addr",
             "3: eth0@if9: <UP> mtu 1400 state UP\n    inet 10.132.0.13/23 scope global eth0\n");
  EXPECT_TRUE(says(sample.summary(question), "if a process listens")) << "which of the two is the pod's?";
}

// Half a node's dumps in a second folder make a second node with its addresses.
TEST(Reasons, SeveralNodesHaveTheTunnelsEnd) {
  SampleCopy sample;
  sample.duplicate("master-02-demo", "stray");
  const std::string shown = sample.shown({"--from", "demo-egress/requester-3a", "--to", "demo-egress/requester-2a:8080"});
  EXPECT_FALSE(says(shown, "(proven)")) << shown;
}

// Masks and MACs that sos clean replaced may be all that stops the packet.
TEST(Reasons, NoDropIsToldOfReplacedAddresses) {
  SampleCopy sample;
  sample.replace("router/ip_route_show_table_all", "192.168.66.100 nhid", "192.168.66.101 nhid");
  sample.add("report-obfuscated.txt", "of sos clean");
  const std::string shown = sample.shown({"--from", "demo-egress/requester-2a", "--to", "192.168.55.13:80"});
  EXPECT_TRUE(says(shown, "undecided: in what sos clean left of the dumps, ")) << shown;
  EXPECT_TRUE(says(shown, "addresses as they were before sos clean replaced them")) << shown;
  EXPECT_FALSE(says(shown, "DROPPED")) << shown;
  EXPECT_FALSE(says(shown, "proven")) << shown;
}

// What objects imply and the dumps do otherwise.
TEST(IntentChecker, APodLeavesOtherwiseThanItsEgressIpSays) {
  SampleCopy sample;
  const std::vector<std::string> question = {"--from", "demo-egress/requester-3a", "--to", "192.168.55.13:80"};
  sample.replace("k8s/egressips.yaml", "node: master-02-demo", "node: master-01-demo");
  const std::string shown = sample.shown(question);
  EXPECT_TRUE(says(shown,
                   "EgressIP project-egressip: the pod leaves as 192.168.66.100 by master-01-demo, but it leaves as "
                   "192.168.66.100 by master-02-demo"))
      << shown;
}

TEST(IntentChecker, AnEgressServiceOutweighsAnEgressIp) {
  SampleCopy sample;
  sample.add("k8s/egressservice.yaml", R"(apiVersion: v1
kind: List
items:
- {apiVersion: k8s.ovn.org/v1, kind: EgressService, metadata: {name: out, namespace: demo-egress},
   spec: {sourceIPBy: LoadBalancerIP}, status: {host: master-01-demo}}
- apiVersion: v1
  kind: Service
  metadata: {name: out, namespace: demo-egress}
  spec: {clusterIP: 172.22.0.77, type: LoadBalancer, ports: [{port: 80}], selector: {no: body}}
  status: {loadBalancer: {ingress: [{ip: 192.168.66.200}]}}
- apiVersion: discovery.k8s.io/v1
  kind: EndpointSlice
  metadata: {name: out-1, namespace: demo-egress, labels: {kubernetes.io/service-name: out}}
  ports: [{port: 8080}]
  endpoints:
  - {addresses: [10.133.0.9], nodeName: master-03-demo, targetRef: {kind: Pod, name: requester-3a, namespace: demo-egress}}
)");
  const std::string shown = sample.shown({"--from", "demo-egress/requester-3a", "--to", "192.168.55.13:80"});
  EXPECT_TRUE(says(shown,
                   "EgressService demo-egress/out: its pods leave as 192.168.66.200 by master-01-demo, but it leaves as "
                   "192.168.66.100 by master-02-demo"))
      << shown;
}

TEST(IntentChecker, GatewaysAndFirewallsOfANamespace) {
  SampleCopy sample;
  sample.add("k8s/egressips.yaml", R"(apiVersion: v1
kind: List
items:
- {apiVersion: k8s.ovn.org/v1, kind: AdminPolicyBasedExternalRoute, metadata: {name: gateway},
   spec: {from: {namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: demo-egress}}}, nextHops: {static: [{ip: 192.168.99.13}]}}}
- {apiVersion: k8s.ovn.org/v1, kind: EgressFirewall, metadata: {name: default, namespace: demo-egress},
   spec: {egress: [{type: Deny, to: {cidrSelector: 192.168.55.0/24}, ports: [{protocol: TCP, port: 81}]}]}}
)");
  const std::string allowed = sample.shown({"--from", "demo-egress/requester-3a", "--to", "192.168.55.13:80"});
  EXPECT_TRUE(says(allowed, "AdminPolicyBasedExternalRoute gateway: the pod leaves by gateway 192.168.99.13, but on "))
      << allowed;
  EXPECT_FALSE(says(allowed, "EgressFirewall")) << allowed;
  const std::string denied = sample.shown({"--from", "demo-egress/requester-3a", "--to", "192.168.55.13:81"});
  EXPECT_TRUE(says(
      denied, "EgressFirewall demo-egress/default: rule 0 denies 192.168.55.0/24: no packet to 192.168.55.13, but it leaves as "))
      << denied;
}

TEST(IntentChecker, AdminNetworkPoliciesThatTheDumpsDoNotFollow) {
  SampleCopy sample;
  sample.add("k8s/policies.yaml", R"(apiVersion: v1
kind: List
items:
- {apiVersion: policy.networking.k8s.io/v1alpha1, kind: AdminNetworkPolicy, metadata: {name: closed},
   spec: {priority: 7, subject: {namespaces: {matchLabels: {kubernetes.io/metadata.name: demo-egress}},},
          egress: [{name: web, action: Deny, to: [{namespaces: {matchLabels: {kubernetes.io/metadata.name: demo-web}}}],
                    ports: [{portNumber: {protocol: TCP, port: 8080}}]}]}}
)");
  const std::string denied = sample.shown({"--from", "demo-egress/requester-3a", "--to", "demo-web/web-2:8080"});
  EXPECT_TRUE(says(denied, "AdminNetworkPolicy closed: egress rule 0 (web) denies TCP port 8080, but the packet is delivered"))
      << denied;
  const std::string other = sample.shown({"--from", "demo-egress/requester-3a", "--to", "demo-web/web-2:8081"});
  EXPECT_FALSE(says(other, "AdminNetworkPolicy")) << other;
}

TEST(IntentChecker, NetworkPoliciesThatTheDumpsDoNotFollow) {
  SampleCopy sample;
  sample.add("k8s/policies.yaml", R"(apiVersion: v1
kind: List
items:
- {apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: web, namespace: demo-web},
   spec: {podSelector: {}, policyTypes: [Ingress], ingress: [{from: [{namespaceSelector: {}}], ports: [{port: 8081}]}]}}
)");
  const std::string denied = sample.shown({"--from", "demo-egress/requester-3a", "--to", "demo-web/web-2:8080"});
  EXPECT_TRUE(says(denied, "NetworkPolicy demo-web/web: no ingress rule lets TCP port 8080 through, but the packet is delivered"))
      << denied;
  const std::string allowed = sample.shown({"--from", "demo-egress/requester-3a", "--to", "demo-web/web-2:8081"});
  EXPECT_FALSE(says(allowed, "NetworkPolicy")) << allowed;
}

// Endpoints of a service, and backends of OVN's load balancers on the nodes that the packet passes.
TEST(IntentChecker, EndpointsAreNotTheBackends) {
  const auto shown = [](const std::string& backends, const std::string& more_of_service = "") {
    SampleCopy sample({"k8s", "master-03-demo"});
    sample.add("k8s/services.yaml", R"(apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Service
  metadata: {name: web, namespace: demo-egress}
  spec: {clusterIP: 172.22.0.77, ports: [{name: http, port: 80}])" +
                                        more_of_service + R"(}
- apiVersion: discovery.k8s.io/v1
  kind: EndpointSlice
  metadata: {name: web-1, namespace: demo-egress, labels: {kubernetes.io/service-name: web}}
  ports: [{name: http, port: 8080}]
  endpoints:
  - {addresses: [10.133.0.9], nodeName: master-03-demo}
  - {addresses: [10.132.0.13], nodeName: master-02-demo}
  - {addresses: [10.132.0.14], nodeName: master-02-demo, conditions: {ready: false}}
  - {addresses: [192.168.99.23], nodeName: master-01-demo}
)");
    sample.add("master-03-demo/ovn-nbctl_list_load_balancer",
               "_uuid               : 966454e6-0306-40c2-9552-9b95c5562648\n"
               "external_ids        : {\"k8s.ovn.org/kind\"=Service, \"k8s.ovn.org/owner\"=\"demo-egress/web\"}\n"
               "name                : \"Service_demo-egress/web_TCP_cluster\"\n"
               "protocol            : tcp\n"
               "vips                : {" +
                   backends + "}\n");
    return sample.shown({"--from", "demo-egress/requester-3a", "--to", "172.22.0.77:80"});
  };
  const std::string service =
      "Service demo-egress/web: its EndpointSlices have 10.133.0.9:8080, 10.132.0.13:8080, 192.168.99.23:8080, "
      "but OVN on master-03-demo ";
  std::string text = shown("\"172.22.0.77:80\"=\"10.133.0.9:8080,10.132.0.13:8080,169.254.0.2:8080\"");
  EXPECT_FALSE(says(text, "OVN on master-03-demo")) << text;
  text = shown("\"172.22.0.77:80\"=\"10.133.0.9:8080,10.132.0.14:8080\"");
  EXPECT_TRUE(says(text, service + "does not send to 10.132.0.13:8080, and sends to 10.132.0.14:8080, which no EndpointSlice "
                                   "has as ready"))
      << text;
  text = shown("\"172.22.0.78:80\"=\"10.133.0.9:8080\"");
  EXPECT_TRUE(says(text, service + "has no load balancer for it")) << text;
  text = shown("\"172.22.0.77:80\"=\"10.133.0.9:8080\"", ", internalTrafficPolicy: Local");
  EXPECT_FALSE(says(text, "OVN on master-03-demo")) << text;
}

// The scenario of a real lab: the gateway node answers from another device than the gateway's.
TEST(Reasons, TheNextPacketGoesToTheMacThatTheAnswerCameFrom) {
  const fs::path scenario = fs::path(EGTRACE_SOURCE_DIR) / "../shared/corpus/demo-ovn25.03/external-gateway-vm-fail-closed";
  if (!fs::exists(scenario)) GTEST_SKIP() << "no " << scenario;
  egt::testing::TemporaryDirectory folder;
  for (const auto& entry : fs::directory_iterator(scenario))
    if (const std::string name = entry.path().filename().string(); name != "truth.json" && name != "pcap" && name != "trace")
      fs::create_symlink(entry.path(), fs::path(folder.path()) / name);
  std::string out = egt::testing::run({EGTRACE_BINARY, "explain", folder.path(), "--from", "ns-red/red-2", "--to",
                                       "192.168.55.13:80", "--no-conntrack", "-q"})
                        .out;
  for (std::size_t at = out.find("\n"); at != std::string::npos; at = out.find("\n")) out.replace(at, 3, " ");
  for (const char* words :
       {"NO ANSWER (proven): the handshake succeeds, but the packet after the handshake is rejected at router",
        "a symmetric-reply route of GR_master-02-demo uses the MAC of the reply's frame, 52:54:00:3a:76:95 (router's enp1s0)",
        "enters router by enp1s0 and not by macvlan-ns-red, without the mark 0x14", "-m mark --mark 0x0 -j REJECT"})
    EXPECT_TRUE(says(out, words)) << words << "\n" << out;
}

// REG_NEXT_HOP_IPV6 is the whole of xxreg0, which older dumps write in two halves; that of IPv4 is its upmost quarter.
TEST(Reasons, NextHopsAreTakenFromTheRegistersOfTheirFamily) {
  const egt::testing::TemporaryDirectory folder;
  const auto shown = [&](const std::string& match, const std::string& writes, const std::string& from, const std::string& to) {
    egt::testing::write_file(folder.path() + "/runbook.txt",
                             "# ovs-ofctl dump-flows br-int\n cookie=0x4730bcac, duration=7.314s, table=21, n_packets=12, "
                             "n_bytes=867, idle_age=4, priority=193," +
                                 match + ",metadata=0x5 actions=dec_ttl()," + writes +
                                 ",mod_dl_src:0a:58:64:58:00:03,load:0x4->NXM_NX_REG15[],resubmit(,22)\n");
    return egt::testing::run({EGTRACE_BINARY, "explain", folder.path(), "--from", from, "--to", to}).out;
  };
  const std::string v6 =
      shown("ipv6,ipv6_src=fd01:0:0:1::9", "load:0x2->NXM_NX_XXREG0[0..63],load:0xfd97000000000000->NXM_NX_XXREG0[64..127]",
            "fd01:0:0:1::9", "[fd55::13]:80");
  EXPECT_TRUE(says(v6, "reroutes to next hop fd97::2")) << v6;
  const std::string v4 =
      shown("ip,nw_src=10.128.0.9", "load:0x64580002->NXM_NX_XXREG0[96..127],load:0x64580003->NXM_NX_XXREG0[64..95]",
            "10.128.0.9", "192.0.2.1:80");
  EXPECT_TRUE(says(v4, "reroutes to next hop 100.88.0.2")) << v4;
}

}  // namespace
