// A node with bridges made of flow dumps, and a packet to send through them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "egtrace/engine/ovs.h"
#include "egtrace/parsers/format.h"

namespace egt::engine {

// Takes the options it is shown by the kind of the choice, otherwise the first; keeps what it was asked.
struct ScriptedChooser : Chooser {
  std::map<Branch, std::size_t> wanted;
  std::vector<ChoicePoint> asked;
  std::size_t choose(const ChoicePoint& p) override {
    asked.push_back(p);
    const auto it = wanted.find(p.what);
    return it == wanted.end() ? 0 : it->second;
  }
};

class SwitchTest : public testing::Test {
 protected:
  cluster::Cluster cluster;
  cluster::Node& node = cluster.ensure_node("n1");
  NetworkState network_state;
  Record record;
  ScriptedChooser chooser;
  OvsOptions options;
  std::deque<std::string> texts;

  void load(const std::string& command, std::string text) {
    texts.push_back(std::move(text));
    parsers::Dump dump;
    dump.path = dump.command = command;
    dump.text = texts.back();
    dump.source = cluster.sources->add(command, dump.text, nullptr);
    parsers::Report report;
    const parsers::Format* best = nullptr;
    int sure = 0;
    for (const parsers::Format& f : parsers::ovs_ofctl_formats())
      if (const int c = f.recognise(dump).confidence; c > sure) best = &f, sure = c;
    ASSERT_NE(best, nullptr) << command;
    best->load(dump, cluster, node, report);
  }

  // `flows`: lines like "table=0,priority=10,ip actions=output:2".
  openflow::Bridge& bridge(const std::string& name, const std::vector<std::string>& flows,
                           std::initializer_list<std::uint32_t> ports = {1, 2, 3}) {
    std::string dump = "NXST_FLOW reply (xid=0x4):\n";
    for (const std::string& f : flows) {
      const std::size_t end = f.find_first_of(", ");  // behind table=N
      dump += " cookie=0x0, duration=1.0s, " + f.substr(0, end) + ", n_packets=0, n_bytes=0, " + f.substr(end + 1);
      dump += "\n";
    }
    load("ovs-ofctl dump-flows " + name, std::move(dump));
    openflow::Bridge& b = *node.bridge(name);
    for (const std::uint32_t n : ports) {
      openflow::Interface i;
      i.name = name + "-p" + std::to_string(n);
      i.ofport = n;
      b.interfaces.push_back(std::move(i));
    }
    return b;
  }

  // A row of the database Open_vSwitch.
  void row(const std::string& table, const std::string& name, ovn::Columns columns) {
    ovn::Row r;
    r.table = table;
    r.database = "OVS";
    r.uuid = table + name;
    r.columns = std::move(columns);
    r.columns.set("name", name);
    node.ovs_rows.add(std::move(r));
  }

  void patch(const std::string& a, std::uint32_t port_a, const std::string& b, std::uint32_t port_b) {
    const auto link = [&](const std::string& br, std::uint32_t port, const std::string& peer) {
      for (openflow::Interface& i : node.bridge(br)->interfaces)
        if (i.ofport == port) i.type = "patch", i.options["peer"] = peer;
    };
    link(a, port_a, b + "-p" + std::to_string(port_b));
    link(b, port_b, a + "-p" + std::to_string(port_a));
  }

  static FlowKey tcp(const char* src = "10.0.0.1", const char* dst = "10.0.0.2") {
    FlowKey k;
    k.set(FieldId::eth_src, 0x020000000001);
    k.set(FieldId::eth_dst, 0x020000000002);
    k.set(FieldId::eth_type, ethertype::ipv4);
    k.set(FieldId::nw_proto, ip_proto::tcp);
    k.set(FieldId::nw_ttl, 64);
    k.set(FieldId::tp_src, 1000);
    k.set(FieldId::tp_dst, 80);
    set_src_ip(k, *IpAddr::parse(src));
    set_dst_ip(k, *IpAddr::parse(dst));
    return k;
  }

  OvsResult run(const std::string& name, std::uint32_t in_port, const FlowKey& packet) {
    SwitchSessions sessions;
    return OvsEngine(sessions, node, network_state, record, chooser, options).run(*node.bridge(name), in_port, packet);
  }

  static std::vector<std::string> ports(const OvsResult& r) {
    std::vector<std::string> names;
    for (const OvsEmission& e : r.emissions) names.push_back(e.port ? e.port->name : "controller");
    return names;
  }

  template <class Kind>
  std::vector<Kind> steps() const {
    std::vector<Kind> found;
    for (const Step& s : record.steps)
      if (const auto* k = std::get_if<Kind>(&s.kind)) found.push_back(*k);
    return found;
  }
};

}  // namespace egt::engine
