#include "reasons.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "egtrace/base/text.h"
#include "phrases/endings.h"
#include "phrases/words.h"

namespace egt::explain {
namespace {

using namespace engine;

// The last hop that has a logical flow, if nothing but the end of the packet follows.
const Hop* deciding_hop(const PathReport& path) {
  for (auto hop = path.hops.rbegin(); hop != path.hops.rend() && hop - path.hops.rbegin() < 3; ++hop)
    if (!hop->lflows.empty()) return &*hop;
  return nullptr;
}

bool lists(const std::vector<IpAddr>& all, const IpAddr& one) { return std::find(all.begin(), all.end(), one) != all.end(); }

// The service that is called from outside at this address and whose traffic is to stay on the node.
const cluster::Service* local_service(const cluster::Cluster& cluster, const Tuple& sent) {
  for (const cluster::Service& s : cluster.objects.services) {
    if (s.external_traffic_policy != "Local" || s.selector.empty()) continue;
    const bool own = lists(s.load_balancer_ips, sent.dst) || lists(s.external_ips, sent.dst);
    const bool of_node =
        std::any_of(s.ports.begin(), s.ports.end(),
                    [&](const cluster::ServicePort& p) { return p.node_port != 0 && p.node_port == sent.dport; }) &&
        cluster.owner_of(sent.dst) != nullptr;
    const bool has_port =
        std::any_of(s.ports.begin(), s.ports.end(), [&](const cluster::ServicePort& p) { return p.port == sent.dport; });
    if ((own && has_port) || of_node) return &s;
  }
  return nullptr;
}

// Where a service's endpoints are: as EndpointSlices show, else the pods that its selector picks.
std::set<std::string> nodes_behind(const cluster::Service& service, const cluster::Objects& objects) {
  std::set<std::string> nodes;
  const cluster::Backing backing = backing_of(service, objects);
  for (const cluster::BackingEndpoint& b : backing.endpoints) nodes.insert(b.endpoint->node);
  if (!backing.shown)
    for (const cluster::Pod& pod : objects.pods)
      if (selects(service, pod)) nodes.insert(pod.node);
  nodes.erase("");
  return nodes;
}

}  // namespace

std::string logical_drop(const WalkedPath& walked, const PathReport& path) {
  if (!walked.stop || walked.record.steps.empty()) return {};
  if (!std::holds_alternative<Lost>(walked.record.steps.back().kind)) return {};
  if (walked.stop->layer != Layer::ovs && walked.stop->layer != Layer::ovn) return {};
  const Hop* hop = deciding_hop(path);
  if (hop == nullptr || hop->node != walked.stop->node) return {};
  const LflowRef& flow = hop->lflows.front();
  // Datapaths that share a flow are all shown.
  const bool agreed = std::all_of(hop->lflows.begin(), hop->lflows.end(), [&](const LflowRef& f) {
    return f.stage == flow.stage && f.match == flow.match && f.actions == flow.actions && f.priority == flow.priority;
  });
  if (!agreed || (flow.actions != "drop;" && !flow.actions.ends_with("/* drop */"))) return {};
  const Term on = hop->lflows.size() == 1 ? if_any(flow.datapath) : Term();
  if (flow.priority != 0 || flow.match != "1") return phrase(Ending::logical_flow_drops, {flow.stage, on});
  if (flow.stage.starts_with("lr_in_ip_routing") && !walked.record.sightings.empty())
    return phrase(Ending::no_route_of_ovn, {on, dst_ip(walked.record.sightings.back().packet)});
  return phrase(Ending::no_logical_flow, {flow.stage, on});
}

std::string deciding_rule(const PathReport& path) {
  if (!path.stopped_at) return {};
  for (const RowRef& row : path.stopped_at->rows)
    if (!row.object.empty() && (row.name.starts_with("drop") || row.name.starts_with("reject")))
      return phrase(Ending::row_decides, {row.table, row.name, to_text(row.object)});
  return {};
}

std::string no_local_endpoint(const WalkedPath& walked, const cluster::Cluster& cluster) {
  if (!walked.stop || !is_ip(walked.sent)) return {};
  const cluster::Node* node = cluster.node(walked.stop->node);
  if (node == nullptr || node->bridges.empty()) return {};
  const Tuple sent = tuple_of(walked.sent);
  const cluster::Service* service = local_service(cluster, sent);
  if (service == nullptr) return {};
  const std::set<std::string> where = nodes_behind(*service, cluster.objects);
  if (where.empty() || where.contains(node->name)) return {};
  Terms about{service->full_name(), where, node->name};
  const auto nat = std::find_if(walked.record.nat.rbegin(), walked.record.nat.rend(),
                                [&](const NatEvent& e) { return !e.source && e.node == node->name && e.before.dst == sent.dst; });
  if (nat != walked.record.nat.rend() && !walked.record.sightings.empty()) {
    const Sighting& last = walked.record.sightings.back();
    if (last.node == node->name && !last.in && dst_ip(last.packet) == nat->after.dst)
      about.insert(about.end(), {last.device, endpoint_text(nat->after, false), nat->by, endpoint_text(nat->before, false)});
  }
  return phrase(Ending::no_local_endpoint, about);
}

namespace {

// The next hops that BGP would have, where another route beats it by its distance.
std::set<std::string> shadowed_bgp(const cluster::Node* router, const RouteLookup& choice) {
  if (router == nullptr || choice.route->protocol == "bgp") return {};
  std::set<std::string> paths;
  for (const host::DaemonRoute& offer : router->host.routing_daemon.offers)
    if (offer.bgp != host::BgpPeer::none && offer.vrf.empty() && offer.route.to == choice.route->to)
      for (const host::NextHop& hop : offer.route.next_hops)
        if (hop.via && hop.via != choice.gateway) paths.insert(hop.via->to_string());
  return paths;
}

}  // namespace

std::string wrong_node(const WalkedPath& request, const WalkedPath& answer, const cluster::Cluster& cluster) {
  if (!answer.stop || !is_ip(answer.sent)) return {};
  const std::string& here = answer.stop->node;
  const cluster::Node* node = cluster.node(here);
  if (node == nullptr || node->bridges.empty()) return {};  // a router on the path, not a node of the cluster
  const IpAddr to = dst_ip(answer.sent);
  const auto nat = std::find_if(request.record.nat.rbegin(), request.record.nat.rend(),
                                [&](const NatEvent& e) { return e.source && e.after.src == to; });
  if (nat == request.record.nat.rend() || nat->node == here) return {};
  // The last node that chose where it goes, and chose this one.
  const RouteLookup* choice = nullptr;
  const RouteLookup* latest = nullptr;
  std::string by, at;
  for (const Step& step : answer.record.steps) {
    if (step.node == nat->node) return {};  // it has been there
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
  const Term protocol = route.protocol == "kernel" ? Term() : if_any(std::string(route.protocol));
  return phrase(Ending::wrong_node, {by, protocol, route.to.length == 0 ? "default" : route.to.to_short_string(), choice->gateway,
                                     shadowed_bgp(cluster.node(by), *choice), nat->node, to, nat->before.src});
}

namespace {

// How a packet gets into a node: the last device before the node looks at it (for example a macvlan on the NIC).
const Sighting* entry_into(const WalkedPath& walked, const std::string& node) {
  const Sighting* entry = nullptr;
  for (const Sighting& s : walked.record.sightings) {
    if (s.node == node && s.in)
      entry = &s;
    else if (entry != nullptr)
      break;
  }
  return entry;
}

// The MAC, the node and its device; the latter two are absent where none of its devices has it.
void add_device_with_mac(const cluster::Cluster& cluster, const std::string& node, const MacAddr& mac, Terms& about) {
  about.emplace_back(mac);
  const cluster::Node* shown = cluster.node(node);
  if (shown != nullptr)
    for (const host::Link& link : shown->host.links.value)
      if (link.mac == mac) {
        about.insert(about.end(), {node, link.name});
        return;
      }
  about.insert(about.end(), 2, Term());
}

// The logical router that writes the answer's source MAC into the connection: a symmetric-reply route.
std::string router_that_remembers(const PathReport& answered, const std::string& node) {
  for (const Hop& hop : answered.hops)
    for (const LflowRef& flow : hop.lflows)
      if (hop.node == node && (flow.actions.find("ecmp_reply_eth = eth.src") != std::string::npos ||
                               flow.actions.find("commit_ecmp_nh(") != std::string::npos))
        return flow.datapath;
  return {};
}

// The mark that the node gave the packet, and where.
struct GivenMark {
  std::uint32_t mark = 0;
  std::string where;
};

std::optional<GivenMark> mark_given(const WalkedPath& walked, const std::string& node) {
  std::optional<GivenMark> given;
  std::string where;
  for (const Step& step : walked.record.steps) {
    if (step.node != node) continue;
    if (const auto* hit = std::get_if<RuleHit>(&step.kind))
      where = fmt::format("{} {} {}", hit->front_end, hit->table, hit->chain);
    if (const auto* mark = std::get_if<MarkSet>(&step.kind); mark != nullptr && mark->after != 0)
      given = GivenMark{mark->after, where};
  }
  return given;
}

}  // namespace

std::string remembered_frame(const Before& before, const WalkedPath& next, const cluster::Cluster& cluster) {
  if (!next.stop) return {};
  const std::string& node = next.stop->node;
  const Sighting *first = entry_into(*before.request, node), *now = entry_into(next, node);
  if (first == nullptr || now == nullptr || dst_mac(first->packet) == dst_mac(now->packet)) return {};
  const MacAddr mac = dst_mac(now->packet);
  const auto& answers = before.answer->record.sightings;
  const auto from = std::find_if(answers.begin(), answers.end(),
                                 [&](const Sighting& s) { return s.in && s.node != node && src_mac(s.packet) == mac; });
  if (from == answers.end()) return {};
  const std::string router = router_that_remembers(*before.answered, from->node);
  Terms about{if_any(router), from->node};
  add_device_with_mac(cluster, node, mac, about);
  add_device_with_mac(cluster, node, dst_mac(first->packet), about);
  if (first->device != now->device) {
    about.insert(about.end(), {node, now->device, first->device});
    const auto mark = mark_given(*before.request, node), still = mark_given(next, node);
    if (mark && (!still || still->mark != mark->mark))
      about.insert(about.end(), {mark->mark, if_any(mark->where), mark->where.empty() ? Term(mark->mark) : Term()});
  }
  return phrase(Ending::remembered_frame, about);
}

std::string ending_rule(const StopReport& stop) {
  if ((stop.layer != "host" && stop.layer != "router") || stop.evidence.empty()) return {};
  if (stop.place.kind != PlaceKind::chain) return {};
  std::string_view text = trim(stop.evidence.front().text);
  if (text.starts_with('[') && text.find("] ") != std::string_view::npos)
    text = trim(text.substr(text.find("] ") + 2));  // counters
  return text.starts_with(':') || text.starts_with("chain ") || text.starts_with("type ") ? std::string()
                                                                                          : std::string(text);  // a policy
}

}  // namespace egt::explain
