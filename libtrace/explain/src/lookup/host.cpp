// Hosts, their devices and neighbours.
#include <algorithm>

#include "lookup/parts.h"
#include "lookup/texts.h"

namespace egt::explain {
namespace {

std::string state_name(host::NeighbourState state) {
  constexpr std::string_view kNames[] = {"NONE",  "INCOMPLETE", "REACHABLE", "STALE",    "DELAY",
                                         "PROBE", "FAILED",     "NOARP",     "PERMANENT"};
  return std::string(kNames[static_cast<std::size_t>(state)]);
}

}  // namespace

void find_on_host(const cluster::Node& node, const Asked& asked, MatchList& matches) {
  const LookupTerm& term = asked.term;
  if (asked.is_called(node.name)) matches.add("host", node.name, &node, {{"OVS version", node.ovs_version.value_or("")}}, {});
  for (const host::Link& link : node.host.links.value) {
    const auto own = std::find_if(link.addresses.begin(), link.addresses.end(),
                                  [&](const host::Address& a) { return term.address == a.prefix.address; });
    const bool named = asked.is_called(link.name), by_mac = term.mac && link.mac == term.mac;
    if (own == link.addresses.end() && !named && !by_mac) continue;
    matches.add("device", link.name, &node,
                {{"addresses", joined(link.addresses, [](const host::Address& a) { return a.prefix.to_string(); })},
                 {"mac", link.mac ? link.mac->to_string() : ""},
                 {"state", link.state},
                 {"kind", link.kind},
                 {"master", link.master}},
                {own != link.addresses.end() ? own->from : link.from});
  }
  for (const host::Neighbour& n : node.host.neighbours.value)
    if (term.address == n.address || (term.mac && n.mac == term.mac))
      matches.add("neighbour", n.address.to_string(), &node,
                  {{"device", n.device}, {"mac", n.mac ? n.mac->to_string() : ""}, {"state", state_name(n.state)}}, {n.from});
}

void find_devices(const cluster::Node& node, const AskedObject& object, MatchList& matches) {
  for (const host::Link& link : node.host.links.value)
    for (const host::Address& a : link.addresses)
      if (object.addresses.contains(a.prefix.address))
        matches.add("device", link.name, &node, {{"has", a.prefix.to_string()}, {"state", link.state}, {"master", link.master}},
                    {a.from});
}

}  // namespace egt::explain
