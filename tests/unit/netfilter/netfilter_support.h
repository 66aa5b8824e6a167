// A host with rules, and a packet that passes one of its hooks.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "egtrace/cluster/cluster.h"
#include "egtrace/engine/netfilter.h"
#include "egtrace/parsers/format.h"

namespace egt::engine {

using netfilter::Hook;
using Stage = NetfilterStage;
using Outcome = HookResult::Outcome;

class ScriptedChooser : public Chooser {
 public:
  std::vector<std::size_t> answers;  // to questions in order; 0 afterwards
  std::vector<ChoicePoint> asked;
  std::size_t choose(const ChoicePoint& point) override {
    if (point.options.size() == 1) return 0;
    const std::size_t i = asked.size();
    asked.push_back(point);
    return i < answers.size() ? answers[i] : 0;
  }
};

inline void load_rules(cluster::Node& node, std::string_view text, std::string_view kind, SourceId source) {
  cluster::Cluster unused;
  parsers::Report report;
  parsers::Dump dump;
  dump.source = source;
  dump.path = std::string(kind);
  dump.command = std::string(kind);
  dump.text = text;
  const auto load_from = [&](std::span<const parsers::Format> formats) {
    for (const parsers::Format& f : formats) {
      if (f.kind == kind) f.load(dump, unused, node, report);
    }
  };
  load_from(parsers::nft_formats());
  load_from(parsers::iptables_formats());
}

// One packet at one host; TCP 10.0.0.5:40000 → 10.0.0.9:80 unless changed.
struct Scene {
  cluster::Node node;
  NetworkState network_state;
  Record record;
  ScriptedChooser chooser;
  FlowKey packet;
  Connection connection;
  std::string iif = "eth0", oif;
  PacketState state = PacketState::new_;
  bool reply = false, local_socket = false;

  explicit Scene(std::string_view nft) {
    load_rules(node, nft, "nft list ruleset", 1);
    node.host.iptables_v4.present = node.host.iptables_v6.present = true;
    set(IpAddr::v4(0x0a000005), IpAddr::v4(0x0a000009), ip_proto::tcp, 40000, 80);
  }
  Scene& iptables(std::string_view text) {
    load_rules(node, text, "iptables-save", 2);
    return *this;
  }
  void set(IpAddr from, IpAddr to, std::uint8_t proto, std::uint16_t sport, std::uint16_t dport) {
    packet = FlowKey();
    packet.set(FieldId::eth_type, from.is_v4() ? ethertype::ipv4 : ethertype::ipv6);
    packet.set(FieldId::nw_proto, proto);
    packet.set(FieldId::nw_ttl, 64);
    set_src_ip(packet, from);
    set_dst_ip(packet, to);
    packet.set(FieldId::tp_src, sport);
    packet.set(FieldId::tp_dst, dport);
    connection.original = tuple_of(packet);
    connection.reply = reversed(connection.original);
  }

  HookResult run(Hook hook, Stage stage) {
    NetfilterEngine engine(node.host, family_of(packet), "n", network_state, record, chooser);
    NetfilterContext c{.packet = packet};
    c.iif = iif;
    c.oif = oif;
    c.state = stage == Stage::before_conntrack ? PacketState::none : state;
    c.connection = stage == Stage::before_conntrack ? nullptr : &connection;
    c.reply_direction = reply;
    c.local_socket = local_socket;
    c.address_type = [](const IpAddr& a, std::string_view, bool) {
      return a == IpAddr::v4(0x0a000001) ? netfilter::AddressType::local : netfilter::AddressType::unicast;
    };
    return engine.run(hook, stage, c);
  }
  // All stages of a hook, without translating.
  HookResult pass(Hook hook) {
    HookResult last;
    for (Stage s : {Stage::before_conntrack, Stage::before_nat, Stage::nat, Stage::after_nat}) {
      last = run(hook, s);
      if (!last.goes_on()) return last;
    }
    return last;
  }
  std::uint32_t mark() const { return packet.u32(FieldId::pkt_mark); }
};

inline std::string in_chain(std::string_view header, std::string_view rules, std::string_view extra = "") {
  std::string out = "table inet t {\n";
  out += extra;
  out += "\tchain c {\n\t\ttype ";
  out += header;
  out += "\n";
  for (std::size_t at = 0; at < rules.size();) {
    const std::size_t end = std::min(rules.find('\n', at), rules.size());
    out += "\t\t" + std::string(rules.substr(at, end - at)) + "\n";
    at = end + 1;
  }
  return out + "\t}\n}\n";
}
inline std::string in_forward(std::string_view rules, std::string_view extra = "") {
  return in_chain("filter hook forward priority filter; policy accept;", rules, extra);
}

}  // namespace egt::engine
