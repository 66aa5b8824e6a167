#include "intent.h"

#include <algorithm>
#include <set>

#include "egtrace/base/text.h"

namespace egt::explain {
namespace {

using engine::Endpoint;
using engine::WalkedPath;

// Whether the packet leaves the cluster for a host outside.
bool goes_outside(const WalkedPath& walked) {
  if (!walked.egress) return false;
  if (walked.end.kind == Endpoint::Kind::outside) return true;
  return walked.end.kind == Endpoint::Kind::process && walked.end.node != nullptr &&
         std::find(walked.end.node->roles.begin(), walked.end.node->roles.end(), cluster::Role::cluster_node) ==
             walked.end.node->roles.end();
}

Clause<Actual> leaves_as(const WalkedPath& walked) {
  return {Actual::leaves_as, {src_ip(walked.egress->packet), walked.egress->node}};
}

// What made the packet leave as it does: the last source translation of the node by which it leaves, else the last
// route that was looked up there.
std::vector<Provenance> deciding_lines(const WalkedPath& walked) {
  for (auto nat = walked.record.nat.rbegin(); nat != walked.record.nat.rend(); ++nat)
    if (nat->source && nat->node == walked.egress->node) return nat->evidence;
  for (auto step = walked.record.steps.rbegin(); step != walked.record.steps.rend(); ++step)
    if (std::holds_alternative<engine::RouteLookup>(step->kind) && !step->evidence.empty() && step->node == walked.egress->node)
      return step->evidence;
  return {};
}

std::vector<Provenance> with_object(Provenance object, const std::vector<Provenance>& more) {
  std::vector<Provenance> lines{object};
  lines.insert(lines.end(), more.begin(), more.end());
  return lines;
}

// "… reg0 = 100.88.0.3; …" of a logical flow that chooses a next hop.
std::optional<IpAddr> next_hop_in(std::string_view actions) {
  for (const std::string_view key : {"xxreg0 = ", "reg0 = "}) {
    const std::size_t at = actions.find(key);
    if (at == std::string_view::npos) continue;
    const std::string_view value = actions.substr(at + key.size());
    if (const auto a = IpAddr::parse(value.substr(0, value.find(';')))) return a;
  }
  return std::nullopt;
}

// The last next hop that a logical router of the node chose.
const Hop* routing_hop(const PathReport& path, const std::string& node, std::optional<IpAddr>& next_hop) {
  for (auto hop = path.hops.rbegin(); hop != path.hops.rend(); ++hop) {
    if (hop->node != node || hop->lflows.empty() || !hop->lflows.front().stage.starts_with("lr_in_ip_routing")) continue;
    next_hop = next_hop_in(hop->lflows.front().actions);
    if (next_hop) return &*hop;
  }
  return nullptr;
}

bool contains(const std::vector<IpAddr>& all, const IpAddr& one) { return std::find(all.begin(), all.end(), one) != all.end(); }

// The MAC address of the device that has the address; absent where no dump shows it.
std::optional<MacAddr> mac_of(const cluster::Cluster& cluster, const IpAddr& address) {
  const cluster::Node* owner = cluster.owner_of(address);
  const host::Link* link = owner != nullptr ? owner->host.owner_of(address) : nullptr;
  return link != nullptr ? link->mac : std::nullopt;
}

// To the MAC address of a device of the snapshot, or of none there.
Clause<Actual> frame_goes_to(const cluster::Cluster& cluster, const MacAddr& mac) {
  for (const auto& node : cluster.nodes)
    for (const host::Link& link : node.links().value)
      if (link.mac == mac) return {Actual::frame_goes_to, {mac, node.name(), link.name}};
  return {Actual::frame_goes_to, {mac}};
}

}  // namespace

IntentChecker::IntentChecker(const cluster::Cluster& cluster, const Words& words)
    : cluster_(cluster), words_(words), vips_(cluster) {
  for (const cluster::Service& s : cluster.objects.services) {
    std::set<IpAddr> addresses(s.cluster_ips.begin(), s.cluster_ips.end());
    addresses.insert(s.load_balancer_ips.begin(), s.load_balancer_ips.end());
    addresses.insert(s.external_ips.begin(), s.external_ips.end());
    for (const IpAddr& a : addresses) services_.emplace(a, &s);
  }
  for (const cluster::Pod& pod : cluster.objects.pods) {
    for (const Prefix& p : pod.addresses) pods_.emplace(p.address, &pod);
    if (const cluster::PodAttachment* on = pod.primary())
      for (const Prefix& p : on->addresses) pods_of_networks_.emplace(std::pair(on->network, p.address), &pod);
  }
}

Intent IntentChecker::intent(const Endpoint& from, const std::vector<WalkedPath>& walked_paths,
                             const std::vector<PathReport>& paths) const {
  Compliance found;
  const std::size_t slash = from.kind == Endpoint::Kind::pod ? from.pod.name.find('/') : std::string::npos;
  const cluster::Pod* pod = slash == std::string::npos
                                ? nullptr
                                : cluster_.objects.pods.find(from.pod.name.substr(0, slash), from.pod.name.substr(slash + 1));
  for (std::size_t i = 0; i < walked_paths.size() && i < paths.size(); ++i) {
    if (!is_ip(walked_paths[i].sent)) continue;
    if (pod != nullptr) leaving(*pod, walked_paths[i], paths[i], found);
    by_policies(pod, walked_paths[i], paths[i], found);
    answering(walked_paths[i], found);
  }
  Intent intent;
  for (IntentViolation& d : found.violations)
    if (std::find(intent.violations.begin(), intent.violations.end(), d) == intent.violations.end())
      intent.violations.push_back(std::move(d));
  if (found.is_asked) intent.kept = intent.violations.empty();
  intent.of_stop = std::move(found.of_stop);
  return intent;
}

// An EgressService outweighs an EgressIP, and either outweighs a gateway, as the priorities of OVN-Kubernetes' policies
// say.
void IntentChecker::leaving(const cluster::Pod& pod, const WalkedPath& walked, const PathReport& path, Compliance& found) const {
  by_firewall(pod, walked, path, found);
  if (walked.verdict != engine::Verdict::delivered || !goes_outside(walked)) return;
  if (by_egress_service(pod, walked, found) || by_egress_ip(pod, walked, found)) return;
  by_gateway(pod, walked, path, found);
}

bool IntentChecker::by_egress_service(const cluster::Pod& pod, const WalkedPath& walked, Compliance& found) const {
  for (const cluster::EgressService& e : cluster_.objects.egress_services) {
    const cluster::Service* service = cluster_.objects.services.find(e.namespace_, e.name);
    if (service == nullptr || e.host.empty()) continue;
    const cluster::Backing backing = backing_of(*service, cluster_.objects);
    const bool is_endpoint = std::any_of(backing.endpoints.begin(), backing.endpoints.end(), [&](const auto& b) {
      return b.endpoint->pod_namespace == pod.namespace_ && b.endpoint->pod == pod.name;
    });
    if (!is_endpoint && (backing.shown || !selects(*service, pod))) continue;
    found.is_asked = true;
    const IpAddr source = src_ip(walked.egress->packet);
    const std::string host = e.host == "ALL" ? pod.node : e.host;
    Alternatives as;
    for (const IpAddr& a : service->load_balancer_ips)
      if (a.family == source.family && e.source_ip_by != "Network") as.all.push_back(a.to_string());
    const bool source_kept = as.all.empty() || std::find(as.all.begin(), as.all.end(), source.to_string()) != as.all.end();
    if (!source_kept || walked.egress->node != host)
      found.violated("EgressService " + e.full_name(), {Wanted::pods_leave, {as, host}}, leaves_as(walked),
                     words_.evidence(with_object(e.from, deciding_lines(walked))));
    return true;
  }
  return false;
}

bool IntentChecker::by_egress_ip(const cluster::Pod& pod, const WalkedPath& walked, Compliance& found) const {
  if (pod.host_network) return false;
  const IpAddr source = src_ip(walked.egress->packet);
  const cluster::Labels labels = labels_of_namespace(cluster_.objects, pod.namespace_);
  for (const cluster::EgressIp& e : cluster_.objects.egress_ips) {
    if (!e.pods.matches(pod.labels) || !e.namespaces.matches(labels)) continue;
    Term::Addresses wanted;
    bool kept = false;
    for (const auto& item : e.status) {
      if (item.address.family != source.family) continue;
      wanted.push_back({item.address, item.node});
      kept |= item.address == source && item.node == walked.egress->node;
    }
    if (wanted.empty()) continue;
    found.is_asked = true;
    if (!kept)
      found.violated("EgressIP " + e.name, {Wanted::pod_leaves_as, {wanted}}, leaves_as(walked),
                     words_.evidence(with_object(e.from, deciding_lines(walked))));
    return true;
  }
  return false;
}

void IntentChecker::by_gateway(const cluster::Pod& pod, const WalkedPath& walked, const PathReport& path,
                               Compliance& found) const {
  for (const cluster::ExternalRoute& route : cluster_.objects.external_routes) {
    if (pod.host_network || route.has_dynamic_hops ||
        !route.namespaces.matches(labels_of_namespace(cluster_.objects, pod.namespace_)))
      continue;
    Alternatives gateways;
    std::set<std::uint64_t> macs;
    for (const IpAddr& hop : route.next_hops) {
      if (hop.family != src_ip(walked.egress->packet).family) continue;
      gateways.all.push_back(hop.to_string());
      if (const auto mac = mac_of(cluster_, hop)) macs.insert(mac->value);
    }
    if (gateways.all.empty()) continue;
    found.is_asked = true;
    const Clause<Wanted> expected{Wanted::pod_leaves_by_gateway, {gateways}};
    const std::string object = "AdminPolicyBasedExternalRoute " + route.name;
    std::optional<IpAddr> next_hop;
    const Hop* hop = routing_hop(path, walked.egress->node, next_hop);
    const MacAddr receiver = dst_mac(walked.egress->packet);
    Evidence lines = words_.evidence({route.from});
    if (hop != nullptr) lines.insert(lines.end(), hop->evidence.begin(), hop->evidence.end());
    if (next_hop && !contains(route.next_hops, *next_hop))
      found.violated(object, expected, {Actual::next_hop, {hop->node, words_.address(*next_hop)}}, std::move(lines));
    else if (macs.size() == gateways.all.size() && !macs.contains(receiver.value) && !receiver.is_zero())
      found.violated(object, expected, frame_goes_to(cluster_, receiver), std::move(lines));
    return;
  }
}

}  // namespace egt::explain
