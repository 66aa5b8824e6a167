// Kubernetes objects about networks of pods that match a LookupTerm.
#include <fmt/format.h>

#include <algorithm>

#include "lookup/parts.h"
#include "lookup/texts.h"

namespace egt::explain {
namespace {

std::string selector_text(const cluster::LabelSelector& selector) {
  if (!selector.present) return {};
  std::vector<std::string> parts;
  for (const auto& [key, value] : selector.match_labels) parts.push_back(key + "=" + value);
  for (const cluster::LabelRequirement& r : selector.expressions)
    parts.push_back(r.values.empty() ? fmt::format("{} {}", r.key, r.op)
                                     : fmt::format("{} {} ({})", r.key, r.op, fmt::join(r.values, ", ")));
  return parts.empty() ? "all" : fmt::format("{}", fmt::join(parts, ", "));
}

std::string kind_in_words(const std::string& kind) {
  if (kind == "NetworkAttachmentDefinition") return "network attachment";
  return kind == "UserDefinedNetwork" ? "user-defined network" : "cluster user-defined network";
}

std::string transport_in_words(cluster::Transport transport) {
  constexpr const char* kWords[] = {"", "no-overlay", "EVPN"};
  return kWords[static_cast<std::size_t>(transport)];
}

std::string accepted_in_words(const std::optional<bool>& accepted, const std::string& why_not) {
  if (!accepted) return {};
  return *accepted ? "yes" : "no: " + why_not;
}

// The key of its attachments, its own name, or how rows of OVN call it; or an address of its subnets.
bool is_network(const LookupTerm& term, const cluster::NetworkDefinition& network) {
  const bool named =
      term.text == network.full_name() || term.text == network.name || (!network.network.empty() && term.text == network.network);
  return (!term.kind && named) ||
         (term.address && std::any_of(network.subnets.begin(), network.subnets.end(),
                                      [&](const Prefix& subnet) { return subnet.contains(*term.address); }));
}

void add_network(MatchList& matches, const cluster::NetworkDefinition& network) {
  matches.add(kind_in_words(network.kind), network.full_name(), nullptr,
              {{"network", network.network},
               {"plugin", network.plugin},
               {"topology", network.topology},
               {"role", network.role},
               {"transport", transport_in_words(network.transport)},
               {"transport accepted", accepted_in_words(network.transport_accepted, network.why_not_accepted)},
               {"subnets", prefixes_text(network.subnets)},
               {"physical network", network.physical},
               {"vlan", network.vlan ? std::to_string(*network.vlan) : ""},
               {"device", network.master},
               {"uplinks", joined(network.uplinks, [](const std::string& name) { return name; })}},
              {network.from});
}

}  // namespace

void find_networks(const cluster::Objects& o, const LookupTerm& term, MatchList& matches) {
  for (const auto* all : {&o.network_attachments, &o.user_defined_networks})
    for (const cluster::NetworkDefinition& one : *all)
      if (is_network(term, one)) add_network(matches, one);
  for (const cluster::RouteAdvertisement& ra : o.route_advertisements) {
    if (term.kind || term.text != ra.name) continue;
    std::vector<std::string> what;
    if (ra.pods) what.emplace_back("pods");
    if (ra.egress_ips) what.emplace_back("egress IPs");
    matches.add("route advertisements", ra.name, nullptr,
                {{"advertises", fmt::format("{}", fmt::join(what, ", "))},
                 {"default network", ra.default_network ? "yes" : ""},
                 {"networks", selector_text(ra.networks)},
                 {"nodes", selector_text(ra.nodes)},
                 {"VRF", ra.target_vrf},
                 {"accepted", accepted_in_words(ra.accepted, ra.why_not_accepted)}},
                {ra.from});
  }
  for (const cluster::NetworkObject& object : o.network_objects) {
    const bool named = !term.kind && (term.text == object.full_name() || term.text == object.name);
    const bool holds = term.address && std::any_of(object.prefixes.begin(), object.prefixes.end(),
                                                   [&](const Prefix& p) { return p.contains(*term.address); });
    if (!named && !holds) continue;
    MatchList::Facts facts = object.facts;
    facts.insert(facts.begin(), {"prefixes", prefixes_text(object.prefixes)});
    matches.add(object.kind, object.full_name(), nullptr, std::move(facts), {object.from});
  }
}

}  // namespace egt::explain
