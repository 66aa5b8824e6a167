// Whether policies let clients through to the pods behind a service, from the objects alone. Load balancers choose the pod before
// ACLs of egress are met, so that policies of both ends are about the client and that pod.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "common/pods.h"
#include "egtrace/cluster/policy_rules.h"

namespace egt::assess {

enum class Reach : std::uint8_t {
  every,  // pod behind it
  none,
  open,  // some, or objects do not decide
};

class ServicePolicies {
 public:
  // `pods` must outlive it.
  ServicePolicies(const cluster::Cluster& cluster, const std::vector<KnownPod>& pods) : objects_(cluster.objects), pods_(pods) {}

  // Whether a policy may keep something from the pod (ingress), or it from others (egress). Null: no pod, no policy.
  bool is_restricted(const cluster::Pod* pod, cluster::PolicyDirection direction);
  bool any_restricted(const std::vector<cluster::ServiceEndpoint>& endpoints);
  // `client`: null where no pod asks; `source`: as endpoints see it, unspecified where objects do not show that.
  Reach reach(const cluster::Pod* client, const IpAddr& source, const cluster::Service& service, const cluster::ServicePort& port,
              const std::vector<cluster::ServiceEndpoint>& endpoints);
  // Some of the pods that rules of NetworkPolicies let through to pods behind the service.
  std::vector<const KnownPod*> named_by_rules(const std::vector<cluster::ServiceEndpoint>& endpoints);

 private:
  const cluster::Pod* pod_behind(const cluster::ServiceEndpoint& endpoint) const {
    return objects_.pods.find(endpoint.pod_namespace, endpoint.pod);
  }

  const cluster::Objects& objects_;
  const std::vector<KnownPod>& pods_;
  std::unordered_map<const cluster::Pod*, bool> restricted_[2];  // by PolicyDirection
};

}  // namespace egt::assess
