#include "reasons.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "words.h"

namespace egt::explain {
namespace {

using namespace engine;

// The last hop that has a logical flow, if nothing but the end of the packet follows.
const Hop* deciding_hop(const WayReport& way) {
  for (auto hop = way.hops.rbegin(); hop != way.hops.rend() && hop - way.hops.rbegin() < 3; ++hop)
    if (!hop->lflows.empty()) return &*hop;
  return nullptr;
}

bool lists(const std::vector<IpAddr>& all, const IpAddr& one) { return std::find(all.begin(), all.end(), one) != all.end(); }

// The service that is called from outside at this address and wants its traffic to stay on the machine.
const cluster::Service* local_service(const cluster::Cluster& cluster, const Tuple& sent) {
  for (const cluster::Service& s : cluster.objects.services) {
    if (s.external_traffic_policy != "Local" || s.selector.empty()) continue;
    const bool own = lists(s.load_balancer_ips, sent.dst) || lists(s.external_ips, sent.dst);
    const bool of_node = std::any_of(s.ports.begin(), s.ports.end(), [&](const cluster::ServicePort& p) {
      return p.node_port != 0 && p.node_port == sent.dport;
    }) && cluster.owner_of(sent.dst) != nullptr;
    const bool has_port = std::any_of(s.ports.begin(), s.ports.end(),
                                      [&](const cluster::ServicePort& p) { return p.port == sent.dport; });
    if ((own && has_port) || of_node) return &s;
  }
  return nullptr;
}

// Where a service's endpoints are: as EndpointSlices tell, else the pods that its selector picks.
std::set<std::string> nodes_behind(const cluster::Service& service, const cluster::Objects& objects) {
  std::set<std::string> nodes;
  const cluster::Backing backing = backing_of(service, objects);
  for (const cluster::BackingEndpoint& b : backing.endpoints) nodes.insert(b.endpoint->node);
  if (!backing.told)
    for (const cluster::Pod& pod : objects.pods)
      if (selects(service, pod)) nodes.insert(pod.node);
  nodes.erase("");
  return nodes;
}

// Machines in the order in which the packet meets them.
std::vector<std::string> machines(const WayReport& way) {
  std::vector<std::string> all;
  for (const SightingReport& s : way.sightings)
    if (all.empty() || all.back() != s.node) all.push_back(s.node);
  return all;
}

}  // namespace

std::string logical_drop(const Course& course, const WayReport& way) {
  if (!course.stop || course.record.steps.empty()) return {};
  if (!std::holds_alternative<Lost>(course.record.steps.back().kind)) return {};
  if (course.stop->layer != Layer::ovs && course.stop->layer != Layer::ovn) return {};
  const Hop* hop = deciding_hop(way);
  if (hop == nullptr || hop->node != course.stop->node) return {};
  const LflowRef& flow = hop->lflows.front();
  // Datapaths that share a flow are all told.
  const bool agreed = std::all_of(hop->lflows.begin(), hop->lflows.end(), [&](const LflowRef& f) {
    return f.stage == flow.stage && f.match == flow.match && f.actions == flow.actions && f.priority == flow.priority;
  });
  if (!agreed || (flow.actions != "drop;" && !flow.actions.ends_with("/* drop */"))) return {};
  const std::string on = hop->lflows.size() == 1 ? flow.datapath : "";
  if (flow.priority != 0 || flow.match != "1")
    return fmt::format("a logical flow of {}{}{} drops it", flow.stage, on.empty() ? "" : " in ", on);
  if (flow.stage.starts_with("lr_in_ip_routing") && !course.record.sightings.empty())
    return fmt::format("{} has no route to {}", on.empty() ? "OVN" : on,
                       dst_ip(course.record.sightings.back().packet).to_string());
  return fmt::format("no logical flow of {}{}{} is for it, so it is dropped", flow.stage, on.empty() ? "" : " in ", on);
}

std::string deciding_rule(const WayReport& way) {
  if (!way.stopped_at) return {};
  for (const RowRef& row : way.stopped_at->rows)
    if (!row.object.empty() && (row.name.starts_with("drop") || row.name.starts_with("reject")))
      return fmt::format("{} \"{}\" asks for it ({})", row.table, row.name, row.object);
  return {};
}

std::string no_local_endpoint(const Course& course, const cluster::Cluster& cluster) {
  if (!course.stop || !is_ip(course.sent)) return {};
  const cluster::Node* node = cluster.node(course.stop->node);
  if (node == nullptr || node->bridges.empty()) return {};
  const Tuple sent = tuple_of(course.sent);
  const cluster::Service* service = local_service(cluster, sent);
  if (service == nullptr) return {};
  const std::set<std::string> where = nodes_behind(*service, cluster.objects);
  if (where.empty() || where.contains(node->name)) return {};
  std::string s = fmt::format("service {}/{} has externalTrafficPolicy Local, and its pods run on {}, none on {}",
                              service->namespace_, service->name, fmt::join(where, ", "), node->name);
  const auto nat = std::find_if(course.record.nat.rbegin(), course.record.nat.rend(), [&](const NatEvent& e) {
    return !e.source && e.node == node->name && e.before.dst == sent.dst;
  });
  if (nat == course.record.nat.rend() || course.record.sightings.empty()) return s;
  const Sighting& last = course.record.sightings.back();
  if (last.node == node->name && !last.in && dst_ip(last.packet) == nat->after.dst)
    s += fmt::format(", so nobody behind {} answers for {}, which {} makes of {}", last.device,
                     endpoint_text(nat->after, false), nat->by, endpoint_text(nat->before, false));
  return s;
}

std::string wrong_machine(const Course& request, const Course& answer, const cluster::Cluster& cluster) {
  if (!answer.stop || !is_ip(answer.sent)) return {};
  const std::string& here = answer.stop->node;
  const cluster::Node* node = cluster.node(here);
  if (node == nullptr || node->bridges.empty()) return {};   // a router on the way, not a node of the cluster
  const IpAddr to = dst_ip(answer.sent);
  const auto nat = std::find_if(request.record.nat.rbegin(), request.record.nat.rend(),
                                [&](const NatEvent& e) { return e.source && e.after.src == to; });
  if (nat == request.record.nat.rend() || nat->node == here) return {};
  // The last machine that chose where it goes, and chose this one.
  const RouteLookup* choice = nullptr;
  const RouteLookup* latest = nullptr;
  std::string by, at;
  for (const Step& step : answer.record.steps) {
    if (step.node == nat->node) return {};   // it has been there
    if (const auto* look_up = std::get_if<RouteLookup>(&step.kind); look_up != nullptr && !look_up->reverse_path) {
      latest = look_up;
      at = step.node;
    }
    if (const auto* wire = std::get_if<CrossWire>(&step.kind);
        wire != nullptr && wire->to_node == here && latest != nullptr && latest->route != nullptr && at == wire->from_node) {
      choice = latest;
      by = at;
    }
  }
  if (choice == nullptr) return {};
  const host::Route& route = *choice->route;
  std::string way = fmt::format("{}{}route {}", route.protocol == "kernel" ? "" : route.protocol,
                                route.protocol.empty() || route.protocol == "kernel" ? "" : " ",
                                route.to.length == 0 ? "default" : route.to.to_short_string());
  if (choice->gateway) way += " via " + choice->gateway->to_string();
  return fmt::format("{}'s {} sends it to the wrong node: {} gave the request the address {}, and only there the answer is "
                     "turned back to {}", by, way, nat->node, to.to_string(), nat->before.src.to_string());
}

std::string afterwards(const std::vector<WayReport>& ways) {
  std::vector<std::string> lost, later, roundabout;
  std::size_t answered = 0, asked = 0;
  const auto add = [](std::vector<std::string>& all, const std::string& one) {
    if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
  };
  for (const WayReport& way : ways) {
    if (way.reply.empty() || way.reply.front().ways.empty()) continue;
    std::vector<std::string> there = machines(way);
    std::reverse(there.begin(), there.end());
    for (const WayReport& back : way.reply.front().ways) {
      ++asked;
      if (back.verdict != "delivered") {
        add(lost, back.summary);
        continue;
      }
      ++answered;
      const std::vector<std::string> course = machines(back);
      if (course != there && std::set<std::string>(course.begin(), course.end()) != std::set<std::string>(there.begin(), there.end()))
        add(roundabout, fmt::format("{}", fmt::join(course, ", ")));
    }
    if (way.continued.empty()) continue;
    // A choice that the first packet made is made alike for the next one: where one course gets through, that may be it.
    const std::vector<WayReport>& nexts = way.continued.front().ways;
    if (std::none_of(nexts.begin(), nexts.end(), [](const WayReport& next) { return next.verdict == "delivered"; }))
      for (const WayReport& next : nexts) add(later, next.summary);
  }
  std::string s;
  if (!lost.empty())
    s += fmt::format("; {}: {}", answered == 0 ? "but no answer comes back" : "on some ways no answer comes back", fmt::join(lost, "; or "));
  if (!later.empty()) s += fmt::format("; the handshake is done, but {}", fmt::join(later, "; or "));
  if (!roundabout.empty()) s += fmt::format("; the answer takes another way: {}", fmt::join(roundabout, "; or "));
  return s;
}

}  // namespace egt::explain
