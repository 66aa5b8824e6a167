#include "expect/expand.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/glob.h"
#include "egtrace/base/text.h"
#include "egtrace/explain/suggest.h"
#include "expect/ground.h"

namespace egt::assess {
namespace {

using cluster::Cluster;
using explain::Point;

// Cuts "/tcp" off the end.
std::string take_protocol(std::string_view& text) {
  static constexpr std::string_view kProtocols[] = {"tcp", "udp", "sctp", "icmp", "icmp6"};
  const std::size_t slash = text.rfind('/');
  if (slash == std::string_view::npos) return {};
  const std::string last = lower(text.substr(slash + 1));
  const std::string_view before = text.substr(0, slash);
  if (std::find(std::begin(kProtocols), std::end(kProtocols), last) == std::end(kProtocols)) return {};
  // "shop/tcp" is a pod: a protocol follows a port, an address or another slash.
  const bool behind_place = before.find_first_of(":/") != std::string_view::npos || IpAddr::parse(before);
  if (!behind_place) return {};
  text = before;
  return last;
}

// ":80", or empty.
std::string take_port(std::string_view& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || text.find('/') == std::string_view::npos || colon < text.rfind('/')) return {};
  if (!parse_decimal(text.substr(colon + 1))) return {};
  const std::string port(text.substr(colon));
  text = text.substr(0, colon);
  return port;
}

std::string with_port(const IpAddr& a, const std::string& port) {
  if (port.empty()) return a.to_string();
  return a.is_v4() ? a.to_string() + port : fmt::format("[{}]{}", a.to_string(), port);
}

void add(Expanded& out, const std::string& name, const std::string& text) {
  if (auto point = explain::parse_point(text)) out.ends.push_back({name, *point});
}

bool labels_fit(const expect::EndPattern& pattern, const Cluster& cluster, const KnownPod& pod) {
  if (pattern.namespaces.present && !pattern.namespaces.matches(cluster::labels_of_namespace(cluster.objects, pod.namespace_)))
    return false;
  if (!pattern.pods.present) return true;
  return pod.object != nullptr && pattern.pods.matches(pod.object->labels);
}

Result<Expanded> expand_pods(const expect::EndPattern& pattern, std::string_view text, Expanded out, const Cluster& cluster,
                             const std::vector<KnownPod>& pods) {
  const std::string port = take_port(text);
  const std::size_t slash = text.find('/');
  const std::string_view name_space = text.substr(0, slash), name = text.substr(slash + 1);
  std::vector<std::string> known;
  for (const KnownPod& pod : pods) {
    known.push_back(name == "*" ? pod.namespace_ + "/*" : pod.full_name());
    if (!glob_match(name_space, pod.namespace_) || !glob_match(name, pod.name) || !labels_fit(pattern, cluster, pod)) continue;
    add(out, pod.full_name(), pod.full_name() + port);
  }
  if (!out.ends.empty()) return out;
  return mistake(Mistake::no_such_pod, {pattern.text, explain::did_you_mean(text, known)});
}

Result<Expanded> expand_nodes(std::string_view text, Expanded out, const Cluster& cluster) {
  for (const auto& node : cluster.nodes)
    if (glob_match(text.substr(5), node->name)) add(out, "node:" + node->name, "node:" + node->name);
  if (!out.ends.empty()) return out;
  std::vector<std::string> known;
  for (const auto& node : cluster.nodes) known.push_back("node:" + node->name);
  return mistake(Mistake::no_such_node, {text, explain::did_you_mean(text, known)});
}

Result<Expanded> expand_services(std::string_view text, Expanded out, const Cluster& cluster) {
  std::string_view rest = text.substr(4);
  const std::string port = take_port(rest);
  const std::size_t slash = rest.find('/');
  if (slash == std::string_view::npos) return mistake(Mistake::no_service, {text});
  std::vector<std::string> known;
  for (const cluster::Service& s : cluster.objects.services) {
    known.push_back(fmt::format("svc:{}/{}", s.namespace_, s.name));
    if (!glob_match(rest.substr(0, slash), s.namespace_) || !glob_match(rest.substr(slash + 1), s.name)) continue;
    const std::string name = fmt::format("svc:{}/{}", s.namespace_, s.name);
    if (!port.empty()) {
      add(out, name + port, name + port);
    } else {
      for (const cluster::ServicePort& p : s.ports)
        add(out, fmt::format("{}:{}", name, p.port), fmt::format("{}:{}", name, p.port));
    }
  }
  if (!out.ends.empty()) return out;
  return mistake(Mistake::no_such_service, {text, explain::did_you_mean(text, known)});
}

// A network stands for every pod, service and node address in it.
Result<Expanded> expand_network(const Prefix& network, const std::string& port, Expanded out, const Cluster& cluster,
                                const std::vector<KnownPod>& pods) {
  for (const KnownPod& pod : pods)
    for (const IpAddr& a : pod.addresses)
      if (!pod.host_network && network.contains(a)) add(out, pod.full_name(), with_port(a, port));
  for (const cluster::Service& s : cluster.objects.services)
    for (const auto* list : {&s.cluster_ips, &s.load_balancer_ips, &s.external_ips})
      for (const IpAddr& a : *list) {
        if (!network.contains(a)) continue;
        const std::string name = fmt::format("svc:{}/{}", s.namespace_, s.name);
        if (!port.empty())
          add(out, name + port, with_port(a, port));
        else
          for (const cluster::ServicePort& p : s.ports)
            add(out, fmt::format("{}:{}", name, p.port), with_port(a, fmt::format(":{}", p.port)));
      }
  for (const auto& node : cluster.nodes)
    for (const host::Link& link : node->host.links.value)
      for (const host::Address& a : link.addresses)
        if (a.scope != "link" && a.scope != "host" && network.contains(a.prefix.address))
          add(out, fmt::format("{} ({})", a.prefix.address.to_string(), node->name), with_port(a.prefix.address, port));
  if (!out.ends.empty()) return out;
  return mistake(Mistake::nothing_in_network, {network});
}

}  // namespace

Result<Expanded> expand(const expect::EndPattern& pattern, const Cluster& cluster, const std::vector<KnownPod>& pods) {
  Expanded out;
  std::string_view text = pattern.text;
  out.proto = take_protocol(text);
  std::string_view network_text = text;
  const std::string port = take_port(network_text);
  if (const auto network = Prefix::parse(network_text); network && network_text.find('/') != std::string_view::npos)
    return expand_network(*network, port, std::move(out), cluster, pods);
  const bool by_labels = pattern.pods.present || pattern.namespaces.present;
  if (has_glob(text) || by_labels) {
    if (text.starts_with("node:")) return expand_nodes(text, std::move(out), cluster);
    if (text.starts_with("svc:")) return expand_services(text, std::move(out), cluster);
    if (text.find('/') == std::string_view::npos) return mistake(Mistake::no_pattern, {pattern.text});
    return expand_pods(pattern, text, std::move(out), cluster, pods);
  }
  auto point = explain::parse_point(text, pattern.default_namespace);
  if (!point) return point.error();
  out.ends.push_back({std::string(text), *point});
  return out;
}

}  // namespace egt::assess
