// OVN sends what is for a node to an address that the node does not have: its Encap row is stale, or holds a mistake.
#include <algorithm>

#include "triage/checks.h"

namespace egt::assess {
namespace tunnel_address_wrong {

// The node that a chassis is, by its names: the address is what is in question.
const cluster::Node* node_of(const Facts& f, const ovn::Chassis& chassis) {
  if (const cluster::Node* node = f.cluster.node(chassis.hostname)) return node;
  for (const cluster::NodeObject& object : f.cluster.objects.nodes)
    if (const auto id = object.annotations.find("k8s.ovn.org/node-chassis-id");
        id != object.annotations.end() && id->second == chassis.name)
      return f.cluster.node(object.name);
  return nullptr;
}

struct Wrong {
  const cluster::Node* of = nullptr;
  IpAddr address;
  std::vector<const cluster::Node*> by;  // in whose databases it stands
  std::vector<Provenance> lines;
};

void judge(const Facts& f, const cluster::Node& node, const ovn::Chassis& chassis, std::vector<Wrong>& all, Findings& out) {
  const cluster::Node* of = node_of(f, chassis);
  if (of == nullptr || chassis.encap_ips.empty()) return;
  if (!of->host.address_list_complete) return out.lacks(Lack::addresses_and_devices, {of->name});
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
  Term::Names by;
  for (const cluster::Node* node : w.by) {
    harms |= out.explain_between(node->name, w.of->name);
    by.push_back(node->name);
  }
  const cluster::Node* owner = f.cluster.owner_of(w.address);
  out.weigh(harms ? Severity::error : Severity::warning);
  out.add(Claim::tunnel_address_wrong, w.by.front()->name, "",
          {by, w.address, w.of->name, owner == nullptr ? Term() : Term(owner->name)}, w.lines);
}

void run(const Facts& f, Findings& out) {
  std::vector<Wrong> all;
  for (const auto& node : f.cluster.nodes)
    for (const ovn::Chassis& chassis : node->ovn.chassis) judge(f, *node, chassis, all, out);
  for (const Wrong& w : all) report(f, w, out);
}

}  // namespace tunnel_address_wrong

const Check kTunnelAddressWrong{"tunnel-address-wrong", Severity::error, always, tunnel_address_wrong::run};

}  // namespace egt::assess
