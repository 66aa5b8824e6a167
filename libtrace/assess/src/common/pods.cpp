#include "common/pods.h"

#include <algorithm>
#include <map>
#include <utility>

#include "egtrace/engine/pod_sides.h"

namespace egt::assess {
namespace {

using PodKey = std::pair<std::string, std::string>;

KnownPod of_object(const cluster::Pod& object) {
  KnownPod pod{object.namespace_, object.name, object.node, {}, object.host_network, &object};
  for (const Prefix& p : engine::usual_side(object).addresses()) pod.addresses.push_back(p.address);
  return pod;
}

void add_workload(const engine::Workload& w, std::map<PodKey, KnownPod>& all) {
  const std::string& id = w.port->external_ids.at("iface-id");
  const std::size_t cut = id.find('_');
  if (cut == std::string::npos || id.find('_', cut + 1) != std::string::npos) return;  // NETWORK_NAMESPACE_POD of another network
  const PodKey key{id.substr(0, cut), id.substr(cut + 1)};
  if (all.contains(key)) return;
  KnownPod pod{key.first, key.second, w.node->name, {}, false, nullptr};
  for (const Prefix& p : w.network.addresses) pod.addresses.push_back(p.address);
  all.emplace(key, std::move(pod));
}

}  // namespace

const IpAddr* KnownPod::address(Family family) const {
  for (const IpAddr& a : addresses)
    if (a.family == family) return &a;
  return nullptr;
}

std::string_view KnownPod::network() const {
  const cluster::PodAttachment* on = object != nullptr ? engine::usual_side(*object).on : nullptr;
  return on != nullptr ? std::string_view(on->network) : std::string_view();
}

NamespaceNetworks::NamespaceNetworks(const std::vector<KnownPod>& pods) {
  for (const KnownPod& pod : pods)
    if (!pod.host_network && !pod.network().empty()) networks_.emplace(pod.namespace_, pod.network());
}

std::string_view NamespaceNetworks::of(std::string_view name_space) const {
  const auto found = networks_.find(name_space);
  return found == networks_.end() ? std::string_view() : found->second;
}

std::span<const KnownPod> pods_in(const std::vector<KnownPod>& pods, std::string_view name_space) {
  const auto begin = std::partition_point(pods.begin(), pods.end(), [&](const KnownPod& p) { return p.namespace_ < name_space; });
  const auto end = std::partition_point(begin, pods.end(), [&](const KnownPod& p) { return p.namespace_ == name_space; });
  return {begin, end};
}

std::vector<const KnownPod*> pods_of(const cluster::PolicyPeer& peer, const cluster::Objects& objects,
                                     const std::vector<KnownPod>& pods, std::size_t most) {
  std::vector<const KnownPod*> selected;
  const auto take = [&](std::span<const KnownPod> some) {
    for (const KnownPod& pod : some)
      if (selected.size() < most && pod.object != nullptr && !pod.host_network && peer.pods.matches(pod.object->labels))
        selected.push_back(&pod);
  };
  if (const std::string* only = one_namespace(peer.namespaces)) {
    take(pods_in(pods, *only));
    return selected;
  }
  for (std::size_t i = 0; i < pods.size() && selected.size() < most;) {
    const std::span<const KnownPod> some = pods_in(pods, pods[i].namespace_);
    if (selects_namespace(peer.namespaces, objects, pods[i].namespace_)) take(some);
    i += some.size();
  }
  return selected;
}

std::vector<KnownPod> known_pods(const cluster::Cluster& cluster, const cluster::NodeBudget& budget) {
  std::map<PodKey, KnownPod> all;
  for (const cluster::Pod& object : cluster.objects.pods)
    if (!object.addresses.empty()) all.emplace(PodKey{object.namespace_, object.name}, of_object(object));
  const engine::Workloads workloads(cluster);
  budget.for_each(cluster, [&](const cluster::Node& node) {
    for (const engine::Workload& w : workloads.of(node)) add_workload(w, all);
  });
  std::vector<KnownPod> pods;
  for (auto& [key, pod] : all) pods.push_back(std::move(pod));
  return pods;
}

std::vector<KnownPod> pods_of_default_network(std::vector<KnownPod> pods) {
  std::erase_if(pods, [](const KnownPod& pod) { return !pod.network().empty(); });
  return pods;
}

}  // namespace egt::assess
