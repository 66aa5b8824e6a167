// OVN sends what is for a node to an address that the node does not have: its Encap row is stale, or holds a mistake.
#include <fmt/format.h>

#include <algorithm>

#include "triage/checks.h"

namespace egt::assess {
namespace tunnel_address_wrong {

// The machine that a chassis is, by its names: the address is what is in question.
const cluster::Node* machine_of(const Facts& f, const ovn::Chassis& chassis) {
  if (const cluster::Node* node = f.cluster.node(chassis.hostname)) return node;
  for (const cluster::NodeObject& object : f.cluster.objects.nodes)
    if (const auto id = object.annotations.find("k8s.ovn.org/node-chassis-id"); id != object.annotations.end() && id->second == chassis.name)
      return f.cluster.node(object.name);
  return nullptr;
}

struct Wrong {
  const cluster::Node* of = nullptr;
  IpAddr address;
  std::vector<const cluster::Node*> by;   // in whose databases it stands
  std::vector<Provenance> lines;
};

void judge(const Facts& f, const cluster::Node& node, const ovn::Chassis& chassis, std::vector<Wrong>& all, Findings& out) {
  const cluster::Node* of = machine_of(f, chassis);
  if (of == nullptr || chassis.encap_ips.empty()) return;
  if (!of->host.address_list_complete) return out.lacks(fmt::format("the addresses of {} (ip -d addr)", of->name));
  for (const IpAddr& ip : chassis.encap_ips)
    if (of->host.owner_of(ip) != nullptr) return;
  const IpAddr& address = chassis.encap_ips.front();
  auto same = std::find_if(all.begin(), all.end(), [&](const Wrong& w) { return w.of == of && w.address == address; });
  if (same == all.end()) same = all.insert(all.end(), {of, address, {}, {}});
  same->by.push_back(&node);
  same->lines.push_back(chassis.from);
}

void report(const Facts& f, const Wrong& w, Findings& out) {
  bool harms = false;
  std::string by;
  for (const cluster::Node* node : w.by) {
    harms |= out.explain_between(node->name, w.of->name);
    by += (by.empty() ? "" : ", ") + node->name;
  }
  const cluster::Node* owner = f.cluster.owner_of(w.address);
  out.weigh(harms ? Severity::error : Severity::warning);
  out.add(fmt::format("The southbound database of {} has {} as tunnel address of {}, which is {}.", by, w.address.to_string(), w.of->name,
                      owner == nullptr ? "no address of any machine of the snapshot" : fmt::format("an address of {}", owner->name)),
          w.by.front()->name, "", w.lines,
          fmt::format("ovs-vsctl get open_vswitch . external_ids:ovn-encap-ip on {0}, and ip addr there; ovn-sbctl list encap.", w.of->name));
}

void run(const Facts& f, Findings& out) {
  std::vector<Wrong> all;
  for (const auto& node : f.cluster.nodes)
    for (const ovn::Chassis& chassis : node->ovn.chassis) judge(f, *node, chassis, all, out);
  for (const Wrong& w : all) report(f, w, out);
}

}  // namespace tunnel_address_wrong

const Check kTunnelAddressWrong{"tunnel-address-wrong", "A tunnel address that its node does not have", Severity::error, always,
                                tunnel_address_wrong::run};

}  // namespace egt::assess
