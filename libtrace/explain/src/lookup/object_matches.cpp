#include "lookup/object_matches.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "egtrace/ovn_kubernetes/names.h"
#include "lookup/texts.h"
#include "phrases/lookups.h"

namespace egt::explain {
namespace {

std::string rule_text(const cluster::AdminRule& rule) {
  constexpr std::string_view kActions[] = {"Allow", "Deny", "Pass"};
  return fmt::format("{}{}{}", kActions[static_cast<std::size_t>(rule.action)], rule.name.empty() ? "" : " ", rule.name);
}

std::string firewall_rule_text(const cluster::FirewallRule& rule) {
  return fmt::format("{} {}", rule.allow ? "Allow" : "Deny", rule.destination());
}

// "shop/blue (primary): 10.20.1.5/24, 0a:58:0a:14:01:05"
std::string attachment_text(const cluster::PodAttachment& on) {
  std::vector<std::string> parts;
  if (std::string addresses = prefixes_text(on.addresses); !addresses.empty()) parts.push_back(std::move(addresses));
  if (on.mac) parts.push_back(on.mac->to_string());
  std::string how = on.role;
  if (!on.of_ovn) how += how.empty() ? "other CNI" : ", other CNI";
  if (!on.device.empty()) how += (how.empty() ? "" : ", ") + on.device;
  return fmt::format("{}{}: {}", on.network, how.empty() ? "" : " (" + how + ")", fmt::join(parts, ", "));
}

std::string port_text(const cluster::ServicePort& p) {
  return fmt::format("{}/{}{}", p.port, p.protocol, p.node_port ? fmt::format(" (node port {})", p.node_port) : "");
}

std::set<std::string> egress_nodes(const cluster::EgressIp& e) {
  std::set<std::string> nodes;
  for (const auto& a : e.status) nodes.insert(a.node);
  return nodes;
}

std::string state_text(const cluster::ServiceEndpoint& e) {
  using enum FoundFact;
  return phrase(e.ready          ? endpoint_ready
                : !e.terminating ? endpoint_not_ready
                : e.serving      ? endpoint_ending_serves
                                 : endpoint_ending);
}

std::string service_of(const cluster::EndpointSlice& slice) { return slice.namespace_ + "/" + slice.service; }

std::string ports_text(const cluster::EndpointSlice& slice) {
  return joined(slice.ports, [](const auto& p) { return fmt::format("{}/{}", p.port, p.protocol); });
}

std::string annotated(const std::map<std::string, std::string>& of, std::string_view key) {
  const auto found = of.find(std::string(key));
  return found == of.end() ? std::string() : found->second;
}

}  // namespace

void add_pod(MatchList& matches, const cluster::Pod& p, const cluster::Node* node, const std::string& selected_by) {
  matches.add("pod", p.full_name(), node,
              {{"addresses", prefixes_text(p.addresses)},
               {"mac", p.mac ? p.mac->to_string() : ""},
               {"node", p.node},
               {"host network", p.host_network ? "yes" : ""},
               {"other networks", joined(p.other_networks, attachment_text)},
               {"selected by", selected_by}},
              {p.from});
}

void add_service(MatchList& matches, const cluster::Service& s, const std::string& selects_pod) {
  matches.add("service", s.full_name(), nullptr,
              {{"type", s.type},
               {"cluster IPs", addresses_text(s.cluster_ips)},
               {phrase(FoundFact::load_balancer_ips), addresses_text(s.load_balancer_ips)},
               {"external IPs", addresses_text(s.external_ips)},
               {"ports", joined(s.ports, port_text)},
               {phrase(FoundFact::traffic_policy), s.external_traffic_policy},
               {"selects", selects_pod}},
              {s.from});
}

void add_egress_ip(MatchList& matches, const cluster::EgressIp& e, const std::string& selects_pod) {
  const std::string assigned =
      joined(e.status, [](const auto& a) { return fmt::format("{} on {}", a.address.to_string(), a.node); });
  matches.add("egress IP", e.name, nullptr,
              {{"addresses", addresses_text(e.addresses)},
               {"assigned", assigned.empty() ? phrase(FoundFact::assigned_to_none) : assigned},
               {"egress nodes", joined(egress_nodes(e), [](const std::string& n) { return n; })},
               {"mark", e.mark ? std::to_string(*e.mark) : ""},
               {"selects", selects_pod}},
              {e.from});
}

void add_network_policy(MatchList& matches, const cluster::NetworkPolicy& p, const std::string& selects_pod) {
  matches.add("network policy", p.full_name(), nullptr,
              {{"isolates", p.ingress && p.egress ? phrase(FoundFact::isolates_both)
                            : p.egress            ? "egress"
                                                  : "ingress"},
               {"ingress rules", p.ingress ? std::to_string(p.ingress_rules.size()) : ""},
               {"egress rules", p.egress ? std::to_string(p.egress_rules.size()) : ""},
               {"selects", selects_pod}},
              {p.from});
}

void add_endpoints(MatchList& matches, const cluster::EndpointSlice& slice) {
  matches.add("endpoints", slice.full_name(), nullptr,
              {{"service", service_of(slice)},
               {"ports", ports_text(slice)},
               {"addresses", joined(slice.endpoints,
                                    [](const auto& e) { return fmt::format("{} ({})", e.address.to_string(), state_text(e)); })}},
              {slice.from});
}

void add_endpoint(MatchList& matches, const cluster::EndpointSlice& slice, const cluster::ServiceEndpoint& e,
                  const cluster::Node* node) {
  matches.add("endpoint", fmt::format("{} of service {}", e.address.to_string(), service_of(slice)), node,
              {{"ports", ports_text(slice)},
               {"state", state_text(e)},
               {"node", e.node},
               {"pod", e.pod.empty() ? "" : fmt::format("{}/{}", e.pod_namespace, e.pod)}},
              {slice.from});
}

void add_admin_policy(MatchList& matches, const cluster::AdminNetworkPolicy& p) {
  matches.add(phrase(p.baseline ? Found::baseline_admin_network_policy : Found::admin_network_policy), p.name, nullptr,
              {{"priority", p.baseline ? "" : std::to_string(p.priority)},
               {"ingress", joined(p.ingress, rule_text)},
               {"egress", joined(p.egress, rule_text)}},
              {p.from});
}

void add_egress_firewall(MatchList& matches, const cluster::EgressFirewall& f) {
  matches.add("egress firewall", f.full_name(), nullptr, {{"rules", joined(f.rules, firewall_rule_text)}}, {f.from});
}

void add_egress_service(MatchList& matches, const cluster::EgressService& e) {
  matches.add("egress service", e.full_name(), nullptr,
              {{"host", e.host}, {phrase(FoundFact::source_ip_by), e.source_ip_by}, {"network", e.network}}, {e.from});
}

void add_node(MatchList& matches, const cluster::NodeObject& n, const cluster::Node* node) {
  matches.add("node", n.name, node,
              {{"addresses", addresses_text(n.addresses)},
               {"pod subnets", prefixes_text(n.pod_subnets)},
               {"operating system", std::string(annotated(n.labels, "kubernetes.io/os") == "windows" ? "Windows" : "")},
               {"hybrid overlay", annotated(n.annotations, ovnk::kHybridSubnet)}},
              {n.from});
}

}  // namespace egt::explain
