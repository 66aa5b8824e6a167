#include "other_network.h"

#include "dumped_inputs.h"
#include "report.h"

namespace egt::explain {

const cluster::Pod* object_of(const Resolved& end, const cluster::Objects& objects) {
  const std::size_t slash = end.name.find('/');
  if (end.kind != "pod" || slash == end.name.npos) return nullptr;
  const cluster::Pod* pod = objects.pods.find(end.name.substr(0, slash), end.name.substr(slash + 1));
  return pod != nullptr && !pod->host_network ? pod : nullptr;
}

namespace {

// What no dump shows of the network that the sender uses.
std::optional<engine::Cause> why_open(const Resolved& end) {
  using engine::Reason;
  const Resolved::OtherNetwork& on = end.network;
  if (on.name.empty()) return std::nullopt;
  if (on.perhaps) return engine::Cause{Reason::primary_network_unknown, {end.name, on.name}};
  if (!on.without_port) return std::nullopt;
  if (!on.plugin.empty()) return engine::Cause{Reason::network_not_of_ovn, {end.name, on.name, on.plugin}};
  return engine::Cause{Reason::user_defined_network, {end.name, on.name}};
}

// The network that the question names, where the pod has no route to the destination by it.
std::optional<engine::Cause> why_not_by(const Resolved& from, const IpAddr& destination, const cluster::Objects& objects,
                                        const cluster::SeenNetworks& seen) {
  const cluster::Pod* pod = from.network_given ? object_of(from, objects) : nullptr;
  const cluster::PodAttachment* on = pod != nullptr && !from.network.name.empty() ? pod->on_network(from.network.name) : nullptr;
  if (on == nullptr || on->role == "primary" || on->addresses.empty() || has_route_by(objects, *pod, *on, destination, seen))
    return std::nullopt;
  return engine::Cause{engine::Reason::network_without_gateway, {from.name, from.network.name, destination}};
}

PathReport open_path(const Resolved& pod, engine::Cause why, const Words& words) {
  PathReport path;
  path.verdict = Verdict::inconclusive;
  path.confidence = Confidence::assumed;
  if (why.reason == engine::Reason::network_not_of_ovn)
    path.gaps.push_back(
        gap_besides_dumps({pod.node, engine::Input::pod_devices, {pod.name, pod.network.device}}, words.cluster()));
  path.stopped_at = report_stop({pod.node, engine::Layer::ovn, {}, std::move(why)}, words);
  path.summary = path.stopped_at->why;
  return path;
}

}  // namespace

std::optional<SendingNetwork> sending_network(const Resolved& from, const IpAddr& destination, const cluster::Objects& objects,
                                              const cluster::SeenNetworks& seen) {
  const cluster::Pod* pod = from.network_given ? nullptr : object_of(from, objects);
  if (pod == nullptr || pod->other_networks.empty()) return std::nullopt;
  const cluster::PodWay way = way_towards(objects, *pod, destination, seen);
  SendingNetwork network;
  network.name = way.on != nullptr ? way.on->network : "default";
  network.is_walked = from.network.perhaps || from.network.name == (way.on != nullptr ? way.on->network : std::string());
  network.is_usual = way.on == pod->primary() && !way.unsure;
  return network;
}

std::optional<PathReport> path_on_other_network(const Resolved& from, const Resolved& to, const IpAddr& destination,
                                                const Words& words, const cluster::SeenNetworks& seen) {
  if (auto why = why_open(from)) return open_path(from, *std::move(why), words);
  if (auto why = why_not_by(from, destination, words.cluster().objects, seen)) return open_path(from, *std::move(why), words);
  // Packets to an interface that another plugin has made are walked as far as dumps go.
  if (auto why = to.network.plugin.empty() ? why_open(to) : std::nullopt) return open_path(to, *std::move(why), words);
  return std::nullopt;
}

}  // namespace egt::explain
