// Endpoints of a service, as EndpointSlices show them, against the backends of OVN's load balancers.
#include <algorithm>
#include <set>

#include "egtrace/base/address_port.h"
#include "egtrace/base/text.h"
#include "egtrace/ovn/rows/nb.h"
#include "intent.h"

namespace egt::explain {
namespace {

std::string target_text(const AddressPort& t) { return to_text({t.first.to_string(), t.second}); }

std::string protocol_in_capitals(std::uint8_t proto) {
  return proto == ip_proto::tcp ? "TCP" : proto == ip_proto::udp ? "UDP" : proto == ip_proto::sctp ? "SCTP" : "";
}

std::string vip_key(const std::string& protocol, const std::string& vip) { return protocol + " " + vip; }

// The port that an EndpointSlice gives a port of the service.
std::uint16_t target_port(const cluster::EndpointSlice& slice, const cluster::ServicePort& port) {
  for (const cluster::EndpointPort& p : slice.ports)
    if (p.name == port.name && p.protocol == port.protocol) return p.port;
  return 0;
}

Term::Few terms_of(const std::vector<AddressPort>& all) {
  Term::Few few;
  for (const AddressPort& t : all) few.push_back({target_text(t)});
  return few;
}

bool lists_address(const std::vector<IpAddr>& all, const IpAddr& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

}  // namespace

// Addresses of nodes stand behind pods of the host's network; OVN-Kubernetes has load balancers reach those by
// addresses of its own.
bool IntentChecker::is_pod_address(const IpAddr& address) const {
  if (address.is_link_local() || cluster_.owner_of(address) != nullptr) return false;
  bool subnets = false;
  for (const cluster::NodeObject& node : cluster_.objects.nodes) {
    if (lists_address(node.addresses, address)) return false;
    for (const Prefix& subnet : node.pod_subnets) {
      if (subnet.contains(address)) return true;
      subnets |= subnet.address.family == address.family;
    }
  }
  return !subnets && pods_.contains(address);
}

const IntentChecker::Vips& IntentChecker::vips_of(const cluster::Node& node) const {
  return vips_.of(node, [&] { return read_vips(node); });
}

IntentChecker::Vips IntentChecker::read_vips(const cluster::Node& node) {
  Vips vips;
  const auto complete = node.ovn.complete_tables.find("NB Load_Balancer");
  if (complete == node.ovn.complete_tables.end()) return vips;
  vips.complete = true;
  vips.from = complete->second;
  for (const auto balancer : rows_of<rows::nb::LoadBalancer>(node.ovn.rows)) {
    const std::string protocol = upper(balancer.protocol());
    for (const auto& [vip, targets] : balancer.vips()) {
      Backends backends{{}, balancer.from()};
      for (const std::string_view target : split(targets, ','))
        if (const auto t = parse_address_port(trim(target))) backends.targets.push_back(*t);
      vips.by_vip[vip_key(protocol.empty() ? "TCP" : protocol, vip)].push_back(std::move(backends));
    }
  }
  return vips;
}

IntentChecker::Called IntentChecker::called(const Tuple& sent) const {
  const std::string protocol = protocol_in_capitals(sent.proto);
  const auto [first, last] = services_.equal_range(sent.dst);
  for (auto at = first; at != last; ++at)
    for (const cluster::ServicePort& port : at->second->ports)
      if (port.port == sent.dport && port.protocol == protocol)
        return {at->second, &port, !lists_address(at->second->cluster_ips, sent.dst)};
  return {};
}

void IntentChecker::answering(const engine::WalkedPath& walked, Compliance& found) const {
  const Tuple sent = tuple_of(walked.sent);
  const Called target = called(sent);
  if (target.service == nullptr) return;
  std::set<std::string> seen;
  for (const engine::Step& step : walked.record.steps) {
    if (!seen.insert(step.node).second) continue;
    const cluster::Node* node = cluster_.node(step.node);
    if (node != nullptr && !node->bridges.empty()) backends(target, sent, *node, found);
  }
}

void IntentChecker::backends(const Called& target, const Tuple& sent, const cluster::Node& node, Compliance& found) const {
  const cluster::Service& service = *target.service;
  const cluster::Backing backing = backing_of(service, cluster_.objects);
  const Vips& vips = vips_of(node);
  if (!backing.shown || !vips.complete) return;
  found.is_asked = true;
  const bool local = (target.from_outside ? service.external_traffic_policy : service.internal_traffic_policy) == "Local";
  std::vector<Target> wanted, missing, stale;
  std::set<IpAddr> known;
  std::vector<Provenance> lines{service.from};
  const auto rows = vips.by_vip.find(vip_key(target.port->protocol, target_text({sent.dst, sent.dport})));
  const bool any = rows != vips.by_vip.end();
  const auto held = [&](const Target& t) {
    return any && std::any_of(rows->second.begin(), rows->second.end(), [&](const Backends& b) {
             return std::find(b.targets.begin(), b.targets.end(), t) != b.targets.end();
           });
  };
  for (const cluster::BackingEndpoint& b : backing.endpoints) {
    const std::uint16_t port = target_port(*b.slice, *target.port);
    if (b.endpoint->address.family != sent.dst.family || port == 0) continue;
    const Target t{b.endpoint->address, port};
    if (!known.insert(t.first).second) continue;
    wanted.push_back(t);
    if (std::find(lines.begin(), lines.end(), b.slice->from) == lines.end()) lines.push_back(b.slice->from);
    if (is_pod_address(t.first) && (!local || b.endpoint->node == node.name) && !held(t)) missing.push_back(t);
  }
  if (any)
    for (const Backends& b : rows->second) {
      lines.push_back(b.from);
      for (const Target& t : b.targets)
        if (is_pod_address(t.first) && std::find(wanted.begin(), wanted.end(), t) == wanted.end() &&
            std::find(stale.begin(), stale.end(), t) == stale.end())
          stale.push_back(t);
    }
  else
    lines.push_back(vips.from);
  if (missing.empty() && stale.empty()) return;
  const Clause<Actual> done{any ? Actual::other_backends : Actual::no_load_balancer,
                            {node.name, terms_of(missing), terms_of(stale), missing.empty()}};
  found.violated("Service " + service.full_name(), {Wanted::endpoints, {terms_of(wanted)}}, done, words_.evidence(lines));
}

}  // namespace egt::explain
