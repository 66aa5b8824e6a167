#include "presumed/egress.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "egtrace/base/text.h"
#include "egtrace/ovn/rows/nb.h"

namespace egt::parsers::presumed {
namespace {

using cluster::Objects;

std::string words(const cluster::EgressIp& egress_ip) { return "EgressIP " + egress_ip.name; }
std::string words(const cluster::EgressService& service) {
  return fmt::format("EgressService {}/{}", service.namespace_, service.name);
}

// --- by objects ----------------------------------------------------------------------------------------------------

void add_egress_ips(const std::string& node, const NodeFacts& facts, const Objects& objects, std::vector<HostEgress>& all) {
  for (const cluster::EgressIp& egress_ip : objects.egress_ips)
    for (const auto& assigned : egress_ip.status) {
      if (assigned.node != node) continue;
      const auto device = std::find_if(facts.other_addresses.begin(), facts.other_addresses.end(),
                                       [&](const Prefix& p) { return p.contains(assigned.address); });
      if (device == facts.other_addresses.end()) continue;
      HostEgress one{words(egress_ip), assigned.address, *device, {}};
      for (const cluster::Pod& pod : objects.pods) {
        if (pod.host_network || !cluster::selects(egress_ip, objects, pod)) continue;
        for (const Prefix& address : pod.addresses)
          if (address.address.family == assigned.address.family) one.pods.push_back(address.address);
      }
      all.push_back(std::move(one));
    }
}

std::vector<IpAddr> endpoints_of(const cluster::Service& service, const Objects& objects) {
  std::set<IpAddr> all;
  for (const cluster::EndpointSlice& slice : objects.endpoint_slices)
    if (slice.namespace_ == service.namespace_ && slice.service == service.name)
      for (const cluster::ServiceEndpoint& endpoint : slice.endpoints) all.insert(endpoint.address);
  if (!all.empty()) return {all.begin(), all.end()};
  for (const cluster::Pod& pod : objects.pods)
    if (!pod.host_network && cluster::selects(service, pod))
      for (const Prefix& address : pod.addresses) all.insert(address.address);
  return {all.begin(), all.end()};
}

// Those with a network of their own leave by a VRF, of which nothing is known.
void add_egress_services(const std::string& node, const Objects& objects, std::vector<HostEgress>& all) {
  for (const cluster::EgressService& egress : objects.egress_services) {
    const cluster::Service* service = objects.services.find(egress.namespace_, egress.name);
    if (service == nullptr || egress.host != node || egress.source_ip_by == "Network" || !egress.network.empty()) continue;
    const std::vector<IpAddr> endpoints = endpoints_of(*service, objects);
    for (const IpAddr& address : service->load_balancer_ips) {
      HostEgress one{words(egress), address, std::nullopt, {}};
      for (const IpAddr& pod : endpoints)
        if (pod.family == address.family) one.pods.push_back(pod);
      all.push_back(std::move(one));
    }
  }
}

// --- by databases --------------------------------------------------------------------------------------------------

using Policy = rows::nb::LogicalRouterPolicy;

// The object that the policy was made for: "EgressIP project-egressip" of the name project-egressip_NAMESPACE/POD
// (go-controller, pkg/ovn/egressip.go), "EgressService NS/NAME"; empty where it is none of the two.
std::string object_of(const Policy& policy) {
  if (const std::string service = policy.external_id("EgressSVC"); !service.empty()) return "EgressService " + service;
  if (policy.external_id("k8s.ovn.org/owner-type") == "EgressIP") {
    const std::string name = policy.external_id("k8s.ovn.org/name");
    return "EgressIP " + name.substr(0, name.find('_'));
  }
  const std::string name = policy.external_id("name");  // in releases before 2025
  return name.empty() ? std::string() : "EgressIP " + name;
}

// "ip4.src == 10.132.0.13", perhaps with more conditions behind it.
std::optional<IpAddr> source_of(const Policy& policy) {
  const std::string match = policy.match();
  std::string_view rest = match;
  for (const std::string_view field : {"ip4.src == ", "ip6.src == "})
    if (rest.starts_with(field)) {
      rest.remove_prefix(field.size());
      return IpAddr::parse(take_until(rest, ' '));
    }
  return std::nullopt;
}

bool leads_to_host(const Policy& policy, const NodeFacts& facts) {
  std::vector<std::string> hops = policy.nexthops();
  hops.push_back(policy.nexthop());  // in older releases
  return std::any_of(hops.begin(), hops.end(), [&](const std::string& hop) {
    const auto address = IpAddr::parse(hop);
    return address &&
           std::any_of(facts.management.begin(), facts.management.end(), [&](const Prefix& p) { return p.address == *address; });
  });
}

// Policies name pods that objects do not list; where no object explains a policy at all, its egress stays open.
class PolicyReader {
 public:
  explicit PolicyReader(Egress& egress) : egress_(egress) {
    for (HostEgress& one : egress.known) {
      explained_.insert(one.pods.begin(), one.pods.end());
      by_object_.try_emplace({one.object, one.address.family}, ByObject{&one, {one.pods.begin(), one.pods.end()}});
    }
  }

  void add(const IpAddr& pod, const std::string& object, Provenance from) {
    if (const auto found = by_object_.find({object, pod.family}); found != by_object_.end()) {
      explained_.insert(pod);
      if (found->second.pods.insert(pod).second) found->second.egress->pods.push_back(pod);
    } else if (!explained_.contains(pod)) {
      egress_.open.push_back({pod, object, from});
    }
  }

 private:
  struct ByObject {
    HostEgress* egress;
    std::set<IpAddr> pods;
  };

  Egress& egress_;
  std::set<IpAddr> explained_;
  std::map<std::pair<std::string, Family>, ByObject> by_object_;
};

void add_policies(const cluster::Node& node, const NodeFacts& facts, Egress& egress) {
  PolicyReader reader(egress);
  for (const Policy policy : rows_of<Policy>(node.ovn.rows)) {
    if (!leads_to_host(policy, facts)) continue;
    const std::string object = object_of(policy);
    if (const auto pod = source_of(policy); pod && !object.empty()) reader.add(*pod, object, policy.from());
  }
}

}  // namespace

Egress egress_of(const cluster::Node& node, const NodeFacts& facts, const Objects& objects) {
  Egress egress;
  add_egress_ips(node.name, facts, objects, egress.known);
  add_egress_services(node.name, objects, egress.known);
  add_policies(node, facts, egress);
  return egress;
}

}  // namespace egt::parsers::presumed
