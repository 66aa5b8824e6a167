// A connection that conntrack keeps sending to an endpoint that is gone: its client gets no answer until the entry ends.
#include <algorithm>
#include <map>
#include <set>

#include "egtrace/base/text.h"
#include "egtrace/ovn/southbound.h"
#include "egtrace/packet/packet.h"
#include "triage/checks.h"

namespace egt::assess {
namespace stale_connection {

// Where clients call a service.
struct Called {
  IpAddr address;
  std::uint16_t port = 0;
  std::uint8_t proto = 0;
  friend auto operator<=>(const Called&, const Called&) = default;
};
struct Backends {
  std::string name;  // "Service shop/cart", "load balancer Service_shop/cart"
  std::set<IpAddr> endpoints;
};
using Services = std::map<Called, Backends>;

std::uint8_t number_of(const std::string& protocol) {
  const std::string name = lower(protocol);
  return name == "udp" ? ip_proto::udp : name == "sctp" ? ip_proto::sctp : ip_proto::tcp;
}

void add_objects(const Facts& f, Services& all) {
  for (const cluster::Service& service : f.cluster.objects.services) {
    if (!cluster::backing_of(service, f.cluster.objects).shown) continue;
    std::set<IpAddr> endpoints;
    for (const cluster::ServiceEndpoint& e : endpoints_of(service, f.cluster.objects, f.all_pods)) endpoints.insert(e.address);
    for (const auto* addresses : {&service.cluster_ips, &service.external_ips, &service.load_balancer_ips})
      for (const IpAddr& a : *addresses)
        for (const cluster::ServicePort& port : service.ports)
          all[{a, port.port, number_of(port.protocol)}] = {"Service " + service.full_name(), endpoints};
  }
}

// What OVN translates to counts as well: objects may be of another moment.
void add_load_balancers(const cluster::Node& node, Services& all) {
  if (node.ovn.southbound == nullptr || !node.ovn.southbound->complete.contains("Load_Balancer")) return;
  for (const ovn::sb::LoadBalancer& balancer : node.ovn.southbound->load_balancers.get())
    for (const auto& [vip, backends] : balancer.vips) {
      const auto at = explain::parse_point(vip);
      if (!at || !at->ip || !at->port) continue;
      Backends& known =
          all.try_emplace({*at->ip, *at->port, number_of(balancer.protocol)}, Backends{"load balancer " + balancer.name, {}})
              .first->second;
      for (const std::string_view backend : split(backends, ','))
        if (const auto to = explain::parse_point(trim(backend)); to && to->ip) known.endpoints.insert(*to->ip);
    }
}

// Whether packets still take the entry: of TCP an established connection, of UDP any.
bool is_in_use(const host::ConntrackEntry& e) {
  return e.original.proto == ip_proto::udp || (e.original.proto == ip_proto::tcp && e.state == "ESTABLISHED");
}

// Connections of one node to one endpoint that is none any more.
struct Stale {
  std::string service;
  std::vector<Provenance> lines;
  std::uint8_t proto = 0;
};

void look(const cluster::Node& node, const std::vector<host::ConntrackEntry>& entries, const Services& services,
          std::map<IpAddr, Stale>& stale) {
  const auto is_called = [&](const IpAddr& a) {
    const auto next = services.lower_bound({a, 0, 0});
    return next != services.end() && next->first.address == a;
  };
  for (const host::ConntrackEntry& e : entries) {
    const auto called = services.find({e.original.dst, e.original.dport, e.original.proto});
    if (called == services.end() || !is_in_use(e) || called->second.endpoints.contains(e.reply.src)) continue;
    // Not translated, or to another address of a service, which another entry translates on.
    if (e.reply.src == e.original.dst || is_called(e.reply.src) || node.host.owner_of(e.reply.src) != nullptr) continue;
    Stale& s = stale[e.reply.src];
    s.service = called->second.name;
    s.proto = e.original.proto;
    s.lines.push_back(e.from);
  }
}

void report(const Facts& f, const cluster::Node& node, const IpAddr& endpoint, const Stale& s, Findings& out) {
  const KnownPod* pod = f.pod_with(endpoint);
  out.weigh(pod == nullptr ? Severity::warning : Severity::note);
  out.add(pod == nullptr ? Claim::stale_connections_to_no_pod : Claim::stale_connections_to_other_pod, node.name, "",
          {s.lines.size(), s.service, endpoint, s.proto == ip_proto::udp, pod == nullptr ? Term() : Term(pod->full_name())},
          s.lines);
}

void run(const Facts& f, Findings& out) {
  Services of_objects;
  add_objects(f, of_objects);
  bool shown = false;
  for (const auto& node : f.cluster.nodes) {
    shown |= node->host.conntrack.present || node->host.ovs_conntrack.present;
    if (node->host.conntrack.value.empty() && node->host.ovs_conntrack.value.empty()) continue;
    Services services = of_objects;
    add_load_balancers(*node, services);
    std::map<IpAddr, Stale> stale;
    look(*node, node->host.conntrack.value, services, stale);
    look(*node, node->host.ovs_conntrack.value, services, stale);
    for (const auto& [endpoint, s] : stale) report(f, *node, endpoint, s, out);
  }
  if (!shown) out.lacks(Lack::all_connections);
}

}  // namespace stale_connection

const Check kStaleConnection{"stale-connection", Severity::warning, always, stale_connection::run};

}  // namespace egt::assess
