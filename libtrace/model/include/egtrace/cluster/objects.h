// Kubernetes objects of a snapshot, as far as they name and explain things. They never decide what a packet does.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "egtrace/base/ip.h"
#include "egtrace/base/mac.h"
#include "egtrace/evidence/evidence.h"

namespace egt::cluster {

using Labels = std::map<std::string, std::string>;

// spec.*.matchLabels and matchExpressions.
struct LabelRequirement { std::string key, op; std::vector<std::string> values; };  // op: In, NotIn, Exists, DoesNotExist
struct LabelSelector {
  bool present = false;
  Labels match_labels;
  std::vector<LabelRequirement> expressions;
  bool matches(const Labels& l) const;   // an empty selector matches everything, an absent one nothing
};

struct NodeObject {
  std::string name;
  std::vector<IpAddr> addresses;
  std::vector<Prefix> pod_subnets;
  Labels labels;
  std::map<std::string, std::string> annotations;
  Provenance from;
};
struct NamespaceObject { std::string name; Labels labels; std::map<std::string, std::string> annotations; Provenance from; };
struct Pod {
  std::string namespace_, name, node;
  std::vector<Prefix> addresses;         // with the subnet's length where the annotation tells it
  std::vector<IpAddr> gateways;
  std::optional<MacAddr> mac;
  bool host_network = false;
  Labels labels;
  Provenance from;
};
struct EgressIp {
  std::string name;
  std::vector<IpAddr> addresses;
  LabelSelector namespaces, pods;
  struct Assignment { IpAddr address; std::string node; };
  std::vector<Assignment> status;
  std::optional<std::uint32_t> mark;
  Provenance from;
};
struct EgressService {
  std::string namespace_, name, host;    // status.host
  std::string source_ip_by;              // LoadBalancerIP | Network
  std::string network;
  LabelSelector node_selector;
  Provenance from;
};
struct ServicePort { std::string name, protocol; std::uint16_t port = 0, node_port = 0; std::string target_port; };
struct Service {
  std::string namespace_, name, type;
  std::vector<IpAddr> cluster_ips, external_ips, load_balancer_ips;
  std::vector<ServicePort> ports;
  std::string external_traffic_policy, internal_traffic_policy;
  Labels selector;
  Provenance from;
};

struct Objects {
  std::vector<NodeObject> nodes;
  std::vector<NamespaceObject> namespaces;
  std::vector<Pod> pods;
  std::vector<EgressIp> egress_ips;
  std::vector<EgressService> egress_services;
  std::vector<Service> services;
};

}  // namespace egt::cluster
