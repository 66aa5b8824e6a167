// The host as go-controller/pkg/node sets it up: the management port, the external bridge, and for EgressIPs of other networks
// rules, routes and SNATs (pkg/node/controllers/egressip).
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "presumed/texts.h"

namespace egt::parsers::presumed {
namespace {

constexpr unsigned kFirstOther = 5, kTablesFrom = 1000;  // device numbers; the table of a device: that and its number

struct OtherDevice {
  Prefix address;
  std::string name;
  unsigned number = 0;
};

std::vector<OtherDevice> other_devices(const NodeFacts& facts) {
  std::vector<OtherDevice> devices;
  for (const Prefix& address : facts.other_addresses) {
    const auto number = static_cast<unsigned>(kFirstOther + devices.size());
    devices.push_back({address, name_of_device(address), number});
  }
  return devices;
}

// The VRF of a user-defined network.
struct Vrf {
  const OtherNetwork* network = nullptr;
  unsigned number = 0, table = 0;  // the device's, and that of its routes
};

std::vector<Vrf> vrfs_of(const NodeFacts& facts) {
  std::vector<Vrf> all;
  auto number = static_cast<unsigned>(kFirstOther + facts.other_addresses.size());
  for (const OtherNetwork& network : facts.other_networks) {
    if (!network.has_host()) continue;
    const unsigned of_port = number++;
    all.push_back({&network, number++, kTablesFrom + of_port});
  }
  return all;
}

// No dump shows the MAC of such a device; one of locally administered addresses stands for it.
std::string some_mac(const IpAddr& address) {
  return MacAddr{0x020000000000ULL | (low64(address.value) & 0xffffffff)}.to_string();
}

class Texts {
 public:
  Texts(const NodeFacts& facts, const std::vector<HostEgress>& served)
      : facts_(facts), served_(served), others_(other_devices(facts)), vrfs_(vrfs_of(facts)) {}

  std::string addresses() const {
    std::string out = "1: lo: <LOOPBACK,UP,LOWER_UP> state UNKNOWN\n    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00\n";
    inet(out, *Prefix::parse("127.0.0.1/8"));
    inet(out, *Prefix::parse("::1/128"));
    device(out, 2, uplink_name(facts_), facts_.mac ? facts_.mac->to_string() : "");
    device(out, 3, facts_.bridge, facts_.mac ? facts_.mac->to_string() : "");
    for (const Prefix& p : facts_.addresses) inet(out, p);
    for (const Prefix& p : facts_.masquerade) inet(out, p);
    device(out, 4, kManagement, facts_.management_mac ? facts_.management_mac->to_string() : "");
    for (const Prefix& p : facts_.management) inet(out, p);
    for (const OtherDevice& other : others_) {
      device(out, other.number, other.name, some_mac(other.address.address));
      inet(out, other.address);
      for (const HostEgress& s : served_)
        if (s.device == other.address) inet(out, Prefix::host(s.address));
    }
    for (const Vrf& vrf : vrfs_) {
      const OtherNetwork& network = *vrf.network;
      device(out, vrf.number - 1, network.device, network.mac ? network.mac->to_string() : "", network.vrf);
      out += fmt::format("    vrf_slave table {}\n", vrf.table);
      for (const Prefix& p : network.management) inet(out, p);
      device(out, vrf.number, network.vrf, "");
      out += fmt::format("    vrf table {}\n", vrf.table);
    }
    return out;
  }

  std::string routes(Family family) const {
    std::string out;
    const auto line = [&]<class... Args>(fmt::format_string<Args...> text, Args&&... args) {
      fmt::format_to(std::back_inserter(out), text, std::forward<Args>(args)...);
      out += '\n';
    };
    for (const IpAddr& hop : facts_.next_hops)
      if (hop.family == family) line("default via {} dev {}", hop.to_string(), facts_.bridge);
    const auto on_device = [&](const std::vector<Prefix>& all, const std::string& device) {
      for (const Prefix& p : all) {
        if (p.address.family != family) continue;
        line("{} dev {} proto kernel scope link src {}", p.network().to_string(), device, p.address.to_string());
        line("local {} dev {} table local proto kernel scope host src {}", p.address.to_string(), device, p.address.to_string());
      }
    };
    on_device(facts_.addresses, facts_.bridge);
    on_device(facts_.masquerade, facts_.bridge);
    on_device(facts_.management, kManagement);
    for (const IpAddr& router : facts_.router)
      for (const Prefix& all : facts_.cluster_subnets)
        if (router.family == family && all.address.family == family)
          line("{} via {} dev {}", all.to_string(), router.to_string(), kManagement);
    for (const Prefix& all : facts_.services)  // by the gateway router: the third address of the masquerade subnet answers
      for (const Prefix& own : facts_.masquerade)
        if (all.address.family == family && own.address.family == family)
          line("{} via {} dev {} src {}", all.to_string(), dummy_next_hop(own).to_string(), facts_.bridge,
               own.address.to_string());
    if (facts_.local_gateway)  // services of which the endpoints of this node alone are asked
      for (const Prefix& own : facts_.masquerade)
        for (const IpAddr& router : facts_.router)
          if (own.address.family == family && router.family == family)
            line("{} via {} dev {}", local_endpoints(own).to_string(), router.to_string(), kManagement);
    for (const Prefix& all : facts_.services)
      for (const IpAddr& router : facts_.router)
        if (all.address.family == family && router.family == family)
          line("{} via {} dev {} table {}", all.to_string(), router.to_string(), kManagement, kManagementTable);
    for (const OtherDevice& other : others_) {
      on_device({other.address}, other.name);
      if (other.address.address.family != family || !serves(other)) continue;
      line("{} dev {} table {} scope link", other.address.network().to_string(), other.name, kTablesFrom + other.number);
      line("default dev {} table {} scope link", other.name, kTablesFrom + other.number);
    }
    for (const Vrf& vrf : vrfs_) out += routes_of(vrf, family);
    for (const HostEgress& s : served_)
      if (s.device && s.address.family == family)
        line("local {} dev {} table local proto kernel scope host", s.address.to_string(), device_of(s).name);
    line("local {} dev lo table local proto kernel scope host", family == Family::v4 ? "127.0.0.0/8" : "::1");
    return out;
  }

  std::string rules(Family family) const {
    std::string out = "0:\tfrom all lookup local\n";
    if (!facts_.services.empty()) out += fmt::format("30:\tfrom all fwmark {:#x} lookup {}\n", kManagementMark, kManagementTable);
    for (const HostEgress& s : served_)
      for (const IpAddr& pod : s.pods)
        if (s.device && pod.family == family)
          out += fmt::format("6000:\tfrom {} lookup {}\n", pod.to_string(), kTablesFrom + device_of(s).number);
    if (!vrfs_.empty()) out += "1000:\tfrom all lookup [l3mdev-table]\n";
    for (const Vrf& vrf : vrfs_) {
      out += fmt::format("2000:\tfrom all fwmark {:#x} lookup {}\n", kFirstPacketMark + vrf.network->id, vrf.table);
      for (const IpAddr& address : vrf.network->management_addresses)
        if (address.family == family) out += fmt::format("2000:\tfrom all to {} lookup {}\n", address.to_string(), vrf.table);
    }
    return out + "32766:\tfrom all lookup main\n" + (family == Family::v4 ? "32767:\tfrom all lookup default\n" : "");
  }

  // The network's router answers ARP for the masquerade address, to which it translates.
  std::string neighbours() const {
    std::string out;
    for (const Vrf& vrf : vrfs_)
      for (const IpAddr& address : vrf.network->management_addresses)
        if (vrf.network->router_mac)
          out += fmt::format("{} dev {} lladdr {} REACHABLE\n", address.to_string(), vrf.network->device,
                             vrf.network->router_mac->to_string());
    return out;
  }

  std::string settings() const {
    std::string out = "net.ipv4.ip_forward = 1\nnet.ipv6.conf.all.forwarding = 1\nnet.ipv4.conf.all.rp_filter = 0\n";
    std::vector<std::string> devices{facts_.bridge, kManagement};
    for (const OtherDevice& other : others_) devices.push_back(other.name);
    for (const Vrf& vrf : vrfs_) {
      devices.push_back(vrf.network->device);
      devices.push_back(vrf.network->vrf);
    }
    for (const std::string& name : devices)
      out += fmt::format("net.ipv4.conf.{0}.forwarding = 1\nnet.ipv4.conf.{0}.rp_filter = 0\nnet.ipv6.conf.{0}.forwarding = 1\n",
                         name);
    return out;
  }

 private:
  // The host marks its connections to services with internalTrafficPolicy Local, which then go by the management port.
  static constexpr unsigned kManagementMark = 0x1745ec, kManagementTable = 7;

  // As computeRoutesForUDN() of node/gateway_udn.go.
  std::string routes_of(const Vrf& vrf, Family family) const {
    const OtherNetwork& network = *vrf.network;
    std::string out;
    const auto line = [&]<class... Args>(fmt::format_string<Args...> text, Args&&... args) {
      fmt::format_to(std::back_inserter(out), text, std::forward<Args>(args)...);
      fmt::format_to(std::back_inserter(out), " table {}\n", vrf.table);
    };
    for (const IpAddr& hop : facts_.next_hops)
      if (hop.family == family) line("default via {} dev {}", hop.to_string(), facts_.bridge);
    for (const Prefix& all : facts_.services)
      for (const Prefix& own : facts_.masquerade)
        if (all.address.family == family && own.address.family == family)
          line("{} via {} dev {} src {}", all.to_string(), dummy_next_hop(own).to_string(), facts_.bridge,
               own.address.to_string());
    for (const IpAddr& own : network.management_addresses)
      if (own.family == family) line("{} dev {} scope link", own.to_string(), network.device);
    for (const Prefix& own : network.management) {
      if (own.address.family != family) continue;
      const std::string address = own.address.to_string();
      line("{} dev {} proto kernel scope link src {}", own.network().to_string(), network.device, address);
      line("local {} dev {} proto kernel scope host src {}", address, network.device, address);
    }
    for (const IpAddr& router : network.router) {
      if (router.family != family) continue;
      for (const Prefix& all : network.subnets)
        if (all.address.family == family) line("{} via {} dev {}", all.to_string(), router.to_string(), network.device);
      for (const Prefix& own : facts_.masquerade)
        if (own.address.family == family)
          line("{} via {} dev {}", local_endpoints(own).to_string(), router.to_string(), network.device);
    }
    line("unreachable default{} metric 4278198272", family == Family::v4 ? "" : " dev lo");
    return out;
  }

  static void device(std::string& out, unsigned number, const std::string& name, const std::string& mac,
                     const std::string& master = {}) {
    out += fmt::format("{}: {}: <BROADCAST,MULTICAST,UP,LOWER_UP> {}state UP\n", number, name,
                       master.empty() ? master : "master " + master + " ");
    if (!mac.empty()) out += fmt::format("    link/ether {} brd ff:ff:ff:ff:ff:ff\n", mac);
  }
  static void inet(std::string& out, const Prefix& p) {
    out += fmt::format("    {} {} scope global\n", p.address.is_v4() ? "inet" : "inet6", p.to_string());
  }
  const OtherDevice& device_of(const HostEgress& served) const {
    return *std::find_if(others_.begin(), others_.end(), [&](const OtherDevice& o) { return o.address == served.device; });
  }
  bool serves(const OtherDevice& other) const {
    return std::any_of(served_.begin(), served_.end(), [&](const HostEgress& s) { return s.device == other.address; });
  }

  const NodeFacts& facts_;
  const std::vector<HostEgress>& served_;
  std::vector<OtherDevice> others_;
  std::vector<Vrf> vrfs_;
};

}  // namespace

// Longer than any real name.
std::string name_of_device(const Prefix& address) {
  std::string name = "nic-" + address.address.to_string();
  std::replace(name.begin(), name.end(), ':', '.');
  return name;
}

IpAddr dummy_next_hop(const Prefix& own) { return {own.address.family, own.address.value + 2}; }
IpAddr local_endpoints(const Prefix& own) { return {own.address.family, own.address.value + 1}; }

std::vector<Prefix> network_masquerade(const NodeFacts& facts, Family family) {
  std::vector<Prefix> subnets;
  const bool any =
      std::any_of(facts.other_networks.begin(), facts.other_networks.end(), [](const OtherNetwork& n) { return n.has_host(); });
  for (const Prefix& own : facts.masquerade)
    if (any && own.address.family == family) subnets.push_back(own);
  return subnets;
}

// The first eight addresses are of the default network and of hosts (getUDNMasqueradeRules() of node/gateway_nftables.go).
Prefix masquerade_of_hosts(const Prefix& own) {
  return Prefix{own.address, static_cast<std::uint8_t>(own.address.is_v4() ? 29 : 125)}.network();
}

std::string uplink_name(const NodeFacts& facts) { return facts.bridge + "-uplink"; }

std::vector<PresumedDump> host_dumps(const NodeFacts& facts, const std::vector<HostEgress>& served,
                                     const cluster::Objects& objects, const host::Host& dumped) {
  const Texts texts(facts, served);
  std::vector<PresumedDump> dumps{{"ip addr", "ip -d addr", texts.addresses()}};
  const auto add = [&](bool is_dumped, PresumedDump dump) {
    if (!is_dumped) dumps.push_back(std::move(dump));
  };
  add(dumped.routes_v4.present, {"ip route", "ip -4 route show table all", texts.routes(Family::v4)});
  add(dumped.routes_v6.present, {"ip route", "ip -6 route show table all", texts.routes(Family::v6)});
  add(dumped.rules_v4.present, {"ip rule", "ip -4 rule", texts.rules(Family::v4)});
  add(dumped.rules_v6.present, {"ip rule", "ip -6 rule", texts.rules(Family::v6)});
  const std::string neighbours = texts.neighbours();
  add(dumped.neighbours.present || neighbours.empty(), {"ip neigh", "ip neigh", neighbours});
  // A ruleset of nft holds the tables of iptables-nft too.
  const bool has_nft = dumped.nft.present;
  const bool no_iptables = has_nft || facts.nft_alone;
  add(has_nft || !facts.nft_alone, {"nft list ruleset", "nft list ruleset", nft_rules(facts, served, objects)});
  add(dumped.iptables_v4.present || no_iptables,
      {"iptables-save", "iptables-save", netfilter_rules(facts, served, objects, Family::v4)});
  add(dumped.iptables_v6.present || no_iptables,
      {"iptables-save", "ip6tables-save", netfilter_rules(facts, served, objects, Family::v6)});
  add(dumped.sysctl.present, {"sysctl", "sysctl -a", texts.settings()});
  return dumps;
}

}  // namespace egt::parsers::presumed
