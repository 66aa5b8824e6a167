// Table inet ovn-kubernetes as releases without iptables write it (since August 2026; go-controller/pkg/node/gateway_nftables.go,
// managementport, controllers/egressip/nftables.go and controllers/egressservice).
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "egtrace/base/text.h"
#include "presumed/local_endpoints.h"
#include "presumed/texts.h"

namespace egt::parsers::presumed {
namespace {

using cluster::Service;
using cluster::ServicePort;

const IpAddr* cluster_ip_of(const std::vector<IpAddr>& all, Family family) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const IpAddr& a) { return a.family == family && !a.is_unspecified(); });
  return found == all.end() ? nullptr : &*found;
}

struct FamilyWords {
  Family family;
  const char* suffix;   // of sets and maps
  const char* address;  // type of their elements
  const char* header;
};
constexpr FamilyWords kFamilies[] = {{Family::v4, "v4", "ipv4_addr", "ip"}, {Family::v6, "v6", "ipv6_addr", "ip6"}};

class Table {
 public:
  Table(const NodeFacts& facts, const cluster::Objects& objects) : facts_(facts), objects_(objects) {}

  void service(const Service& service, const ServicePort& port) {
    const std::string proto = lower(port.protocol.empty() ? "tcp" : port.protocol);
    const bool local = service.external_traffic_policy == "Local" && !has_host_endpoint(service, facts_, objects_);
    if (port.node_port != 0 && local) element("mgmtport-no-snat-nodeports", "{} . {}", proto, port.node_port);
    if (const OtherNetwork* network = network_of(service)) mark(service, port, proto, kFirstPacketMark + network->id);
    for (const FamilyWords& of : kFamilies) {
      const IpAddr* cluster_ip = cluster_ip_of(service.cluster_ips, of.family);
      if (cluster_ip == nullptr) continue;
      if (service.internal_traffic_policy == "Local") within_node(service, port, *cluster_ip, proto, of);
      const auto here = local && facts_.local_gateway && port.node_port != 0 ? local_address(of.family) : std::nullopt;
      const auto without_node_port = local && port.node_port == 0 ? local_endpoints_of(service, port, of.family, facts_, objects_)
                                                                  : std::vector<LocalEndpoint>();
      keep_client(without_node_port, proto, of);
      for (const auto* addresses : {&service.external_ips, &service.load_balancer_ips})
        for (const IpAddr& vip : *addresses) {
          if (vip.family != of.family) continue;
          to_endpoints(without_node_port, vip, proto, port.port, of);
          if (here)
            element(named("external-ips-etp-local", of), "{} . {} . {} : {} . {}", vip.to_string(), proto, port.port,
                    here->to_string(), port.node_port);
          element(named("external-ips", of), "{} . {} . {} : {} . {}", vip.to_string(), proto, port.port, cluster_ip->to_string(),
                  port.port);
        }
      if (port.node_port == 0) continue;
      if (here)
        element(named("nodeports-etp-local", of), "{} . {} : {} . {}", proto, port.node_port, here->to_string(), port.node_port);
      element(named("nodeports", of), "{} . {} : {} . {}", proto, port.node_port, cluster_ip->to_string(), port.port);
    }
  }

  void egress(const HostEgress& served) {
    const FamilyWords& of = kFamilies[served.address.is_v4() ? 0 : 1];
    for (const IpAddr& pod : served.pods) {
      if (pod.family != of.family) continue;
      const std::string to = served.address.to_string();
      if (served.device)
        element(named("egress-ip-snat", of), "{} . \"{}\" : {}", pod.to_string(), name_of_device(*served.device), to);
      else
        element(named("egress-service-snat", of), "{} : {}", pod.to_string(), to);
    }
  }

  std::string text() && {
    std::string etp, itp, itp_mark, services, snat, egress_services, egress_ips, late, management, masquerade, isolated;
    for (const FamilyWords& of : kFamilies) {
      map(named("external-ips-etp-local", of), fmt::format("{0} . inet_proto . inet_service : {0} . inet_service", of.address));
      map(named("nodeports-etp-local", of), fmt::format("inet_proto . inet_service : {} . inet_service", of.address));
      map(named("external-ips", of), fmt::format("{0} . inet_proto . inet_service : {0} . inet_service", of.address));
      map(named("nodeports", of), fmt::format("inet_proto . inet_service : {} . inet_service", of.address));
      map(named("egress-ip-snat", of), fmt::format("{0} . ifname : {0}", of.address));
      map(named("egress-service-snat", of), fmt::format("{0} : {0}", of.address));
      map(named("itp-services-to-redirect", of), fmt::format("{} . inet_proto . inet_service : inet_service", of.address));
      sets_ += set(named("itp-services-to-mark", of), fmt::format("{} . inet_proto . inet_service", of.address));
      line(itp, "meta l4proto {{ tcp, udp, sctp }} redirect to {} daddr . meta l4proto . th dport map @{}", of.header,
           named("itp-services-to-redirect", of));
      line(itp_mark, "{} daddr . meta l4proto . th dport @{} meta mark set 0x001745ec", of.header,
           named("itp-services-to-mark", of));
      translations(etp, of, "-etp-local");
      translations(services, of, "");
      line(egress_services, "snat {0} to {0} saddr map @{1}", of.header, named("egress-service-snat", of));
      line(egress_ips, "snat {0} to {0} saddr . meta oifname map @{1}", of.header, named("egress-ip-snat", of));
      sets_ += set(named("mgmtport-no-snat-services", of), fmt::format("{} . inet_proto . inet_service", of.address));
      line(management, "{} daddr . meta l4proto . th dport @{} return", of.header, named("mgmtport-no-snat-services", of));
      for (const Prefix& own : facts_.management)
        if (own.address.family == of.family) {
          line(management, "meta nfproto {} {} saddr {} return", of.family == Family::v4 ? "ipv4" : "ipv6", of.header,
               own.address.to_string());
          line(management, "snat {} to {}", of.header, own.address.to_string());
        }
      for (const Prefix& all : facts_.cluster_subnets)
        if (all.address.family == of.family) line(late, "{} saddr {} meta mark 1009 drop", of.header, all.to_string());
      local_gateway(masquerade, of);
      isolation(isolated, of);
      if (!marks_.empty())
        map(named("udn-mark-external-ips", of), fmt::format("{} . inet_proto . inet_service : verdict", of.address));
    }
    if (!marks_.empty()) map("udn-mark-nodeports", "inet_proto . inet_service : verdict");
    std::string out =
        "table inet ovn-kubernetes {\n" + set("mgmtport-no-snat-nodeports", "inet_proto . inet_service") + sets_ + maps_;
    chain(out, "services", "", services);
    chain(out, "services-etp", "", etp);
    chain(out, "services-etp-no-nodeport", "", without_node_ports_);
    chain(out, "services-prerouting", "type nat hook prerouting priority dstnat; policy accept;",
          "\t\tjump services-etp\n\t\tjump services-etp-no-nodeport\n\t\tjump services\n");
    chain(out, "services-itp", "", itp);
    chain(out, "services-output", "type nat hook output priority dstnat; policy accept;",
          "\t\tjump services-itp\n\t\tjump services\n");
    chain(out, "services-itp-mark", "type route hook output priority mangle; policy accept;", itp_mark);
    chain(out, "mgmtport-snat", "type nat hook postrouting priority srcnat; policy accept;",
          "\t\toifname != \"" + kManagement + "\" return\n" + "\t\tmeta l4proto . th dport @mgmtport-no-snat-nodeports return\n" +
              management);
    chain(out, "egress-services", "type nat hook postrouting priority srcnat; policy accept;",
          "\t\tmeta mark 0x000003f0 return\n" + egress_services);
    chain(out, "egress-ip-snat", "type nat hook postrouting priority srcnat; policy accept;", egress_ips);
    chain(out, "egress-ip-sec-filter", "type filter hook postrouting priority srcnat + 1; policy accept;", late);
    marks(out);
    if (!isolated.empty()) chain(out, "udn-isolation", "type filter hook output priority filter; policy accept;", isolated);
    if (!masquerade.empty())
      chain(out, "ovn-kube-local-gw-masq", "type nat hook postrouting priority srcnat + 1; policy accept;", masquerade);
    return out + "}\n";
  }

 private:
  // That of a service's namespace, as its pods show it.
  const OtherNetwork* network_of(const Service& service) const {
    for (const cluster::Pod& pod : objects_.pods) {
      const cluster::PodAttachment* on = pod.namespace_ == service.namespace_ ? pod.primary() : nullptr;
      if (on == nullptr) continue;
      for (const OtherNetwork& network : facts_.other_networks)
        if (network.has_host() && has_any(network, on->addresses)) return &network;
    }
    return nullptr;
  }
  static bool has_any(const OtherNetwork& network, const std::vector<Prefix>& addresses) {
    const auto has = [&](const IpAddr& a) {
      const auto covers = [&](const Prefix& p) { return p.address.family == a.family && p.contains(a); };
      return std::any_of(network.subnets.begin(), network.subnets.end(), covers) ||
             std::any_of(network.management.begin(), network.management.end(),
                         [&](const Prefix& p) { return covers(p.network()); });
    };
    return std::any_of(addresses.begin(), addresses.end(), [&](const Prefix& p) { return has(p.address); });
  }

  // What comes to a service's NodePort and external addresses is routed in the VRF of its network by this mark (getUDNNodePortMarkNFTRule(),
  // getUDNExternalIPsMarkNFTRules()).
  void mark(const Service& service, const ServicePort& port, const std::string& proto, std::uint32_t mark) {
    marks_.insert(mark);
    if (port.node_port != 0) element("udn-mark-nodeports", "{} . {} : jump udn-mark-{:#x}", proto, port.node_port, mark);
    for (const FamilyWords& of : kFamilies)
      for (const auto* addresses : {&service.external_ips, &service.load_balancer_ips})
        for (const IpAddr& vip : *addresses)
          if (vip.family == of.family)
            element(named("udn-mark-external-ips", of), "{} . {} . {} : jump udn-mark-{:#x}", vip.to_string(), proto, port.port,
                    mark);
  }
  void marks(std::string& out) const {
    if (marks_.empty()) return;
    std::string all = "\t\tfib daddr type local meta l4proto . th dport vmap @udn-mark-nodeports\n";
    for (const FamilyWords& of : kFamilies)
      line(all, "{} daddr . meta l4proto . th dport vmap @{}", of.header, named("udn-mark-external-ips", of));
    for (const std::uint32_t one : marks_)
      chain(out, fmt::format("udn-mark-{:#x}", one).c_str(), "", fmt::format("\t\tmeta mark set {:#010x}\n", one));
    chain(out, "udn-service-mark", "", all);
    chain(out, "udn-service-prerouting", "type filter hook prerouting priority mangle; policy accept;",
          "\t\tiifname != \"" + kManagement + "\" jump udn-service-mark\n");
    chain(out, "udn-service-output", "type filter hook output priority mangle; policy accept;", "\t\tjump udn-service-mark\n");
  }

  // internalTrafficPolicy Local, for processes of the node: to an endpoint on the host network, else by the management port.
  void within_node(const Service& service, const ServicePort& port, const IpAddr& cluster_ip, const std::string& proto,
                   const FamilyWords& of) {
    if (has_host_endpoint(service, facts_, objects_))
      element(named("itp-services-to-redirect", of), "{} . {} . {} : {}", cluster_ip.to_string(), proto, port.port,
              parse_decimal(port.target_port).value_or(port.port));
    else
      element(named("itp-services-to-mark", of), "{} . {} . {}", cluster_ip.to_string(), proto, port.port);
  }

  // Clients' addresses stay as they are where the service has no port on the node.
  void keep_client(const std::vector<LocalEndpoint>& endpoints, const std::string& proto, const FamilyWords& of) {
    for (const LocalEndpoint& endpoint : endpoints)
      element(named("mgmtport-no-snat-services", of), "{} . {} . {}", endpoint.address.to_string(), proto, endpoint.port);
  }
  void to_endpoints(const std::vector<LocalEndpoint>& endpoints, const IpAddr& vip, const std::string& proto, std::uint16_t port,
                    const FamilyWords& of) {
    if (endpoints.empty()) return;
    std::vector<std::string> drawn;
    for (std::size_t i = 0; i < endpoints.size(); ++i)
      drawn.push_back(fmt::format("{} : {} . {}", i, endpoints[i].address.to_string(), endpoints[i].port));
    line(without_node_ports_, "{0} daddr {1} {2} dport {3} dnat {0} to numgen random mod {4} map {{ {5} }}", of.header,
         vip.to_string(), proto, port, endpoints.size(), fmt::join(drawn, ", "));
  }

  static std::string named(const char* name, const FamilyWords& of) { return fmt::format("{}-{}", name, of.suffix); }

  template <class... Args>
  void element(const std::string& of, fmt::format_string<Args...> text, Args&&... args) {
    elements_[of].push_back(fmt::format(text, std::forward<Args>(args)...));
  }
  template <class... Args>
  static void line(std::string& to, fmt::format_string<Args...> text, Args&&... args) {
    to += "\t\t";
    fmt::format_to(std::back_inserter(to), text, std::forward<Args>(args)...);
    to += '\n';
  }

  std::string elements(const std::string& of) const {
    const auto found = elements_.find(of);
    return found == elements_.end() ? std::string()
                                    : fmt::format("\t\telements = {{ {} }}\n", fmt::join(found->second, ",\n\t\t\t     "));
  }
  std::string set(const std::string& name, const std::string& type) const {
    return fmt::format("\tset {} {{\n\t\ttype {}\n{}\t}}\n\n", name, type, elements(name));
  }
  void map(const std::string& name, const std::string& type) {
    maps_ += fmt::format("\tmap {} {{\n\t\ttype {}\n{}\t}}\n\n", name, type, elements(name));
  }
  static void chain(std::string& out, const char* name, const std::string& head, const std::string& rules) {
    out += fmt::format("\tchain {} {{\n", name);
    if (!head.empty()) out += "\t\t" + head + "\n";
    out += rules + "\t}\n\n";
  }

  static void translations(std::string& to, const FamilyWords& of, const char* kind) {
    line(to, "dnat {0} to {0} daddr . meta l4proto . th dport map @external-ips{1}-{2}", of.header, kind, of.suffix);
    line(to, "fib daddr type local dnat {} to meta l4proto . th dport map @nodeports{}-{}", of.header, kind, of.suffix);
  }

  std::optional<IpAddr> local_address(Family family) const {
    for (const Prefix& own : facts_.masquerade)
      if (own.address.family == family) return local_endpoints(own);
    return std::nullopt;
  }

  void local_gateway(std::string& to, const FamilyWords& of) const {
    if (!facts_.local_gateway) return;
    for (const Prefix& own : facts_.masquerade)  // of the gateway router
      if (own.address.family == of.family)
        line(to, "{} saddr {} masquerade", of.header, IpAddr{of.family, own.address.value - 1}.to_string());
    for (const Prefix& own : facts_.management)
      if (own.address.family == of.family) line(to, "{} saddr {} masquerade", of.header, own.network().to_string());
    for (const Prefix& networks : network_masquerade(facts_, of.family)) {
      std::string others;
      for (const Prefix& all : facts_.services)
        if (all.address.family == of.family) others += fmt::format(" {} daddr != {}", of.header, all.to_string());
      line(to, "{0} saddr != {1}{2} {0} saddr {3} masquerade", of.header, masquerade_of_hosts(networks).to_string(), others,
           networks.network().to_string());
    }
  }

  // Processes of the node but for kubelet do not reach its pods whose primary network is another (udn_isolation.go). Ports that the pods open to
  // the default network are in no database.
  void isolation(std::string& to, const FamilyWords& of) {
    const std::string pods = named("udn-pod-default-ips", of);
    for (const cluster::Pod& pod : objects_.pods)
      if (pod.node == facts_.node && pod.primary() != nullptr)
        for (const Prefix& own : pod.addresses)
          if (own.address.family == of.family) element(pods, "{}", own.address.to_string());
    if (!elements_.contains(pods)) return;
    sets_ += set(pods, of.address);
    line(to, "socket cgroupv2 level 2 \"system.slice/kubelet.service\" {} daddr @{} accept", of.header, pods);
    line(to, "{} daddr @{} drop", of.header, pods);
  }

  const NodeFacts& facts_;
  const cluster::Objects& objects_;
  std::map<std::string, std::vector<std::string>> elements_;  // by the set or map
  std::string sets_, maps_, without_node_ports_;
  std::set<std::uint32_t> marks_;  // of networks with services that the world outside reaches
};

}  // namespace

std::string nft_rules(const NodeFacts& facts, const std::vector<HostEgress>& served, const cluster::Objects& objects) {
  Table table(facts, objects);
  for (const Service& service : objects.services)
    for (const ServicePort& port : service.ports) table.service(service, port);
  for (const HostEgress& one : served) table.egress(one);
  return std::move(table).text();
}

}  // namespace egt::parsers::presumed
