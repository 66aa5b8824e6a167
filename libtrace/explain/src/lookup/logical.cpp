// Logical datapaths and ports, chassis and conntrack zones of a node.
#include <fmt/format.h>

#include "lookup/parts.h"
#include "lookup/texts.h"

namespace egt::explain {
namespace {

bool is_datapath(const Asked& asked, const ovn::Datapath& d) {
  const LookupTerm& term = asked.term;
  return asked.is_called(d.name) || (!term.uuid.empty() && d.uuid.starts_with(term.uuid)) ||
         term.is_number("metadata", d.tunnel_key) || (term.field == "tunnel_key" && term.is_number("tunnel_key", d.tunnel_key));
}

bool is_port(const Asked& asked, const ovn::LogicalPort& p) {
  const LookupTerm& term = asked.term;
  const auto has_key = [&] {
    return term.is_number("tunnel_key", p.tunnel_key) || term.is_number("reg14", p.tunnel_key) ||
           term.is_number("reg15", p.tunnel_key);
  };
  return asked.is_called(p.name) || term.is_one_of(p.addresses) || (term.mac && p.mac == term.mac) ||
         (!term.field.empty() && has_key());
}

}  // namespace

void find_logical(const cluster::Node& node, const Asked& asked, MatchList& matches) {
  for (const ovn::Datapath& d : node.ovn.datapaths)
    if (is_datapath(asked, d))
      matches.add(d.is_router ? "logical router" : "logical switch", d.name, &node,
                  {{"tunnel key", d.tunnel_key ? fmt::format("{} (metadata {:#x})", *d.tunnel_key, *d.tunnel_key) : ""},
                   {"datapath binding", d.uuid}},
                  {d.from});
  for (const ovn::LogicalPort& p : node.ovn.ports)
    if (is_port(asked, p))
      matches.add("logical port", p.name, &node,
                  {{"type", p.type},
                   {"on", p.datapath},
                   {"addresses", prefixes_text(p.addresses)},
                   {"mac", p.mac ? p.mac->to_string() : ""},
                   {"tunnel key", p.tunnel_key ? std::to_string(*p.tunnel_key) : ""},
                   {"peer", p.peer},
                   {"chassis", p.chassis}},
                  {p.from});
  for (const ovn::Chassis& c : node.ovn.chassis)
    if (asked.is_called(c.name) || asked.is_called(c.hostname) || asked.term.is_one_of(c.encap_ips))
      matches.add("chassis", c.hostname.empty() ? c.name : c.hostname, &node,
                  {{"name", c.name}, {"encapsulation", addresses_text(c.encap_ips)}}, {c.from});
  for (const auto& [name, zone] : node.ovn.ct_zones)
    if (asked.is_called(name) || asked.term.is_number("zone", zone) || asked.term.is_number("ct_zone", zone))
      matches.add("conntrack zone", std::to_string(zone), &node, {{"of", name}}, {});
}

}  // namespace egt::explain
