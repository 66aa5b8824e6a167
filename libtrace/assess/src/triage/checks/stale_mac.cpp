// OVN believes a next hop to be at a MAC address that another device has: frames reach the wrong device, or nobody.
#include <algorithm>

#include "common/evidence.h"
#include "common/look.h"
#include "triage/checks.h"

namespace egt::assess {
namespace stale_mac {

// The device that has the address, if one machine alone has it.
struct Owner {
  const cluster::Node* node = nullptr;
  const host::Link* link = nullptr;
};
Owner owner_of(const cluster::Cluster& cluster, const IpAddr& address) {
  Owner owner;
  for (const auto& node : cluster.nodes)
    for (const host::Link& link : node->host.links.value)
      for (const host::Address& a : link.addresses) {
        if (a.prefix.address != address) continue;
        if (owner.node != nullptr) return {};
        owner = {node.get(), &link};
      }
  return owner;
}

std::string object_of(const Facts& f, const IpAddr& next_hop) {
  for (const cluster::ExternalRoute& route : f.cluster.objects.external_routes)
    if (std::find(route.next_hops.begin(), route.next_hops.end(), next_hop) != route.next_hops.end())
      return "AdminPolicyBasedExternalRoute " + route.name;
  return {};
}

// Nodes that are wrong in the same way are shown together.
struct Stale {
  IpAddr address;
  MacAddr mac;
  Owner owner;
  Term other;          // the owner's device that has the MAC
  bool fixed = false;  // a Static_MAC_Binding
  std::vector<std::string> nodes, uuids;
  std::vector<Provenance> rows, devices;
};

void judge(const Facts& f, const cluster::Node& node, const ovn::Row& row, std::vector<Stale>& all) {
  const auto address = IpAddr::parse(text_of(row, "ip"));
  const auto mac = MacAddr::parse(text_of(row, "mac"));
  if (!address || !mac) return;
  const Owner owner = owner_of(f.cluster, *address);
  if (owner.node == nullptr || owner.node == &node || !owner.link->mac || *owner.link->mac == *mac) return;
  const auto& links = owner.node->host.links.value;
  const auto other = std::find_if(links.begin(), links.end(), [&](const host::Link& l) { return l.mac == *mac; });
  const bool fixed = row.table == "Static_MAC_Binding";
  auto same = std::find_if(all.begin(), all.end(),
                           [&](const Stale& s) { return s.address == *address && s.mac == *mac && s.fixed == fixed; });
  if (same == all.end()) {
    same = all.insert(all.end(), {*address, *mac, owner, {}, fixed, {}, {}, {}, {owner.link->from}});
    if (other != links.end()) {
      same->other = other->name;
      same->devices.push_back(other->from);
    }
  }
  if (std::find(same->nodes.begin(), same->nodes.end(), node.name) == same->nodes.end()) same->nodes.push_back(node.name);
  same->uuids.push_back(row.uuid.empty() ? "UUID" : row.uuid);
  same->rows.push_back(line_within(f.cluster, row.from, "mac "));
}

void report(const Facts& f, const Stale& s, Findings& out) {
  const bool one = s.nodes.size() == 1;
  std::vector<Provenance> proof{s.rows.front()};
  proof.insert(proof.end(), s.devices.begin(), s.devices.end());
  proof.insert(proof.end(), s.rows.begin() + 1, s.rows.end());
  out.add(Claim::stale_mac, one ? s.nodes.front() : "", object_of(f, s.address),
          {s.nodes, s.address, s.mac, s.other, s.owner.link->name, s.owner.node->name, *s.owner.link->mac, s.rows.size(), s.fixed,
           s.uuids.front(), s.nodes.front()},
          proof);
}

void run(const Facts& f, Findings& out) {
  bool shown = false;
  std::vector<Stale> stale;
  for (const auto& node : f.cluster.nodes)
    for (const ovn::Row& row : node->ovn.rows) {
      const bool fixed = row.table == "Static_MAC_Binding";
      if (!fixed && row.table != "MAC_Binding") continue;
      shown = true;
      // Both databases hold static bindings; the northbound one is where they are removed.
      if (fixed && row.database == "SB" && node->ovn.complete_tables.contains("NB Static_MAC_Binding")) continue;
      // A static binding that overrides makes the learned one idle.
      const bool overridden = !fixed && std::any_of(node->ovn.rows.begin(), node->ovn.rows.end(), [&](const ovn::Row& other) {
        return other.table == "Static_MAC_Binding" && text_of(other, "ip") == text_of(row, "ip") &&
               text_of(other, "logical_port") == text_of(row, "logical_port") && text_of(other, "override_dynamic_mac") == "true";
      });
      if (!overridden) judge(f, *node, row, stale);
    }
  for (const Stale& s : stale) report(f, s, out);
  if (!shown) out.lacks(Lack::mac_bindings);
}

}  // namespace stale_mac

const Check kStaleMac{"stale-mac", Severity::error, always, stale_mac::run};

}  // namespace egt::assess
