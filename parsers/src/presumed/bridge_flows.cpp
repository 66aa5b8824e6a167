// Flows of the external bridge as go-controller/pkg/node/bridgeconfig writes them (gateway_shared_intf.go in releases before 1.1).
#include <fmt/format.h>

#include <iterator>

#include "presumed/texts.h"

namespace egt::parsers::presumed {
namespace {

constexpr std::uint32_t kFirstNetworkMark = 3;  // of connections of user-defined networks (ctMarkUDNBase of node/gateway_udn.go)

class Flows {
 public:
  explicit Flows(const NodeFacts& facts) : facts_(facts), mac_(facts.mac ? facts.mac->to_string() : "") {}

  std::string text() && { return std::move(text_); }

  void tunnels() {
    add("priority=205,udp,in_port={0},dl_dst={1},tp_dst=6081 actions=LOCAL", kUplinkPort, mac_);
    add("priority=205,udp6,in_port={0},dl_dst={1},tp_dst=6081 actions=LOCAL", kUplinkPort, mac_);
    for (const char* proto : {"udp", "udp6"})
      add("priority=200,{1},in_port=LOCAL,tp_dst=6081 actions=output:{0}", kUplinkPort, proto);
  }

  void leaving(const char* proto) {
    add("priority=100,{3},in_port={1},dl_src={2} actions=ct(commit,zone=64000,exec(load:0x1->NXM_NX_CT_MARK[])),output:{0}",
        kUplinkPort, kPatchPort, mac_, proto);
    add("priority=100,{1},in_port=LOCAL actions=ct(commit,zone=64000,exec(load:0x2->NXM_NX_CT_MARK[])),output:{0}", kUplinkPort,
        proto);
    add("priority=50,{1},in_port={0} actions=ct(table=1,zone=64000,nat)", kUplinkPort, proto);
  }

  // Of the host, which reaches services through the gateway router under an address that is its own alone. What comes back
  // from there to a service is not load-balanced.
  void own_services() {
    for (const Prefix& all : facts_.services) {
      for (const Prefix& masquerade : facts_.masquerade) {
        if (masquerade.address.family != all.address.family) continue;
        add("priority=500,{1},in_port=LOCAL,{2}={3} actions=ct(commit,table=2,zone=64001,nat(src={0}))",
            masquerade.address.to_string(), proto(all), destination(all), all.to_string());
        add("priority=500,{1},in_port={0},{2}={3},{4}={5} actions=ct(table=3,zone=64001,nat)", kPatchPort, proto(all),
            source(all), all.to_string(), destination(all), masquerade.network().to_string());
      }
      add("priority=105,{1},in_port={0},{2}={3} actions=drop", kPatchPort, proto(all), destination(all), all.to_string());
    }
    add("table=2,priority=100 actions=mod_dl_dst:{1},output:{0}", kPatchPort, mac_);
    add("table=3,priority=100 actions=move:NXM_OF_ETH_DST[]->NXM_OF_ETH_SRC[],mod_dl_dst:{0},LOCAL", mac_);
  }

  // Pods whose packets no gateway router translates are the node's own alone.
  void pods() {
    for (const Prefix& own : facts_.management)
      add("priority=109,{3},in_port={1},dl_src={2},{4}={5} "
          "actions=ct(commit,zone=64000,exec(load:0x1->NXM_NX_CT_MARK[])),output:{0}",
          kUplinkPort, kPatchPort, mac_, proto(own), source(own), own.network().to_string());
    for (const Prefix& all : facts_.cluster_subnets)
      add("priority=104,{1},in_port={0},{2}={3} actions=drop", kPatchPort, proto(all), source(all), all.to_string());
    for (const Prefix& all : facts_.cluster_subnets)
      add("table=1,priority=15,{1},{2}={3} actions=output:{0}", kPatchPort, proto(all), destination(all), all.to_string());
    for (const Prefix& own : facts_.addresses)
      add("priority=105,pkt_mark=0x3f0,{3},in_port={1},dl_src={2} "
          "actions=ct(commit,zone=64000,nat(src={4}),exec(load:0x1->NXM_NX_CT_MARK[])),output:{0}",
          kUplinkPort, kPatchPort, mac_, proto(own), own.address.to_string());
  }

  void answers(const char* proto) {
    for (const char* state : {"+est", "+rel"}) {
      add("table=1,priority=100,ct_state={2}+trk,ct_mark=0x1,{1} actions=output:{0}", kPatchPort, proto, state);
      add("table=1,priority=100,ct_state={1}+trk,ct_mark=0x2,{0} actions=LOCAL", proto, state);
    }
  }

  // Addresses of services that the world outside reaches.
  void services(const cluster::Objects& objects) {
    for (const cluster::Service& service : objects.services)
      for (const cluster::ServicePort& port : service.ports) {
        const std::string proto = port.protocol == "UDP" ? "udp" : port.protocol == "SCTP" ? "sctp" : "tcp";
        for (const auto* addresses : {&service.external_ips, &service.load_balancer_ips})
          for (const IpAddr& address : *addresses)
            add("priority=110,{1}{2},in_port={0},{3}={4},tp_dst={5} actions=output:{6}", kUplinkPort, proto,
                address.is_v4() ? "" : "6", address.is_v4() ? "nw_dst" : "ipv6_dst", address.to_string(), port.port, kPatchPort);
        if (port.node_port == 0) continue;
        for (const Prefix& own : facts_.addresses)
          add("priority=110,{1}{2},in_port={0},{3}={4},tp_dst={5} actions=output:{6}", kUplinkPort, proto,
              own.address.is_v4() ? "" : "6", destination(own), own.address.to_string(), port.node_port, kPatchPort);
      }
  }

  // What a user-defined network sends becomes the node's, or an egress IP's, behind the address that its gateway router gave it.
  void network(const OtherNetwork& other, std::uint32_t port) {
    const std::uint32_t mark = kFirstNetworkMark + other.id;
    for (const IpAddr& masquerade : other.masquerade) {
      const Prefix from = Prefix::host(masquerade);
      for (const Prefix& own : facts_.addresses)
        if (own.address.family == masquerade.family)
          add("priority=100,{3},in_port={1},dl_src={2},{4}={5} "
              "actions=ct(commit,zone=64000,nat(src={6}),exec(load:{7:#x}->NXM_NX_CT_MARK[])),output:{0}",
              kUplinkPort, port, mac_, proto(from), source(from), masquerade.to_string(), own.address.to_string(), mark);
      for (const char* state : {"+est", "+rel"})
        add("table=1,priority=100,ct_state={2}+trk,ct_mark={3:#x},{1} actions=output:{0}", port, proto(from), state, mark);
    }
    for (const auto& egress_ip : facts_.marked_egress_ips) {
      const Prefix to = Prefix::host(egress_ip.address);
      add("priority=105,pkt_mark={4:#x},{3},in_port={1},dl_src={2} "
          "actions=ct(commit,zone=64000,nat(src={5}),exec(load:{6:#x}->NXM_NX_CT_MARK[])),output:{0}",
          kUplinkPort, port, mac_, proto(to), egress_ip.mark, egress_ip.address.to_string(), mark);
    }
    for (const Prefix& all : facts_.services)
      add("priority=115,{1},in_port={0},{2}={3} actions=drop", port, proto(all), destination(all), all.to_string());
    add("priority=10,in_port={0},dl_src={1} actions=NORMAL", port, mac_);
    add("priority=9,in_port={0} actions=drop", port);
  }

  void rest() {
    std::string patches = fmt::format("output:{}", kPatchPort);
    for (std::uint32_t i = 0; i < facts_.other_networks.size(); ++i) patches += fmt::format(",output:{}", kPatchPort + 1 + i);
    add("priority=10,in_port={0},dl_dst={1} actions=LOCAL,{2}", kUplinkPort, mac_, patches);
    add("priority=10,in_port={0},dl_src={1} actions=NORMAL", kPatchPort, mac_);
    add("priority=9,in_port={0} actions=drop", kPatchPort);
    add("priority=0 actions=NORMAL");
    add("table=1,priority=10,dl_dst={0} actions=LOCAL", mac_);
    add("table=1,priority=0 actions=NORMAL");
  }

 private:
  template <class... Args>
  void add(fmt::format_string<Args...> line, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), " cookie=0xdeff105, ");
    fmt::format_to(std::back_inserter(text_), line, std::forward<Args>(args)...);
    text_ += '\n';
  }
  static const char* proto(const Prefix& p) { return p.address.is_v4() ? "ip" : "ipv6"; }
  static const char* source(const Prefix& p) { return p.address.is_v4() ? "nw_src" : "ipv6_src"; }
  static const char* destination(const Prefix& p) { return p.address.is_v4() ? "nw_dst" : "ipv6_dst"; }

  const NodeFacts& facts_;
  std::string mac_, text_;
};

}  // namespace

PresumedDump bridge_flows(const NodeFacts& facts, const cluster::Objects& objects) {
  Flows flows(facts);
  flows.tunnels();
  if (!facts.local_gateway) flows.services(objects);  // else the host translates them first
  flows.own_services();
  flows.pods();
  for (const char* proto : {"ip", "ipv6"}) {
    flows.leaving(proto);
    flows.answers(proto);
  }
  for (std::uint32_t i = 0; i < facts.other_networks.size(); ++i) flows.network(facts.other_networks[i], kPatchPort + 1 + i);
  flows.rest();
  return {"ovs-ofctl dump-flows", "ovs-ofctl dump-flows " + facts.bridge, std::move(flows).text()};
}

}  // namespace egt::parsers::presumed
