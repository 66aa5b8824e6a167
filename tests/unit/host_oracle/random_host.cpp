#include "random_host.h"

#include <fmt/format.h>

#include "namespace.h"

namespace egt::test {
namespace {

constexpr unsigned kNeighbours = 4;  // .2 … .5 of each subnet

IpAddr ip(const std::string& text) { return *IpAddr::parse(text); }

// Of iproute2 since 6.15; an older one neither makes such rules nor shows them.
bool ip_knows_code_points() {
  static const bool knows = run("ip rule help").text.find("dscp DSCP[/MASK]") != std::string::npos;
  return knows;
}

}  // namespace

bool is_one_of(const std::string& s, std::initializer_list<const char*> of) {
  for (const char* o : of)
    if (s == o) return true;
  return false;
}

RandomHost::RandomHost(unsigned seed) : random_(seed) {
  for (unsigned i = 0; i < kWires; ++i) {
    second_[i] = chance(40);
    single_[i] = chance(25);
    peer_[i] = second_[i] && chance(35);
    if (chance(20)) upper_[i] = one({"mv", "br"});
  }
}

std::string RandomHost::gateway(unsigned wire, bool v4) {
  const unsigned part = 2 + pick(kNeighbours);
  if (!v4) return fmt::format("fd00:{}::{}", wire, part);
  return fmt::format("10.{}.{}.{}", wire, second_[wire] && chance(40) ? 1 : 0, part);
}

std::string RandomHost::own_address(unsigned wire, bool v4) {
  if (!v4) return fmt::format("fd00:{}::1", wire);
  if (single_[wire] && chance(30)) return fmt::format("10.99.0.{}", wire + 1);
  if (!second_[wire] || !chance(40)) return fmt::format("10.{}.0.1", wire);
  return peer_[wire] ? fmt::format("10.98.0.{}", wire + 1) : fmt::format("10.{}.1.1", wire);
}

std::string RandomHost::remote_net(bool v4) {
  if (v4) {
    const char* lengths[] = {"8", "14", "16", "16", "24", "24", "32"};
    const std::string length = lengths[pick(7)];
    const unsigned a = 100 + pick(4), b = pick(3);
    if (length == "8") return fmt::format("{}.0.0.0/8", a);
    if (length == "14") return fmt::format("{}.0.0.0/14", a);
    if (length == "16") return fmt::format("{}.{}.0.0/16", a, b);
    if (length == "24") return fmt::format("{}.{}.{}.0/24", a, b, pick(2));
    return fmt::format("{}.{}.{}.{}/32", a, b, pick(2), 1 + pick(3));
  }
  const unsigned a = 100 + pick(4), b = pick(3);
  switch (pick(4)) {
    case 0: return fmt::format("fd00:{}::/32", a);
    case 1: return fmt::format("fd00:{}:{}::/48", a, b);
    case 2: return fmt::format("fd00:{}:{}:{}::/64", a, b, pick(2));
    default: return fmt::format("fd00:{}:{}:{}::{}/128", a, b, pick(2), 1 + pick(3));
  }
}

std::string RandomHost::some_net(bool v4) {
  switch (pick(5)) {
    case 0: return v4 ? fmt::format("10.{}.0.0/16", pick(kWires)) : fmt::format("fd00:{}::/64", pick(kWires));
    case 1: return v4 ? fmt::format("10.{}.0.{}/31", pick(kWires), 2 + 2 * pick(2)) : fmt::format("fd00:{}::2/127", pick(kWires));
    case 2: return v4 ? fmt::format("10.200.0.{}/32", 1 + pick(3)) : fmt::format("fd00:200::{}/128", 1 + pick(3));
    case 3: return v4 ? "10.0.0.0/8" : "fd00::/16";
    default: return remote_net(v4);
  }
}

IpAddr RandomHost::destination(bool v4) {
  const unsigned kind = pick(100);
  if (kind < 42)
    return ip(v4 ? fmt::format("{}.{}.{}.{}", 100 + pick(4), pick(3), pick(2), 1 + pick(3))
                 : fmt::format("fd00:{}:{}:{}::{}", 100 + pick(4), pick(3), pick(2), 1 + pick(3)));
  if (kind < 62) return ip(gateway(pick(kWires), v4));
  if (kind < 80) return ip(own_address(pick(kWires), v4));
  if (kind < 95) return ip(v4 ? fmt::format("10.200.0.{}", 1 + pick(3)) : fmt::format("fd00:200::{}", 1 + pick(3)));
  if (!v4) return ip(one({"fd00:0::", "::1", "fd00:1::", "fd00:77::1"}));
  return ip(one({"10.1.0.255", "255.255.255.255", "127.0.0.1", "0.0.0.0", "10.2.0.0", "240.0.0.1", "77.7.7.7"}));
}

IpAddr RandomHost::source(unsigned wire, bool v4) {
  const unsigned kind = pick(100);
  if (kind < 55) return ip(gateway(wire, v4));
  if (kind < 90)
    return ip(v4 ? fmt::format("{}.{}.{}.{}", 100 + pick(4), pick(3), pick(2), 1 + pick(3))
                 : fmt::format("fd00:{}:{}:{}::{}", 100 + pick(4), pick(3), pick(2), 1 + pick(3)));
  if (kind < 95) return ip(gateway(pick(kWires), v4));
  if (!v4) return ip(one({"fd00:0::1", "::1", "fd00:77::9", "fd00:1::1", "fe80::5", "fe80::5", "::"}));
  return ip(one({"10.0.0.1", "127.0.0.5", "10.1.0.255", "77.7.7.9", "10.2.0.1", "0.0.0.0", "10.200.0.3"}));
}

Probe RandomHost::probe() {
  Probe p;
  const bool v4 = chance(70);
  p.local = chance(22);
  p.wire = pick(kWires);
  FlowKey& k = p.packet;
  k.set(FieldId::eth_type, v4 ? ethertype::ipv4 : ethertype::ipv6);
  const IpAddr to = destination(v4), from = p.local ? ip(own_address(p.wire, v4)) : source(p.wire, v4);
  set_src_ip(k, from);
  set_dst_ip(k, to);
  const unsigned kind = pick(100);
  const std::uint8_t proto = kind < 42              ? ip_proto::tcp
                             : kind < 78 || p.local ? ip_proto::udp
                             : kind < 92            ? (v4 ? ip_proto::icmp : ip_proto::icmp6)
                                                    : ip_proto::sctp;
  k.set(FieldId::nw_proto, proto);
  k.set(FieldId::nw_ttl, p.local || chance(85) ? 64 : 1 + pick(3));
  k.set(FieldId::nw_tos, chance(75) ? 0u : std::initializer_list<unsigned>{0x10, 0x28, 0xb8, 0x08}.begin()[pick(4)]);
  if (has_ports(k)) {
    k.set(FieldId::tp_src, chance(75) || p.local ? next_port_++ : 5000 + pick(2));
    k.set(FieldId::tp_dst, std::initializer_list<unsigned>{53, 80, 443, 1234, 8080, 9000}.begin()[pick(6)]);
    if (proto == ip_proto::tcp) k.set(FieldId::tcp_flags, p.local || chance(93) ? 0x02u : chance(50) ? 0x10u : 0x12u);
  } else {
    k.set(FieldId::icmp_type, v4 ? 8 : 128);
    k.set(FieldId::icmp_id, chance(75) ? next_port_++ : 7u);
  }
  if (!p.local) {
    p.in_fragments = proto == ip_proto::udp && chance(20);
    k.set(FieldId::eth_dst, KernelHost::mac_of_host(p.wire).value);
    if (chance(3)) k.set(FieldId::eth_dst, std::initializer_list<std::uint64_t>{0x0200000000ee, 0xffffffffffff}.begin()[pick(2)]);
    k.set(FieldId::eth_src, KernelHost::mac_of_neighbour(p.wire, 5).value);
    return p;
  }
  if (chance(20)) k.set(FieldId::pkt_mark, 1 + pick(3));
  if (v4 && to.value == 0) set_dst_ip(k, ip("77.7.7.7"));
  p.process.packet = k;
  p.process.choose_source = chance(60);
  p.process.connected = chance(40);
  if (chance(10)) p.process.bound_device = device_of(p.wire);
  if (!v4) k.set(FieldId::nw_tos, 0), p.process.packet.set(FieldId::nw_tos, 0);
  return p;
}

HostSetup RandomHost::setup() {
  HostSetup s;
  make_links(s);
  make_sysctl(s);
  make_devices(s);
  for (const bool v4 : {true, false}) {
    make_routes(s, v4);
    if (chance(75)) make_rules(s, v4);
    if (chance(20)) make_ipsec(s, v4);
  }
  s.legacy = chance(25);
  s.ipset = sets();
  s.shows_sets = chance(80);
  s.nft_first = chance(50);
  if (chance(85)) s.iptables = iptables(true);
  if (chance(60)) s.ip6tables = iptables(false);
  if (chance(70)) s.nft = nft();
  return s;
}

// Of the types that the kernel at hand has been seen to have (CONFIG_IP_SET_*); addresses are those of probes.
std::string RandomHost::sets() {
  std::string out = R"(create ips4 hash:ip
add ips4 10.0.0.2
add ips4 10.200.0.1
add ips4 10.1.0.5
create nets4 hash:net
add nets4 10.1.0.0/16
add nets4 100.0.0.0/8
add nets4 100.1.0.0/16 nomatch
add nets4 10.1.0.4/31 nomatch
create ports4 hash:ip,port
add ports4 10.200.0.1,tcp:80
add ports4 10.1.0.2,udp:53
add ports4 10.0.0.1,icmp:echo-request
create wide4 hash:ip netmask 16
add wide4 10.0.0.0
add wide4 101.1.0.0
create flows4 hash:ip,port,net
add flows4 10.1.0.2,tcp:80,10.0.0.0/8
add flows4 10.200.0.2,udp:53,100.0.0.0/6
create triples4 hash:ip,port,ip
add triples4 10.200.0.2,tcp:443,10.0.0.5
add triples4 10.1.0.1,udp:1234,10.1.0.5
create services4 hash:net,port
add services4 10.0.0.0/8,tcp:80-443
add services4 100.0.0.0/6,sctp:80
create map4 bitmap:ip range 10.0.0.0/16 netmask 30
add map4 10.0.0.4
create cards4 bitmap:ip,mac range 10.0.0.0/16
add cards4 10.0.0.2
create web bitmap:port range 0-9000
add web 80
add web 8080
create nets6 hash:net family inet6
add nets6 fd00:1::/64
add nets6 fd00:200::/32
add nets6 fd00:1::4/127 nomatch
create ports6 hash:ip,port family inet6
add ports6 fd00:200::1,tcp:80
add ports6 fd00:1::2,ipv6-icmp:echo-request
create all list:set
add all ips4
add all nets6
add all web
add all nets4
)";
  out += fmt::format("add cards4 10.0.0.5,{}\nadd cards4 10.0.0.4,{}\n", KernelHost::mac_of_neighbour(0, 5).to_string(),
                     KernelHost::mac_of_neighbour(1, 5).to_string());
  out += "create by4 hash:net,iface\nadd by4 100.0.0.0/6,v wildcard\n";
  out += fmt::format("add by4 10.0.0.0/8,{}\nadd by4 10.0.0.0/16,{} nomatch\nadd by4 10.200.0.0/24,physdev:{}\n", device(),
                     device(), device());
  return out;
}

// What stands on a wire has the address to which probes are sent.
void RandomHost::make_links(HostSetup& s) {
  for (unsigned i = 0; i < kWires; ++i) {
    if (upper_[i] == "v") continue;
    const std::string mac = KernelHost::mac_of_host(i).to_string();
    s.links += fmt::format("link set v{0} address 02:00:00:00:fe:{0:02x}\n", i);
    if (upper_[i] == "mv") {
      s.links += fmt::format("link add link v{0} name mv{0} address {1} type macvlan mode {2}\n", i, mac,
                             one({"bridge", "private", "vepa"}));
    } else {
      s.links += fmt::format(
          "link add br{0} address {1} type bridge forward_delay 0 mcast_snooping 0\nlink set v{0} master br{0}\n", i, mac);
    }
  }
}

void RandomHost::make_devices(HostSetup& s) {
  for (unsigned i = 0; i < kWires; ++i) {
    s.devices += fmt::format("addr add 10.{0}.0.1/24 brd + dev {1}\naddr add fd00:{0}::1/64 dev {1} nodad\n", i, device_of(i));
    if (peer_[i])
      s.devices += fmt::format("addr add 10.98.0.{0} peer 10.{1}.1.1/24 dev {2}\n", i + 1, i, device_of(i));
    else if (second_[i])
      s.devices += fmt::format("addr add 10.{0}.1.1/24 brd + dev {1}\n", i, device_of(i));
    if (single_[i]) s.devices += fmt::format("addr add 10.99.0.{}/32 dev {}\n", i + 1, device_of(i));
    if (chance(15)) s.devices += fmt::format("addr add 10.{0}.0.9/24 dev {1}\n", i, device_of(i));
    s.devices += fmt::format("link set v{} up\n", i);
    if (upper_[i] != "v") s.devices += fmt::format("link set {} up\n", device_of(i));
    for (unsigned part = 2; part < 2 + kNeighbours; ++part) {
      const std::string mac = KernelHost::mac_of_neighbour(i, part).to_string();
      for (const std::string& a : {fmt::format("10.{}.0.{}", i, part), fmt::format("10.{}.1.{}", i, part),
                                   fmt::format("fd00:{}::{}", i, part), fmt::format("fe80::{}", part)})
        s.devices += fmt::format("neigh replace {} lladdr {} dev {} nud permanent\n", a, mac, device_of(i));
    }
  }
}

void RandomHost::make_sysctl(HostSetup& s) {
  const auto conf = [this](unsigned wire, const char* name) { return fmt::format("net.ipv4.conf.{}.{}", device_of(wire), name); };
  for (const char* name : {"net.bridge.bridge-nf-call-iptables", "net.bridge.bridge-nf-call-ip6tables"})
    s.sysctl[name] = chance(50) ? "1" : "0";
  s.sysctl["net.ipv4.ip_forward"] = "1";
  s.sysctl["net.ipv6.conf.all.forwarding"] = chance(92) ? "1" : "0";
  s.sysctl["net.ipv4.icmp_ratelimit"] = "0";
  s.sysctl["net.ipv4.icmp_ratemask"] = "0";  // else each error empties the account of routing errors to its receiver
  s.sysctl["net.ipv6.icmp.ratelimit"] = "0";
  s.sysctl["net.ipv4.icmp_msgs_per_sec"] = "100000";
  s.sysctl["net.ipv4.icmp_msgs_burst"] = "100000";
  if (chance(50)) s.sysctl["net.ipv4.nexthop_compat_mode"] = "0";  // ip route shows next hop objects by their numbers alone
  s.sysctl["net.ipv4.icmp_echo_ignore_all"] = "1";
  s.sysctl["net.ipv6.icmp.echo_ignore_all"] = "1";
  s.sysctl["net.ipv4.ip_local_port_range"] = "40000 60000";
  s.sysctl["net.ipv4.conf.all.rp_filter"] = chance(80) ? "0" : one({"1", "2"});
  const bool strict = chance(20);
  for (unsigned i = 0; i < kWires; ++i) {
    s.sysctl[conf(i, "rp_filter")] = strict ? "1" : chance(75) ? "0" : one({"1", "2"});
    s.sysctl[conf(i, "forwarding")] = chance(94) ? "1" : "0";
    s.sysctl[fmt::format("net.ipv6.conf.{}.accept_dad", device_of(i))] = "0";  // link-local addresses count at once
    if (chance(10)) s.sysctl[conf(i, "accept_local")] = "1";
    if (chance(15)) s.sysctl[conf(i, "route_localnet")] = "1";
    if (chance(25)) s.sysctl[conf(i, "src_valid_mark")] = "1";
    if (chance(70)) s.sysctl[conf(i, "send_redirects")] = "0";
  }
  if (chance(70)) s.sysctl["net.ipv4.conf.all.send_redirects"] = "0";
}

// Without encryption, for which this kernel need not have the modules.
void RandomHost::make_ipsec(HostSetup& s, bool v4) {
  std::string& out = v4 ? s.ip4 : s.ip6;
  const char* any = v4 ? "0.0.0.0/0" : "::/0";
  for (unsigned i = 0; i < 1 + pick(3); ++i) {
    std::string line =
        fmt::format("xfrm policy add src {} dst {}", chance(30) ? any : some_net(v4), chance(40) ? any : some_net(v4));
    const std::string protocol = chance(60) ? one({"tcp", "udp"}) : "";
    if (!protocol.empty()) line += " proto " + protocol;
    if (!protocol.empty() && chance(50)) line += " dport " + one({"80", "443"});
    line += fmt::format(" dir {} priority {}", one({"in", "out", "fwd"}), 100 * i + pick(50));
    if (chance(70)) line += " action block";
    if (chance(25)) line += fmt::format(" mark {} mask 0x7", 1 + pick(4));
    out += line + "\n";
  }
}

void RandomHost::make_routes(HostSetup& s, bool v4) {
  std::string& out = v4 ? s.ip4 : s.ip6;
  // replace: a random route may come twice.
  if (chance(12)) out += fmt::format("route replace local {} dev lo table local\n", v4 ? "10.200.0.2/31" : "fd00:200::2/127");
  if (chance(85)) out += fmt::format("route replace default via {} dev {}\n", gateway(0, v4), device_of(0));
  for (unsigned i = 0; i < 10; ++i) {
    const std::string table = one({"main", "main", "100", "101", "102"});
    std::string line = "route replace ";
    std::string net = chance(10) && table != "main" ? "default" : remote_net(v4);
    const unsigned wire = pick(kWires);
    if (chance(12)) {
      line += one({"unreachable ", "blackhole ", "prohibit ", "throw "}) + net + " table " + table;
    } else if (chance(8)) {
      const unsigned first = (v4 ? 10 : 40) + 3 * i;
      for (unsigned n = 0; n < 2; ++n) {
        const unsigned w = (wire + n) % kWires;
        out += fmt::format("nexthop add id {} via {} dev {}\n", first + n, gateway(w, v4), device_of(w));
      }
      if (chance(60)) out += fmt::format("nexthop add id {} group {},{}/{},1\n", first + 2, first, 1 + pick(3), first + 1);
      line += fmt::format("{} nhid {} table {}", net, out.ends_with(",1\n") ? first + 2 : first, table);
    } else if (chance(15)) {
      line += net + " table " + table;
      for (unsigned n = 0; n < 2; ++n) {
        const unsigned w = (wire + n) % kWires;
        line += fmt::format(" nexthop via {} dev {} weight {}", gateway(w, v4), device_of(w), 1 + pick(3));
      }
    } else {
      line += fmt::format("{} via {} dev {} table {}", net, gateway(wire, v4), device_of(wire), table);
      if (v4 && chance(15)) line += " src " + own_address(wire, v4);
      if (v4 && chance(10)) line += " tos 0x10";
    }
    if (!v4 && chance(12) && line.find("nhid") == std::string::npos)
      line.insert(line.find(net) + net.size(), " from " + some_net(v4));
    if (chance(15)) line += fmt::format(" metric {}", 10 + pick(3));
    out += line + "\n";
  }
}

void RandomHost::make_rules(HostSetup& s, bool v4) {
  std::string& out = v4 ? s.ip4 : s.ip6;
  for (unsigned i = 0; i < 1 + pick(5); ++i) {
    std::string line = fmt::format("rule add pref {}{}", 100 + pick(4) * 10, chance(8) ? " not" : "");
    if (chance(55)) line += " from " + some_net(v4);
    if (chance(25)) line += " to " + some_net(v4);
    if (chance(25)) line += fmt::format(" fwmark {:#x}{}", 1 + pick(4), chance(50) ? "/0x7" : "");
    if (chance(20)) line += " iif " + (chance(85) ? device() : std::string("lo"));
    if (chance(5)) line += " oif " + device();
    if (chance(8)) line += " tos " + one({"0x10", v4 ? "0x08" : "0x28"});
    if (chance(10)) line += " ipproto " + one({"tcp", "udp"});
    if (chance(10)) line += " dport " + one({"80", "1000-2000", "443"});
    if (chance(6)) line += " sport 20000-20050";
    if (ip_knows_code_points() && chance(15) && line.find(" tos ") == std::string::npos)
      line += " dscp " + one({"4", "46", "0", "0x2/0x3f", "0x2/0x6", "0x28/0x38"});
    if (ip_knows_code_points() && chance(15) && line.find("port ") == std::string::npos)
      line += " " + one({"sport", "dport"}) + " " + one({"0x50/0xff", "0x4e00/0xff00", "0x1/0x1", "0/0x10"});
    if (chance(8)) line += " uidrange " + one({"0-100", "1000-2000"});
    const unsigned kind = pick(100);
    if (kind < 70)
      line += " lookup " + one({"100", "101", "102"});
    else if (kind < 80)
      line += " lookup main suppress_prefixlength " + one({"0", "8", "16"});
    else if (kind < 86)
      line += " goto 32766";
    else
      line += " " + one({"blackhole", "unreachable", "prohibit", "nop"});
    out += line + "\n";
  }
}

}  // namespace egt::test
