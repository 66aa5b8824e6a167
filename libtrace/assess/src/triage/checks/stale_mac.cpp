// OVN has a MAC address for a next hop that is another device's: frames reach the wrong device, or none.
#include <algorithm>
#include <set>
#include <utility>

#include "common/evidence.h"
#include "common/look.h"
#include "egtrace/ovn/rows/nb.h"
#include "egtrace/ovn/rows/sb.h"
#include "triage/checks.h"

namespace egt::assess {
namespace stale_mac {

// The device that has the address, if one node alone has it.
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

// `fixed`: of Static_MAC_Binding.
template <class Binding>
void judge(const Facts& f, const cluster::Node& node, const Binding& row, bool fixed, std::vector<Stale>& all) {
  const auto address = IpAddr::parse(row.ip());
  const auto mac = MacAddr::parse(row.mac());
  if (!address || !mac) return;
  const Owner owner = owner_of(f.cluster, *address);
  if (owner.node == nullptr || owner.node == &node || !owner.link->mac || *owner.link->mac == *mac) return;
  const auto& links = owner.node->host.links.value;
  const auto other = std::find_if(links.begin(), links.end(), [&](const host::Link& l) { return l.mac == *mac; });
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
  same->uuids.push_back(row.uuid().empty() ? "UUID" : row.uuid());
  same->rows.push_back(line_within(f.cluster, row.from(), "mac "));
}

// Address and port of static bindings that override: what is learned there is idle.
std::set<std::pair<std::string, std::string>> overridden(const cluster::Node& node) {
  std::set<std::pair<std::string, std::string>> all;
  const auto add = [&](const auto& fixed) {
    if (fixed.override_dynamic_mac().value_or(false)) all.emplace(fixed.ip(), fixed.logical_port());
  };
  for (const auto fixed : rows_of<rows::nb::StaticMacBinding>(node.ovn.rows)) add(fixed);
  for (const auto fixed : rows_of<rows::sb::StaticMacBinding>(node.ovn.rows)) add(fixed);
  return all;
}

// Whether the node's databases show any binding.
bool judge_all(const Facts& f, const cluster::Node& node, std::vector<Stale>& stale) {
  bool shown = false;
  const auto idle = overridden(node);
  for (const auto row : rows_of<rows::sb::MacBinding>(node.ovn.rows)) {
    shown = true;
    if (!idle.contains({row.ip(), row.logical_port()})) judge(f, node, row, false, stale);
  }
  for (const auto row : rows_of<rows::nb::StaticMacBinding>(node.ovn.rows)) {
    shown = true;
    judge(f, node, row, true, stale);
  }
  for (const auto row : rows_of<rows::sb::StaticMacBinding>(node.ovn.rows)) {
    shown = true;
    // Both databases hold static bindings; the northbound one is where they are removed.
    if (!node.ovn.complete_tables.contains("NB Static_MAC_Binding")) judge(f, node, row, true, stale);
  }
  return shown;
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
  for (const auto& node : f.cluster.nodes) shown |= judge_all(f, *node, stale);
  for (const Stale& s : stale) report(f, s, out);
  if (!shown) out.lacks(Lack::mac_bindings);
}

}  // namespace stale_mac

const Check kStaleMac{"stale-mac", Severity::error, always, stale_mac::run};

}  // namespace egt::assess
