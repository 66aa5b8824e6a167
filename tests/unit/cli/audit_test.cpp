// The audit of many pods: threads share it out, and nothing shows by what it prints.
#include <gtest/gtest.h>

#include <string>

#include "support/run.h"

namespace {

using egt::testing::Ran;

// Pods without a gateway: each row is a gap, which is soon shown.
void write_node(const std::string& folder, int pods) {
  std::string interfaces, objects = "apiVersion: v1\nkind: List\nitems:\n";
  for (int i = 0; i < pods; ++i) {
    const std::string name = "pod-" + std::to_string(i), ip = "10.128.0." + std::to_string(i + 2);
    interfaces += "_uuid               : 00000000-0000-4000-8000-" + std::to_string(100000000000 + i) +
                  "\nexternal_ids        : {iface-id=shop_" + name + ", ip_addresses=\"" + ip +
                  "/24\"}\nname                : v" + std::to_string(i) + "\nofport              : " + std::to_string(i + 1) +
                  "\ntype                : \"\"\n\n";
    objects += "- apiVersion: v1\n  kind: Pod\n  metadata: {name: " + name +
               ", namespace: shop}\n  spec: {nodeName: w1}\n  status: {podIP: " + ip + ", phase: Running}\n";
  }
  std::string show = "OFPT_FEATURES_REPLY (xid=0x2): dpid:0000525400aabb01\nn_tables:254, n_buffers:0\n";
  for (int i = 0; i < pods; ++i)
    show += " " + std::to_string(i + 1) + "(v" + std::to_string(i) +
            "): addr:aa:55:aa:56:00:01\n     config:     0\n     state:      0\n";
  egt::testing::write_file(folder + "/w1/ovs-vsctl_list_interface", interfaces);
  egt::testing::write_file(folder + "/w1/ovs-ofctl_show_br-int", show);
  egt::testing::write_file(folder + "/k8s/pods.yaml", objects);
}

TEST(AuditOfMany, IsTheSameForAnyNumberOfThreads) {
  const egt::testing::TemporaryDirectory d;
  write_node(d.path(), 90);
  for (const char* format : {"csv", "json"}) {
    const auto audit = [&](const char* jobs) {
      return egt::testing::run({EGTRACE_BINARY, "audit", d.path(), "--to", "192.0.2.1", "--format", format, "--jobs", jobs});
    };
    const Ran one = audit("1"), three = audit("3");
    EXPECT_EQ(0, one.status) << one.err;
    EXPECT_NE(std::string::npos, one.out.find("pod-89"));
    EXPECT_EQ(one.out, three.out);
    EXPECT_EQ(one.status, three.status);
    EXPECT_EQ(one.err, three.err);
  }
}

std::string service(const std::string& name, const std::string& ip, const std::string& endpoints) {
  return "- apiVersion: v1\n  kind: Service\n  metadata: {name: " + name + ", namespace: shop}\n  spec: {clusterIP: " + ip +
         ", ports: [{port: 80, protocol: TCP}]}\n" +
         "- apiVersion: discovery.k8s.io/v1\n  kind: EndpointSlice\n  addressType: IPv4\n  metadata: {name: " + name +
         "-1, namespace: shop, labels: {kubernetes.io/service-name: " + name + "}}\n  endpoints: [" + endpoints +
         "]\n  ports: [{port: 80, protocol: TCP}]\n";
}

// Every endpoint is a path, and so a row, of every pod.
TEST(Audit, AsksAboutTheServiceWithTheFewestEndpoints) {
  const egt::testing::TemporaryDirectory d;
  write_node(d.path(), 1);
  const auto endpoint = [](const std::string& ip, const char* ready) {
    return "{addresses: [" + ip + "], conditions: {ready: " + ready + "}}";
  };
  egt::testing::write_file(
      d.path() + "/k8s/services.yaml",
      "apiVersion: v1\nkind: List\nitems:\n" +
          service("many", "172.30.0.1", endpoint("10.128.2.1", "true") + ", " + endpoint("10.128.2.2", "true")) +
          service("none", "172.30.0.2", endpoint("10.128.2.3", "false")) +
          service("one", "172.30.0.3", endpoint("10.128.2.4", "true")) +
          service("also-one", "172.30.0.4", endpoint("10.128.2.5", "true")));
  const Ran audit = egt::testing::run({EGTRACE_BINARY, "audit", d.path(), "--format", "csv"});
  EXPECT_NE(std::string::npos, audit.out.find("svc:shop/one:80")) << audit.out << audit.err;
  for (const char* other : {"many", "none", "also-one"}) EXPECT_EQ(std::string::npos, audit.out.find(other)) << audit.out;
}

}  // namespace
