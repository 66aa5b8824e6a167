#include "test_host.h"

#include <algorithm>

#include "egtrace/base/text.h"
#include "egtrace/explain/phrases.h"

namespace egt::test {
namespace {

using host::PolicyRule;
using host::Route;
using host::RouteType;
using host::RuleAction;

class Words {
 public:
  explicit Words(std::string_view line) : words_(words(line)) {}
  bool more() const { return next_ < words_.size(); }
  std::string take() { return more() ? std::string(words_[next_++]) : std::string(); }
  std::string peek() const { return more() ? std::string(words_[next_]) : std::string(); }

 private:
  std::vector<std::string_view> words_;
  std::size_t next_ = 0;
};

std::optional<RouteType> type_named(const std::string& word) {
  static const std::map<std::string, RouteType> kTypes = {
      {"local", RouteType::local},       {"broadcast", RouteType::broadcast}, {"unreachable", RouteType::unreachable},
      {"prohibit", RouteType::prohibit}, {"blackhole", RouteType::blackhole}, {"throw", RouteType::throw_},
      {"anycast", RouteType::anycast},   {"multicast", RouteType::multicast}};
  const auto found = kTypes.find(word);
  return found == kTypes.end() ? std::nullopt : std::optional(found->second);
}

std::uint32_t number(const std::string& word) { return static_cast<std::uint32_t>(parse_u64(word).value_or(0)); }

Prefix prefix(const std::string& word, Family family) { return word == "default" ? Prefix::any(family) : *Prefix::parse(word); }

Route read_route(std::string_view line) {
  Words w(line);
  Route r;
  if (const auto type = type_named(w.peek())) {
    r.type = *type;
    w.take();
  }
  r.family = line.find(':') != std::string_view::npos ? Family::v6 : Family::v4;
  r.to = prefix(w.take(), r.family);
  const auto hop = [&]() -> host::NextHop& {
    if (r.next_hops.empty()) r.next_hops.emplace_back();
    return r.next_hops.back();
  };
  while (w.more()) {
    const std::string word = w.take();
    if (word == "nexthop")
      r.next_hops.emplace_back();
    else if (word == "via")
      hop().via = ip(w.take());
    else if (word == "dev")
      hop().device = w.take();
    else if (word == "weight")
      hop().weight = number(w.take());
    else if (word == "linkdown")
      hop().linkdown = true;
    else if (word == "table")
      r.table = w.take();
    else if (word == "src")
      r.source_hint = ip(w.take());
    else if (word == "metric")
      r.metric = number(w.take());
    else if (word == "scope")
      r.scope = w.take();
    else if (word == "proto")
      r.protocol = w.take();
    else if (word == "from")
      r.sources = *Prefix::parse(w.take());
  }
  return r;
}

PolicyRule read_rule(std::string_view line) {
  PolicyRule r;
  r.family = std::count(line.begin(), line.end(), ':') > 1 ? Family::v6 : Family::v4;
  Words w(line);
  std::string first = w.take();
  first.pop_back();
  r.priority = number(first);
  while (w.more()) {
    const std::string word = w.take();
    if (word == "not")
      r.negate = true;
    else if (word == "from") {
      if (const std::string p = w.take(); p != "all") {
        r.has_from = true;
        r.from_prefix = *Prefix::parse(p);
      }
    } else if (word == "to") {
      r.has_to = true;
      r.to_prefix = *Prefix::parse(w.take());
    } else if (word == "fwmark")
      r.fwmark = number(w.take());
    else if (word == "iif")
      r.iif = w.take();
    else if (word == "lookup")
      r.table = w.take();
    else if (word == "suppress_prefixlength")
      r.suppress_prefix_length = static_cast<int>(number(w.take()));
    else if (word == "unreachable")
      r.action = RuleAction::unreachable;
    else if (word == "prohibit")
      r.action = RuleAction::prohibit;
    else if (word == "blackhole")
      r.action = RuleAction::blackhole;
  }
  return r;
}

FlowKey packet(const std::string& from, const std::string& to, std::uint8_t proto) {
  FlowKey k;
  const IpAddr source = ip(from);
  k.set(FieldId::eth_type, source.is_v4() ? ethertype::ipv4 : ethertype::ipv6);
  k.set(FieldId::nw_proto, proto);
  k.set(FieldId::nw_ttl, 64);
  set_src_ip(k, source);
  set_dst_ip(k, ip(to));
  return k;
}

FlowKey with_ports(FlowKey k, std::uint16_t sport, std::uint16_t dport) {
  k.set(FieldId::tp_src, sport);
  k.set(FieldId::tp_dst, dport);
  return k;
}

}  // namespace

IpAddr ip(std::string_view text) { return IpAddr::parse(text).value_or(IpAddr{}); }
MacAddr mac(std::string_view text) { return MacAddr::parse(text).value_or(MacAddr{}); }

FlowKey tcp(const std::string& from, const std::string& to, std::uint16_t sport, std::uint16_t dport) {
  FlowKey k = with_ports(packet(from, to, ip_proto::tcp), sport, dport);
  k.set(FieldId::tcp_flags, 0x02);
  return k;
}

FlowKey udp(const std::string& from, const std::string& to, std::uint16_t sport, std::uint16_t dport) {
  return with_ports(packet(from, to, ip_proto::udp), sport, dport);
}

FlowKey ping(const std::string& from, const std::string& to, std::uint16_t id) {
  FlowKey k = packet(from, to, ip_proto::icmp);
  k.set(FieldId::icmp_type, 8);
  k.set(FieldId::icmp_id, id);
  return k;
}

FlowKey answer_to(const FlowKey& sent) {
  FlowKey k = sent;
  const Tuple t = reversed(tuple_of(sent));
  set_tuple(k, t);
  if (t.proto == ip_proto::icmp) k.set(FieldId::icmp_type, t.icmp_type);
  if (t.proto == ip_proto::tcp) k.set(FieldId::tcp_flags, 0x12);
  k.set(FieldId::eth_src, 0);
  k.set(FieldId::eth_dst, 0);
  k.set(FieldId::nw_ttl, 64);
  return k;
}

TestHost::TestHost() {
  node.name = "n1";
  link("lo", "00:00:00:00:00:00", "127.0.0.1/8");
  at("lo").flags = {"LOOPBACK,UP,LOWER_UP"};
  node.host.iptables_v4.present = node.host.iptables_v6.present = node.host.nft.present = true;
  node.host.neighbours.present = node.host.sysctl.present = true;
  rules("0: from all lookup local\n32766: from all lookup main\n32767: from all lookup default");
  PolicyRule v6;
  v6.family = Family::v6;
  v6.table = "local";
  v6.from = next_line();
  node.host.rules_v6.present = node.host.routes_v6.present = true;
  node.host.rules_v6.value.push_back(v6);
  v6.priority = 32766;
  v6.table = "main";
  node.host.rules_v6.value.push_back(v6);
}

TestHost& TestHost::link(const std::string& name, const std::string& address, const std::string& addresses) {
  host::Link l;
  l.name = name;
  l.index = static_cast<std::uint32_t>(node.host.links.value.size() + 1);
  l.mac = mac(address);
  l.flags = {"BROADCAST,MULTICAST,UP,LOWER_UP"};
  l.from = next_line();
  for (const std::string_view word : words(addresses)) {
    host::Address a;
    a.prefix = *Prefix::parse(word);
    a.scope = a.prefix.address.is_loopback() ? "host" : "global";
    a.from = next_line();
    l.addresses.push_back(a);
    if (!a.prefix.address.is_v4() || name == "lo") continue;
    Route r;
    r.to = a.prefix.network();
    r.scope = "link";
    r.protocol = "kernel";
    r.source_hint = a.prefix.address;
    r.from = next_line();
    r.next_hops.push_back({std::nullopt, name, 1, false, false, false});
    node.host.routes_v4.value.push_back(r);
  }
  node.host.links.present = true;
  node.host.routes_v4.present = true;
  node.host.links.value.push_back(l);
  return sysctl("net.ipv4.conf." + name + ".rp_filter", "0")
      .sysctl("net.ipv4.conf." + name + ".forwarding", "1")
      .sysctl("net.ipv4.conf." + name + ".accept_local", "0")
      .sysctl("net.ipv4.conf." + name + ".src_valid_mark", "0")
      .sysctl("net.ipv4.conf." + name + ".route_localnet", "0")
      .sysctl("net.ipv4.conf." + name + ".send_redirects", "1")
      .sysctl("net.ipv4.conf.all.rp_filter", "0")
      .sysctl("net.ipv4.conf.all.accept_local", "0")
      .sysctl("net.ipv4.conf.all.src_valid_mark", "0")
      .sysctl("net.ipv4.conf.all.route_localnet", "0")
      .sysctl("net.ipv4.conf.all.send_redirects", "1")
      .sysctl("net.ipv6.conf.all.forwarding", "1");
}

TestHost& TestHost::routes(std::string_view lines) {
  while (!lines.empty()) {
    const std::string_view line = trim(egt::next_line(lines));
    if (line.empty()) continue;
    Route r = read_route(line);
    r.from = next_line();
    (r.family == Family::v4 ? node.host.routes_v4 : node.host.routes_v6).value.push_back(r);
  }
  return *this;
}

TestHost& TestHost::rules(std::string_view lines) {
  auto& v4 = node.host.rules_v4;
  while (!lines.empty()) {
    const std::string_view line = trim(egt::next_line(lines));
    if (line.empty()) continue;
    PolicyRule r = read_rule(line);
    r.from = next_line();
    (r.family == Family::v4 ? v4 : node.host.rules_v6).value.push_back(r);
  }
  v4.present = true;
  return *this;
}

TestHost& TestHost::load(std::span<const parsers::Format> formats, std::string_view command, const std::string& text) {
  texts_.push_back(text);
  parsers::Dump dump;
  dump.source = static_cast<SourceId>(1 + texts_.size());
  dump.command = command;
  dump.text = texts_.back();
  cluster::Cluster cluster;
  parsers::Report report;
  for (const parsers::Format& f : formats)
    if (f.kind == command) f.load(dump, cluster, node, report);
  return *this;
}

TestHost& TestHost::iptables(const std::string& save) {
  node.host.iptables_v4.present = true;
  return load(parsers::iptables_formats(), "iptables-save", save);
}

TestHost& TestHost::nft(const std::string& ruleset) {
  node.host.nft.present = true;
  return load(parsers::nft_formats(), "nft list ruleset", ruleset);
}

TestHost& TestHost::ipset(const std::string& save) { return load(parsers::system_formats(), "ipset save", save); }

TestHost& TestHost::ipsec_policies(const std::string& policies) {
  return load(parsers::system_formats(), "ip xfrm policy", policies);
}

TestHost& TestHost::sysctl(const std::string& key, const std::string& value) {
  node.host.sysctl.value[key] = {value, next_line()};
  return *this;
}

TestHost& TestHost::neighbour(const std::string& address, const std::string& device, const std::string& hw,
                              host::NeighbourState state) {
  host::Neighbour n;
  n.address = ip(address);
  n.device = device;
  if (!hw.empty()) n.mac = mac(hw);
  n.state = state;
  n.from = next_line();
  node.host.neighbours.value.push_back(n);
  return *this;
}

TestHost& TestHost::local_table() {
  for (const host::Link& l : node.host.links.value)
    for (const host::Address& a : l.addresses) {
      const bool loopback = a.prefix.address == IpAddr::v4(0x7f000001);
      Route r;
      r.family = a.prefix.address.family;
      r.type = RouteType::local;
      r.to = loopback ? a.prefix.network() : Prefix::host(a.prefix.address);
      r.table = "local";
      r.scope = "host";
      r.protocol = "kernel";
      if (r.family == Family::v4) r.source_hint = a.prefix.address;
      r.from = next_line();
      r.next_hops.push_back({std::nullopt, l.name, 1, false, false, false});
      (r.family == Family::v4 ? node.host.routes_v4 : node.host.routes_v6).value.push_back(r);
    }
  // Without a line in the local table a dump of IPv6 routes would count as one of the main table alone.
  Route r;
  r.family = Family::v6;
  r.type = RouteType::local;
  r.to = *Prefix::parse("::1/128");
  r.table = "local";
  r.next_hops.push_back({std::nullopt, "lo", 1, false, false, false});
  node.host.routes_v6.value.push_back(r);
  return *this;
}

host::Link& TestHost::at(const std::string& name) {
  auto& links = node.host.links.value;
  return *std::find_if(links.begin(), links.end(), [&](const host::Link& l) { return l.name == name; });
}

engine::HostOutcome Lab::receive(const std::string& device, const FlowKey& sent) {
  record = {};
  FlowKey frame = sent;
  if (const host::Link* l = host.host().link(device); l != nullptr && l->mac && dst_mac(frame).is_zero())
    frame.set(FieldId::eth_dst, l->mac->value);
  return engine::HostEngine(host.node, network_state, record, chooser, neighbours, options).receive(device, frame);
}

engine::HostOutcome Lab::send(const engine::LocalSend& what) {
  record = {};
  return engine::HostEngine(host.node, network_state, record, chooser, neighbours, options).send(what);
}

engine::HostOutcome Lab::send(const FlowKey& sent, bool choose_source, const std::string& bound) {
  return send(engine::LocalSend{sent, choose_source, bound});
}

std::string Lab::assumptions() const {
  std::string text;
  for (const auto& a : record.assumptions) text += explain::what_of(a) + " (" + explain::why_of(a) + ")\n";
  for (const auto& m : record.gaps) {
    const Gap g = explain::gap_of(m);
    text += "gap: " + g.what + " [" + g.command + "]\n";
  }
  return text;
}

}  // namespace egt::test
