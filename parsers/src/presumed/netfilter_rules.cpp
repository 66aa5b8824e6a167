// Netfilter rules as go-controller/pkg/node writes them: SNAT of what leaves (gateway_iptables.go, controllers/egressip,
// controllers/egressservice), DNAT of services that the world outside reaches.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "egtrace/base/text.h"
#include "presumed/local_endpoints.h"
#include "presumed/texts.h"

namespace egt::parsers::presumed {
namespace {

using cluster::Service;
using cluster::ServicePort;

constexpr std::string_view kHead =
    "*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\nCOMMIT\n"
    "*mangle\n:PREROUTING ACCEPT [0:0]\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n:POSTROUTING ACCEPT "
    "[0:0]\n"
    ":OVN-KUBE-ITP - [0:0]\n-A OUTPUT -j OVN-KUBE-ITP\n";
constexpr std::string_view kTranslations =
    "COMMIT\n*nat\n:PREROUTING ACCEPT [0:0]\n:INPUT ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n:POSTROUTING ACCEPT [0:0]\n"
    ":OVN-KUBE-ETP - [0:0]\n:OVN-KUBE-ITP - [0:0]\n:OVN-KUBE-EXTERNALIP - [0:0]\n:OVN-KUBE-NODEPORT - [0:0]\n"
    ":OVN-KUBE-UDN-MASQUERADE - [0:0]\n:OVN-KUBE-SNAT-MGMTPORT - [0:0]\n:OVN-KUBE-EGRESS-IP-MULTI-NIC - "
    "[0:0]\n:OVN-KUBE-EGRESS-SVC - [0:0]\n"
    "-A PREROUTING -j OVN-KUBE-ETP\n-A PREROUTING -j OVN-KUBE-EXTERNALIP\n-A PREROUTING -j OVN-KUBE-NODEPORT\n"
    "-A OUTPUT -j OVN-KUBE-ITP\n-A OUTPUT -j OVN-KUBE-EXTERNALIP\n-A OUTPUT -j OVN-KUBE-NODEPORT\n"
    "-A POSTROUTING -j OVN-KUBE-UDN-MASQUERADE\n-A POSTROUTING -o ovn-k8s-mp0 -j OVN-KUBE-SNAT-MGMTPORT\n"
    "-A POSTROUTING -j OVN-KUBE-EGRESS-SVC\n-A POSTROUTING -j OVN-KUBE-EGRESS-IP-MULTI-NIC\n"
    "-A OVN-KUBE-EGRESS-SVC -m mark --mark 0x3f0 -j RETURN\n";

const IpAddr* address_of(const std::vector<IpAddr>& all, Family family) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const IpAddr& a) { return a.family == family && !a.is_unspecified(); });
  return found == all.end() ? nullptr : &*found;
}

std::string with_port(const IpAddr& address, std::uint16_t port) {
  return address.is_v4() ? fmt::format("{}:{}", address.to_string(), port) : fmt::format("[{}]:{}", address.to_string(), port);
}

class Rules {
 public:
  Rules(const NodeFacts& facts, const cluster::Objects& objects, Family family)
      : facts_(facts), objects_(objects), family_(family) {}

  void service(const Service& service, const ServicePort& port) {
    const IpAddr* cluster_ip = address_of(service.cluster_ips, family_);
    if (cluster_ip == nullptr) return;
    const std::string proto = lower(port.protocol.empty() ? "tcp" : port.protocol);
    const bool keeps = service.external_traffic_policy == "Local" && !has_host_endpoint(service, facts_, objects_);
    const IpAddr* local = facts_.local_gateway && keeps ? local_ : nullptr;
    const auto without_node_port = keeps && port.node_port == 0 ? local_endpoints_of(service, port, family_, facts_, objects_)
                                                                : std::vector<LocalEndpoint>();
    if (service.internal_traffic_policy == "Local") within_node(service, port, *cluster_ip, proto);
    for (const LocalEndpoint& endpoint : without_node_port)
      line("-A OVN-KUBE-SNAT-MGMTPORT -d {} -p {} --dport {} -j RETURN", Prefix::host(endpoint.address).to_string(), proto,
           endpoint.port);
    for (const auto* addresses : {&service.external_ips, &service.load_balancer_ips})
      for (const IpAddr& vip : *addresses) {
        if (vip.family != family_) continue;
        const std::string to = Prefix::host(vip).to_string();
        for (std::size_t i = 0; i < without_node_port.size(); ++i)
          line(
              "-A OVN-KUBE-ETP -d {} -p {} --dport {} -m statistic --mode random --probability {:.11f} -j DNAT --to-destination "
              "{}",
              to, proto, port.port, 1.0 / static_cast<double>(without_node_port.size() - i),
              with_port(without_node_port[i].address, without_node_port[i].port));
        if (local != nullptr && port.node_port != 0)
          line("-A OVN-KUBE-ETP -d {} -p {} --dport {} -j DNAT --to-destination {}", to, proto, port.port,
               with_port(*local, port.node_port));
        line("-A OVN-KUBE-EXTERNALIP -d {} -p {} --dport {} -j DNAT --to-destination {}", to, proto, port.port,
             with_port(*cluster_ip, port.port));
      }
    if (port.node_port == 0) return;
    if (local != nullptr) {
      line("-A OVN-KUBE-ETP -p {} -m addrtype --dst-type LOCAL --dport {} -j DNAT --to-destination {}", proto, port.node_port,
           with_port(*local, port.node_port));
      line("-A OVN-KUBE-SNAT-MGMTPORT -p {} --dport {} -j RETURN", proto, port.node_port);
    }
    line("-A OVN-KUBE-NODEPORT -p {} -m addrtype --dst-type LOCAL --dport {} -j DNAT --to-destination {}", proto, port.node_port,
         with_port(*cluster_ip, port.port));
  }

  void management() {
    for (const Prefix& own : facts_.management)
      if (own.address.family == family_) line("-A OVN-KUBE-SNAT-MGMTPORT -j SNAT --to-source {}", own.address.to_string());
  }

  void egress(const HostEgress& served) {
    for (const IpAddr& pod : served.pods) {
      if (pod.family != family_) continue;
      const std::string from = Prefix::host(pod).to_string(), to = served.address.to_string();
      if (served.device)
        line("-A OVN-KUBE-EGRESS-IP-MULTI-NIC -s {} -o {} -j SNAT --to-source {}", from, name_of_device(*served.device), to);
      else
        line("-A OVN-KUBE-EGRESS-SVC -s {} -j SNAT --to-source {}", from, to);
    }
  }

  void local_gateway() {
    if (!facts_.local_gateway) return;
    for (const Prefix& own : facts_.masquerade)  // of the gateway router
      if (own.address.family == family_)
        line("-A POSTROUTING -s {} -j MASQUERADE", Prefix::host({family_, own.address.value - 1}).to_string());
    for (const Prefix& own : facts_.management)
      if (own.address.family == family_)
        line("-A POSTROUTING -s {} ! -o {} -j MASQUERADE", own.network().to_string(), kManagement);
    for (const Prefix& networks : network_masquerade(facts_, family_)) {
      line("-A OVN-KUBE-UDN-MASQUERADE -s {} -j RETURN", masquerade_of_hosts(networks).to_string());
      for (const Prefix& all : facts_.services)
        if (all.address.family == family_) line("-A OVN-KUBE-UDN-MASQUERADE -d {} -j RETURN", all.to_string());
      line("-A OVN-KUBE-UDN-MASQUERADE -s {} -j MASQUERADE", networks.network().to_string());
    }
  }

  void set_local_endpoints(const IpAddr* address) { local_ = address; }
  std::string text() && {
    std::string all(kHead);
    all += marks_;
    all += kTranslations;
    return all + text_ + "COMMIT\n";
  }

 private:
  // internalTrafficPolicy Local, for processes of the node: to an endpoint on the host network, else by the management port
  // (getITPLocalIPTRules()).
  void within_node(const Service& service, const ServicePort& port, const IpAddr& cluster_ip, const std::string& proto) {
    const std::string to = Prefix::host(cluster_ip).to_string();
    if (has_host_endpoint(service, facts_, objects_))
      line("-A OVN-KUBE-ITP -d {} -p {} --dport {} -j REDIRECT --to-ports {}", to, proto, port.port,
           parse_decimal(port.target_port).value_or(port.port));
    else
      fmt::format_to(std::back_inserter(marks_),
                     "-A OVN-KUBE-ITP -d {} -p {} --dport {} -j MARK --set-xmark 0x1745ec/0xffffffff\n", to, proto, port.port);
  }

  template <class... Args>
  void line(fmt::format_string<Args...> text, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), text, std::forward<Args>(args)...);
    text_ += '\n';
  }

  const NodeFacts& facts_;
  const cluster::Objects& objects_;
  Family family_;
  const IpAddr* local_ = nullptr;
  std::string text_, marks_;  // of nat and of mangle
};

}  // namespace

std::string netfilter_rules(const NodeFacts& facts, const std::vector<HostEgress>& served, const cluster::Objects& objects,
                            Family family) {
  Rules rules(facts, objects, family);
  std::optional<IpAddr> local;
  for (const Prefix& own : facts.masquerade)
    if (own.address.family == family) local = local_endpoints(own);
  rules.set_local_endpoints(local ? &*local : nullptr);
  for (const Service& service : objects.services)
    for (const ServicePort& port : service.ports) rules.service(service, port);
  rules.management();
  for (const HostEgress& one : served) rules.egress(one);
  rules.local_gateway();
  return std::move(rules).text();
}

}  // namespace egt::parsers::presumed
