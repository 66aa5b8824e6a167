// A port of Open vSwitch that pods, tunnels or bridges need, and whose OpenFlow configuration or state drops packets, or that a
// mirror has taken for its copies.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "egtrace/openflow/tunnel_type.h"
#include "egtrace/ovn/rows/vswitch.h"
#include "triage/checks.h"

namespace egt::assess {
namespace port_flag {

using engine::Reason;
using openflow::Bridge;
using openflow::Interface;
namespace vswitch = rows::vswitch;

// What uses a port that is not a pod's.
enum class Use : std::uint8_t { tunnels, bridges, host, node };

struct Port {
  const cluster::Node* node = nullptr;
  const Bridge* bridge = nullptr;
  const Interface* port = nullptr;
  std::optional<Use> use;
};

// The pod of an interface as the CNI of OVN-Kubernetes names it: "shop_cart".
const KnownPod* pod_of(const Facts& f, const Interface& port) {
  const auto id = port.external_ids.find("iface-id");
  if (id == port.external_ids.end()) return nullptr;
  const auto pod = std::find_if(f.pods.begin(), f.pods.end(), [&](const KnownPod& p) {
    return cluster::logical_port_name(p.namespace_, p.name) == id->second;
  });
  return pod == f.pods.end() ? nullptr : &*pod;
}

// What the port is for; nothing where no dump shows that it is used. The device of a bridge without addresses is none: it is down in
// every cluster.
std::optional<Use> use_of(const cluster::Node& node, const Bridge& bridge, const Interface& port) {
  if (openflow::is_tunnel_type(port.type)) return Use::tunnels;
  if (port.type == "patch") return Use::bridges;
  const host::Link* link = node.host.link(port.name);
  if (port.type == "internal" || port.name == bridge.name)
    return link != nullptr && !link->addresses.empty() ? std::optional(Use::host) : std::nullopt;
  return &bridge != node.integration_bridge() ? std::optional(Use::node) : std::nullopt;
}

bool is_uplink(const Port& p) {
  return p.port->type != "patch" && p.bridge != p.node->integration_bridge() && p.port->name != p.bridge->name;
}

// The flags that drop, as ovs-ofctl(8) prints them, and how walks call what they do. An uplink that is down is another check's.
struct Dropping {
  std::vector<std::string> flags;
  std::vector<Reason> reasons;
};
Dropping dropping(const Port& p) {
  Dropping d;
  const auto add = [&](bool is_set, const char* flag, std::vector<Reason> reasons) {
    if (!is_set) return;
    d.flags.emplace_back(flag);
    d.reasons.insert(d.reasons.end(), reasons.begin(), reasons.end());
  };
  const host::Link* link = p.node->host.link(p.port->name);
  add(p.port->port_down && !(is_uplink(p) && link != nullptr && !link->is_up()), "PORT_DOWN",
      {Reason::port_down, Reason::device_down, Reason::no_carrier});
  add(p.port->link_down && !is_uplink(p), "LINK_DOWN", {Reason::port_down, Reason::device_down, Reason::no_carrier});
  add(p.port->no_receive, "NO_RECV", {Reason::port_no_receive});
  add(p.port->no_forward, "NO_FWD", {Reason::port_no_forward});
  return d;
}

bool names(const explain::StopReport& stop, const std::string& name) {
  return std::any_of(stop.place.about.begin(), stop.place.about.end(), [&](const engine::Detail& d) {
    const auto* text = std::get_if<std::string>(&d);
    return text != nullptr && *text == name;
  });
}

template <class View>
std::optional<View> row_of(const ovn::Rows& rows, const std::string& uuid) {
  for (const View row : ovn::rows_of<View>(rows))
    if (row.uuid() == uuid) return row;
  return std::nullopt;
}

// The mirror of the bridge whose output port it is: what comes in there is dropped, and NORMAL sends nothing by it (table Mirror of ovs-vswitchd.conf.db(5)).
std::optional<vswitch::Mirror> mirror_to(const ovn::Rows& rows, const vswitch::Bridge& bridge, const std::string& port) {
  for (const std::string& uuid : bridge.mirrors())
    if (const auto mirror = row_of<vswitch::Mirror>(rows, uuid))
      if (const auto output = row_of<vswitch::Port>(rows, mirror->output_port()); output && output->name() == port) return mirror;
  return std::nullopt;
}

void judge(const Facts& f, const Port& p, const Dropping& d, const vswitch::Mirror* mirror, Findings& out) {
  const KnownPod* pod = pod_of(f, *p.port);
  const bool harms = out.explain_all([&](const explain::StopReport& stop) {
    if (stop.node != p.node->name || std::find(d.reasons.begin(), d.reasons.end(), stop.reason) == d.reasons.end()) return false;
    return names(stop, p.bridge->name) || names(stop, p.port->name) || (pod != nullptr && names(stop, pod->full_name()));
  });
  if (pod != nullptr) out.about(*pod);
  out.weigh(harms ? Severity::error : Severity::warning);
  const Claim claim = mirror == nullptr ? Claim::port_flag : Claim::port_of_mirror;
  const Term what = mirror == nullptr ? Term(d.flags) : Term(mirror->name());
  out.add(claim, p.node->name, pod == nullptr ? "" : "Pod " + pod->full_name(),
          {p.port->name, p.bridge->name, what, pod == nullptr ? Term() : Term(pod->full_name()), p.use},
          {mirror == nullptr ? p.port->from : mirror->from()});
}

// Few bridges have mirrors.
void judge_mirrors(const Facts& f, const cluster::Node& node, const Bridge& bridge, Findings& out) {
  for (const vswitch::Bridge row : ovn::rows_of<vswitch::Bridge>(node.ovs_rows)) {
    if (row.name() != bridge.name || row.mirrors().empty()) continue;
    for (const Interface& port : bridge.interfaces)
      if (const auto mirror = mirror_to(node.ovs_rows, row, port.name))
        if (const auto use = use_of(node, bridge, port); use || pod_of(f, port) != nullptr)
          judge(f, {&node, &bridge, &port, use}, {{}, {Reason::mirror_port}}, &*mirror, out);
  }
}

void run(const Facts& f, Findings& out) {
  for (const auto& node : f.cluster.nodes) {
    if (!is_cluster_node(*node)) continue;
    for (const Bridge& bridge : node->bridges) {
      judge_mirrors(f, *node, bridge, out);
      for (const Interface& port : bridge.interfaces) {
        Port p{node.get(), &bridge, &port, {}};
        const Dropping d = dropping(p);
        if (d.flags.empty()) continue;  // before anything is looked up: most ports have none
        p.use = use_of(*node, bridge, port);
        if (p.use || pod_of(f, port) != nullptr) judge(f, p, d, nullptr, out);
      }
    }
  }
}

}  // namespace port_flag

const Check kPortFlag{"port-flag", Severity::error, always, port_flag::run};

}  // namespace egt::assess
