// What Kubernetes objects ask for a packet, compared with what the dumps do with it: by which node and as which address a pod leaves
// (EgressIP, EgressService, AdminPolicyBasedExternalRoute, EgressFirewall), what AdminNetworkPolicies and NetworkPolicies let through,
// and which endpoints answer for a service.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "egtrace/cluster/per_node.h"
#include "egtrace/cluster/policy_rules.h"
#include "egtrace/engine/journey.h"
#include "egtrace/explain/explanation.h"
#include "phrases/intents.h"
#include "phrases/words.h"

namespace egt::explain {

class IntentChecker {
 public:
  IntentChecker(const cluster::Cluster& cluster, const Words& words);

  // `paths` and `paths` show the same, in the same order; `from`: where they start.
  Intent intent(const engine::Endpoint& from, const std::vector<engine::WalkedPath>& walked_paths,
                const std::vector<PathReport>& paths) const;

 private:
  struct Compliance {
    std::vector<IntentViolation> violations;
    bool is_asked = false;  // an object is about the traffic
    std::optional<cluster::PolicyRuling> of_stop;
    void violated(std::string object, const Clause<Wanted>& asked, const Clause<Actual>& done, Evidence evidence) {
      violations.push_back({std::move(object), phrase(asked), phrase(done), std::move(evidence)});
    }
  };
  using Target = std::pair<IpAddr, std::uint16_t>;
  // What one load balancer of a node's northbound database does with one address.
  struct Backends {
    std::vector<Target> targets;
    Provenance from;
  };
  struct Vips {
    bool complete = false;
    Provenance from;
    std::map<std::string, std::vector<Backends>> by_vip;
  };
  struct Called {
    const cluster::Service* service = nullptr;
    const cluster::ServicePort* port = nullptr;
    bool from_outside = false;
  };

  void leaving(const cluster::Pod& pod, const engine::WalkedPath& walked, const PathReport& path, Compliance& found) const;
  bool by_egress_service(const cluster::Pod& pod, const engine::WalkedPath& walked, Compliance& found) const;
  bool by_egress_ip(const cluster::Pod& pod, const engine::WalkedPath& walked, Compliance& found) const;
  void by_gateway(const cluster::Pod& pod, const engine::WalkedPath& walked, const PathReport& path, Compliance& found) const;
  void by_firewall(const cluster::Pod& pod, const engine::WalkedPath& walked, const PathReport& path, Compliance& found) const;

  void by_policies(const cluster::Pod* from, const engine::WalkedPath& walked, const PathReport& path, Compliance& found) const;
  void by_ruling(const cluster::PolicyRuling& ruling, const cluster::PolicyQuestion& question, const engine::WalkedPath& walked,
                 const PathReport& path, Compliance& found) const;
  std::optional<cluster::PolicyQuestion> policy_question(const cluster::Pod* from, const engine::WalkedPath& walked,
                                                         cluster::PolicyDirection direction) const;
  const cluster::Pod* receiver(const cluster::Pod* from, const IpAddr& address) const;

  void answering(const engine::WalkedPath& walked, Compliance& found) const;
  Called called(const Tuple& sent) const;
  void backends(const Called& called, const Tuple& sent, const cluster::Node& node, Compliance& found) const;
  const Vips& vips_of(const cluster::Node& node) const;
  static Vips read_vips(const cluster::Node& node);
  bool is_pod_address(const IpAddr& address) const;

  const cluster::Cluster& cluster_;
  const Words& words_;
  std::multimap<IpAddr, const cluster::Service*> services_;
  std::map<IpAddr, const cluster::Pod*> pods_;                                      // on the default network
  std::map<std::pair<std::string, IpAddr>, const cluster::Pod*> pods_of_networks_;  // on that by which they send, by its key
  cluster::PerNode<Vips> vips_;
};

}  // namespace egt::explain
