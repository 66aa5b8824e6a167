// What the objects of a snapshot imply, as expectations.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "common/claims.h"
#include "common/look.h"
#include "common/targets.h"
#include "egtrace/assess/check.h"
#include "egtrace/base/text.h"
#include "expect/ground.h"
#include "expect/policy_expectations.h"
#include "expect/service_policies.h"

namespace egt::assess {
namespace {

using cluster::Cluster;
using expect::EndPattern;
using expect::Expectation;

constexpr Family kFamilies[] = {Family::v4, Family::v6};
constexpr std::uint16_t kPort = 80;     // that expectations ask about where they name none
constexpr std::size_t kOtherNodes = 2;  // a pod's path to nodes is the same for all of them

EndPattern place(std::string text) { return {std::move(text), {}, {}}; }

std::string with_port(const IpAddr& a, std::uint16_t port) {
  return a.is_v4() ? fmt::format("{}:{}", a.to_string(), port) : fmt::format("[{}]:{}", a.to_string(), port);
}

class IntentChecker {
 public:
  explicit IntentChecker(const Cluster& cluster)
      : cluster_(cluster),
        objects_(cluster.objects),
        pods_(known_pods(cluster)),
        networks_(pods_),
        claims_(cluster, pods_),
        policies_(cluster, pods_) {}

  std::vector<Expectation> all() {
    for (const KnownPod& pod : pods_)
      for (const Family family : kFamilies)
        if (const EgressClaim* claim = claims_.of(pod.full_name(), family); claim != nullptr && claim->taken_up) {
          egress(pod, *claim);
          other_nodes(pod, *claim);
        }
    for (const cluster::ExternalRoute& route : objects_.external_routes) gateways(route);
    for (const cluster::Service& service : objects_.services) answers(service);
    for (const cluster::NetworkPolicy& policy : objects_.network_policies) cut_off(policy);
    for (auto* of : {firewall_expectations, network_policy_expectations, admin_policy_expectations})
      for (Expectation& e : of(cluster_, pods_)) all_.push_back(std::move(e));
    return std::move(all_);
  }

 private:
  Expectation& add(Implication implication, const Terms& about, const std::string& from, const std::string& to,
                   Provenance object) {
    Expectation e;
    e.name = phrase(implication, about);
    e.from = {place(from)};
    e.to = {place(to)};
    e.object = object;
    all_.push_back(std::move(e));
    return all_.back();
  }

  // Every pod that the object selects leaves as one of its addresses, by the node that hosts it, and is answered.
  void egress(const KnownPod& pod, const EgressClaim& claim) {
    if (!may_send(pod, outside(cluster_, claim.family))) return;
    Expectation& e = add(Implication::leaves_as_address, {claim.object, pod.full_name()}, pod.full_name(),
                         outside(cluster_, claim.family).to_string(), claim.from);
    for (const IpAddr& a : claim.addresses) e.snat.push_back(a.to_string());
    e.nodes = claim.nodes;
    e.reply = {Verdict::delivered};
  }

  // Towards nodes of the cluster a pod does not leave as its egress address.
  void other_nodes(const KnownPod& pod, const EgressClaim& claim) {
    std::size_t count = 0;
    for (const std::string& node : cluster_nodes(cluster_)) {
      const auto address = node_address(cluster_, node, claim.family);
      if (node == pod.node || !address || cluster_.node(node) == nullptr || count == kOtherNodes) continue;
      ++count;
      Expectation& e = add(Implication::reaches_node_without_it, {claim.object, pod.full_name(), node}, pod.full_name(),
                           address->to_string(), claim.from);
      for (const IpAddr& a : claim.addresses) e.snat.push_back("!" + a.to_string());
      e.proto = claim.family == Family::v4 ? "icmp" : "icmp6";
      // Whether it arrives is not implied, only that it does not arrive as the egress address.
      e.verdicts = {Verdict::delivered, Verdict::dropped, Verdict::rejected, Verdict::inconclusive};
    }
  }

  // Pods of these namespaces reach the device that has the gateway's address, and are not translated before.
  void gateways(const cluster::ExternalRoute& route) {
    std::vector<std::string> devices;
    for (const IpAddr& hop : route.next_hops)
      for (const auto& node : cluster_.nodes)
        if (const host::Link* link = node->host.owner_of(hop)) devices.push_back(node->name + "/" + link->name);
    if (devices.size() != 1) return;  // several gateways share the traffic; none: nothing is known of them
    const Family family = route.next_hops.front().family;
    for (const KnownPod* pod : selected_by(route, objects_, pods_)) {
      if (pod->address(family) == nullptr || !may_send(*pod, outside(cluster_, family))) continue;
      Expectation& e = add(Implication::leaves_by_gateway, {route.name, pod->full_name()}, pod->full_name(),
                           outside(cluster_, family).to_string(), route.from);
      e.contains = {"device:" + devices.front()};
      e.reply = {Verdict::delivered};
    }
  }

  void answers(const cluster::Service& service) {
    const auto endpoints = endpoints_of(service, objects_, pods_);
    for (const cluster::ServicePort& port : service.ports) {
      if (port.port == 0) continue;
      for (const IpAddr& a : service.cluster_ips)
        if (is_of_this_moment(service, port, a)) from_pods(service, port, a, endpoints);
      for (const auto* list : {&service.load_balancer_ips, &service.external_ips})
        for (const IpAddr& a : *list) from_outside(service, port, a, endpoints);
    }
  }

  // A service whose load balancers have other addresses than the object: the two were not gathered together.
  bool is_of_this_moment(const cluster::Service& service, const cluster::ServicePort& port, const IpAddr& a) const {
    return std::none_of(cluster_.nodes.begin(), cluster_.nodes.end(),
                        [&](const auto& node) { return vip_state(*node, service, a, port.port) == VipState::other_addresses; });
  }

  static bool has(const std::vector<cluster::ServiceEndpoint>& endpoints, Family family) {
    return std::any_of(endpoints.begin(), endpoints.end(),
                       [&](const cluster::ServiceEndpoint& e) { return e.address.family == family; });
  }

  static void expect_answer(Expectation& e, bool has_endpoints) {
    if (has_endpoints)
      e.reply = {Verdict::delivered};
    else
      e.verdicts = {Verdict::rejected, Verdict::dropped};
  }

  // One pod a node that has dumps; where policies restrict the traffic, also pods that they name. With internalTrafficPolicy
  // Local no answer is expected on a node without an endpoint.
  void from_pods(const cluster::Service& service, const cluster::ServicePort& port, const IpAddr& a,
                 const std::vector<cluster::ServiceEndpoint>& endpoints) {
    if (a.is_unspecified()) return;
    const std::string_view network = networks_.of(service.namespace_);
    std::set<std::string> answered;  // nodes
    for (const KnownPod* pod : askers(a.family, network))
      if (from_pod(service, port, a, endpoints, *pod)) answered.insert(pod->node);
    if (!policies_.any_restricted(endpoints)) return;
    for (const KnownPod* pod : policies_.named_by_rules(endpoints)) {
      if (answered.contains(pod->node) || pod->network() != network || pod->address(a.family) == nullptr ||
          cluster_.node(pod->node) == nullptr)
        continue;
      const std::vector<cluster::ServiceEndpoint> usable = usable_from(*pod, service, endpoints);
      if (has(usable, a.family) && reach(*pod, service, port, usable, a.family) == Reach::every &&
          from_pod(service, port, a, endpoints, *pod))
        answered.insert(pod->node);
    }
  }

  static std::vector<cluster::ServiceEndpoint> usable_from(const KnownPod& pod, const cluster::Service& service,
                                                           const std::vector<cluster::ServiceEndpoint>& endpoints) {
    std::vector<cluster::ServiceEndpoint> usable;
    for (const cluster::ServiceEndpoint& e : endpoints)
      if (service.internal_traffic_policy != "Local" || e.node == pod.node) usable.push_back(e);
    return usable;
  }

  Reach reach(const KnownPod& pod, const cluster::Service& service, const cluster::ServicePort& port,
              const std::vector<cluster::ServiceEndpoint>& usable, Family family) {
    return policies_.reach(pod.object, *pod.address(family), service, port, usable);
  }

  // Whether an answer is expected.
  bool from_pod(const cluster::Service& service, const cluster::ServicePort& port, const IpAddr& a,
                const std::vector<cluster::ServiceEndpoint>& endpoints, const KnownPod& pod) {
    const std::vector<cluster::ServiceEndpoint> usable = usable_from(pod, service, endpoints);
    const Reach known = reach(pod, service, port, usable, a.family);
    if (known == Reach::open) return false;
    const bool is_denied = known == Reach::none;
    Expectation& e = is_denied ? add(Implication::service_denied, {service.full_name(), port.port, pod.full_name()},
                                     pod.full_name(), with_port(a, port.port), service.from)
                               : add(Implication::service_from_node, {service.full_name(), port.port, pod.node}, pod.full_name(),
                                     with_port(a, port.port), service.from);
    e.proto = lower(port.protocol);
    expect_answer(e, !is_denied && has(usable, a.family));
    return !is_denied;
  }

  const std::vector<const KnownPod*>& askers(Family family, std::string_view network) {
    const auto [at, added] = askers_.try_emplace({family, std::string(network)});
    if (added) at->second = find_askers(family, network);
    return at->second;
  }

  // The first pod of each node with dumps that sends on a network: one that no policy restricts, if there is such.
  std::vector<const KnownPod*> find_askers(Family family, std::string_view network) {
    std::map<std::string, const KnownPod*> by_node;
    std::set<std::string> free;  // nodes with a pod that no policy restricts
    for (const KnownPod& pod : pods_) {
      if (pod.host_network || pod.address(family) == nullptr || free.contains(pod.node) || pod.network() != network) continue;
      if (cluster_.node(pod.node) == nullptr) continue;
      if (!policies_.is_restricted(pod.object, cluster::PolicyDirection::egress)) {
        by_node[pod.node] = &pod;
        free.insert(pod.node);
      } else {
        by_node.try_emplace(pod.node, &pod);
      }
    }
    std::vector<const KnownPod*> found;
    for (const auto& [node, pod] : by_node) found.push_back(pod);
    std::sort(found.begin(), found.end());  // in the order of pods
    return found;
  }

  // Local keeps the client's address.
  void from_outside(const cluster::Service& service, const cluster::ServicePort& port, const IpAddr& a,
                    const std::vector<cluster::ServiceEndpoint>& endpoints) {
    const IpAddr client = outside(cluster_, a.family);
    if (cluster_.owner_of(client) == nullptr) return;  // no host outside the cluster is in the snapshot
    const bool local = service.external_traffic_policy == "Local";
    IpAddr source = client;
    if (!local) source.value = 0;  // that of a gateway router
    const Reach known = policies_.reach(nullptr, source, service, port, endpoints);
    if (known == Reach::open) return;
    Expectation& e = add(Implication::service_from_outside, {service.full_name(), port.port, a}, client.to_string(),
                         with_port(a, port.port), service.from);
    e.proto = lower(port.protocol);
    const bool answers = known == Reach::every && has(endpoints, a.family);
    expect_answer(e, answers);
    if (local && answers) e.snat = {"none"};
  }

  // Whether the EgressFirewall of its namespace is known to let the pod send there, and no AdminNetworkPolicy denies it.
  bool may_send(const KnownPod& pod, const IpAddr& to) const {
    const IpAddr* own = pod.address(to.family);
    if (pod.object == nullptr || pod.host_network || own == nullptr) return true;
    const cluster::PolicyQuestion q{pod.object, nullptr, *own, to, "TCP", kPort};
    const cluster::Ruling firewall = firewall_ruling(objects_, cluster_.node(pod.node), q).ruling;
    if (firewall == cluster::Ruling::denied || firewall == cluster::Ruling::open) return false;
    const cluster::PolicyRuling policies = policy_ruling(objects_, q, cluster::PolicyDirection::egress);
    return policies.admin == nullptr || policies.ruling != cluster::Ruling::denied;
  }

  // An AdminNetworkPolicy that allows something does so whatever NetworkPolicies allow.
  bool allowed_by_admin(const KnownPod& pod, bool egress) const {
    return std::any_of(objects_.admin_network_policies.begin(), objects_.admin_network_policies.end(), [&](const auto& policy) {
      const std::vector<cluster::AdminRule>& rules = egress ? policy.egress : policy.ingress;
      return !policy.baseline && selects(policy, objects_, *pod.object) &&
             std::any_of(rules.begin(), rules.end(),
                         [](const cluster::AdminRule& r) { return r.action == cluster::AdminRule::Action::allow; });
    });
  }

  // Whether a policy without rules isolates the pod, and no other one lets anything through.
  bool isolated(const KnownPod& pod, bool egress) const {
    if (pod.object == nullptr) return false;
    bool any = false;
    for (const cluster::NetworkPolicy* p : objects_.network_policies.in(pod.namespace_)) {
      if ((egress ? !p->egress : !p->ingress) || !p->pods.matches(pod.object->labels)) continue;
      if (has_rules(*p, egress)) return false;
      any = true;
    }
    return any && !allowed_by_admin(pod, egress);
  }

  static bool has_rules(const cluster::NetworkPolicy& policy, bool egress) {
    return !(egress ? policy.egress_rules : policy.ingress_rules).empty();
  }

  void cut_off(const cluster::NetworkPolicy& policy) {
    const bool egress = policy.egress && !has_rules(policy, true), ingress = policy.ingress && !has_rules(policy, false);
    if (!egress && !ingress) return;
    for (const KnownPod& pod : pods_in(pods_, policy.namespace_)) {
      if (pod.host_network || pod.object == nullptr || !policy.pods.matches(pod.object->labels)) continue;
      const bool silent = egress && isolated(pod, true), deaf = ingress && isolated(pod, false);
      for (const Family family : kFamilies) {
        if (pod.address(family) == nullptr) continue;
        if (silent) sends_nothing(policy, pod, family);
        if (deaf) receives_nothing(policy, pod, family);
      }
    }
  }

  void sends_nothing(const cluster::NetworkPolicy& policy, const KnownPod& pod, Family family) {
    Expectation& e = add(Implication::sends_nothing, {policy.full_name(), pod.full_name()}, pod.full_name(),
                         outside(cluster_, family).to_string(), policy.from);
    e.verdicts = {Verdict::dropped, Verdict::rejected};
  }

  void receives_nothing(const cluster::NetworkPolicy& policy, const KnownPod& pod, Family family) {
    for (const KnownPod& other : pods_) {
      if (other.host_network || other.full_name() == pod.full_name() || other.address(family) == nullptr) continue;
      if (other.network() != pod.network()) continue;
      Expectation& e = add(Implication::receives_nothing, {policy.full_name(), pod.full_name()}, other.full_name(),
                           pod.address(family)->to_string(), policy.from);
      e.verdicts = {Verdict::dropped, Verdict::rejected};
      return;  // one sender stands for all
    }
  }

  const Cluster& cluster_;
  const cluster::Objects& objects_;
  std::vector<KnownPod> pods_;
  NamespaceNetworks networks_;
  EgressClaims claims_;
  ServicePolicies policies_;
  std::map<std::pair<Family, std::string>, std::vector<const KnownPod*>> askers_;  // by family and network
  std::vector<Expectation> all_;
};

}  // namespace

std::vector<Expectation> expectations_from_objects(const Cluster& cluster) { return IntentChecker(cluster).all(); }

bool has_objects(const cluster::Cluster& cluster) {
  return !cluster.objects.pods.empty() || !cluster.objects.namespaces.empty() || !cluster.objects.services.empty();
}

}  // namespace egt::assess
