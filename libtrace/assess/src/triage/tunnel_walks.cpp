#include "triage/tunnel_walks.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "common/evidence.h"

namespace egt::assess {
namespace {

using Pods = std::vector<const KnownPod*>;

// On the network by which it sends: what a pod's status has is of the default one.
std::optional<IpAddr> address_of(const KnownPod& pod, Family family) {
  if (pod.network().empty()) return pod.address(family) != nullptr ? std::optional(*pod.address(family)) : std::nullopt;
  for (const Prefix& own : pod.object->primary()->addresses)
    if (own.address.family == family) return own.address;
  return std::nullopt;
}

// Of each network one pod of each node that has an address of the family, in the order of nodes.
std::map<std::string_view, Pods> one_of_each_node(const Facts& f, Family family) {
  std::map<std::pair<std::string_view, std::string_view>, const KnownPod*> first;
  for (const KnownPod& pod : f.all_pods)
    if (!pod.host_network && address_of(pod, family) && f.cluster.node(pod.node) != nullptr)
      first.try_emplace({pod.network(), pod.node}, &pod);
  std::map<std::string_view, Pods> pods;
  for (const auto& [of, pod] : first) pods[of.first].push_back(pod);
  return pods;
}

void walk(const Facts& f, const KnownPod& from, const KnownPod& to, Family family, PacketSize size,
          std::vector<LostBetweenNodes>& lost) {
  const auto sender = explain::parse_point(from.full_name());
  const auto receiver = explain::parse_point(address_of(to, family)->to_string());
  if (!sender || !receiver) return;
  explain::Question q;
  q.from = *sender;
  q.to = *receiver;
  q.proto = family == Family::v4 ? "icmp" : "icmp6";
  q.only_deciding = true;
  if (size == PacketSize::largest) {
    const host::Link* device = management_device(*f.cluster.node(from.node));
    if (device == nullptr || device->mtu == 0) return;
    q.size = device->mtu;
    q.dont_fragment = true;
  }
  const auto x = f.explainer.explain(q);
  if (!x) return;
  for (const LostWalk& one : lost_walks(*x))
    if (one.walk->verdict == explain::Verdict::dropped)
      lost.push_back({&from, &to, one.direction, *one.walk->stopped_at, deciding_evidence(*one.walk)});
}

}  // namespace

std::vector<LostBetweenNodes> lost_between_nodes(const Facts& facts, PacketSize size) {
  std::vector<LostBetweenNodes> lost;
  for (const Family family : {Family::v4, Family::v6})
    for (const auto& [network, pods] : one_of_each_node(facts, family)) {
      const std::size_t furthest = network.empty() ? pods.size() : std::min<std::size_t>(pods.size(), 2);
      for (std::size_t step = 1; step < furthest; step *= 2)
        for (std::size_t i = 0; i < pods.size(); ++i) walk(facts, *pods[i], *pods[(i + step) % pods.size()], family, size, lost);
    }
  return lost;
}

void report_tunnels(const std::vector<LostBetweenNodes>& lost, Claim claim, Findings& out) {
  std::map<std::tuple<std::string, std::string, std::string>, std::vector<const LostBetweenNodes*>> places;
  for (const LostBetweenNodes& one : lost)
    if (one.at.in_tunnel && !out.explains(one.at)) places[{one.at.node, one.at.where, one.at.why}].push_back(&one);
  for (const auto& [place, some] : places) {
    const LostBetweenNodes& first = *some.front();
    out.add(claim, first.at.node, "",
            {first.from->node, first.to->node, first.at.where, first.at.why, more(some.size() - 1), first.from->full_name(),
             first.to->full_name()},
            first.at.evidence);
  }
}

}  // namespace egt::assess
