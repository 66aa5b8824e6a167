#include "presumed/local_endpoints.h"

#include <algorithm>

#include "egtrace/base/text.h"

namespace egt::parsers::presumed {
namespace {

using cluster::EndpointSlice;
using cluster::Objects;
using cluster::Pod;
using cluster::Service;
using cluster::ServiceEndpoint;
using cluster::ServicePort;

bool is_of(const EndpointSlice& slice, const Service& service) {
  return slice.namespace_ == service.namespace_ && slice.service == service.name;
}

bool has_slices(const Service& service, const Objects& objects) {
  return std::any_of(objects.endpoint_slices.begin(), objects.endpoint_slices.end(),
                     [&](const EndpointSlice& slice) { return is_of(slice, service); });
}

void add_of_slice(const EndpointSlice& slice, const ServicePort& port, Family family, const NodeFacts& facts,
                  std::vector<LocalEndpoint>& all) {
  for (const cluster::EndpointPort& target : slice.ports) {
    if (target.name != port.name || target.protocol != port.protocol) continue;
    for (const ServiceEndpoint& endpoint : slice.endpoints)
      if (endpoint.node == facts.node && endpoint.ready && endpoint.address.family == family)
        all.push_back({endpoint.address, target.port});
  }
}

// A number, a name of a container's port, or nothing: as the service's own.
std::uint16_t target_of(const ServicePort& port, const Pod& pod) {
  if (port.target_port.empty()) return port.port;
  if (const auto number = parse_decimal(port.target_port)) return static_cast<std::uint16_t>(*number);
  for (const cluster::NamedPort& named : pod.named_ports)
    if (named.name == port.target_port && named.protocol == port.protocol) return named.port;
  return 0;
}

}  // namespace

std::vector<LocalEndpoint> local_endpoints_of(const Service& service, const ServicePort& port, Family family,
                                              const NodeFacts& facts, const Objects& objects) {
  std::vector<LocalEndpoint> all;
  for (const EndpointSlice& slice : objects.endpoint_slices)
    if (is_of(slice, service)) add_of_slice(slice, port, family, facts, all);
  if (has_slices(service, objects)) return all;
  for (const Pod& pod : objects.pods) {
    const std::uint16_t target = target_of(port, pod);
    if (pod.node != facts.node || pod.host_network || target == 0 || pod.has_ended() || !cluster::selects(service, pod)) continue;
    for (const Prefix& address : pod.addresses)
      if (address.address.family == family) all.push_back({address.address, target});
  }
  return all;
}

bool has_host_endpoint(const Service& service, const NodeFacts& facts, const Objects& objects) {
  const auto is_own = [&](const ServiceEndpoint& endpoint) {
    return endpoint.node == facts.node && std::any_of(facts.addresses.begin(), facts.addresses.end(),
                                                      [&](const Prefix& p) { return p.address == endpoint.address; });
  };
  return std::any_of(objects.endpoint_slices.begin(), objects.endpoint_slices.end(), [&](const EndpointSlice& slice) {
    return is_of(slice, service) && std::any_of(slice.endpoints.begin(), slice.endpoints.end(), is_own);
  });
}

}  // namespace egt::parsers::presumed
