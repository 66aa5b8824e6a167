// A translation on the path of a pod's packets that has never counted one, while others of its chain have, and flows
// that match this pod alone have as well: the packets go another way than the rules say.
#include <fmt/format.h>

#include <algorithm>

#include "common/evidence.h"
#include "common/look.h"
#include "egtrace/base/text.h"
#include "triage/checks.h"

namespace egt::assess {
namespace translation_never_counted {

bool has_counted_neighbour(const engine::JudgedRule& rule) {
  return rule.chain != nullptr && std::any_of(rule.chain->rules.begin(), rule.chain->rules.end(),
                                              [](const netfilter::Rule& r) { return r.packets.value_or(0) > 0; });
}

// A line of a flow dump that matches this source alone and has counted packets.
bool has_counted(const explain::EvidenceLine& line, const IpAddr& pod) {
  const std::string source = pod.is_v4() ? "nw_src=" : "ipv6_src=";
  const std::size_t at = line.text.find(source + pod.to_string());
  if (at == std::string::npos) return false;
  const std::size_t end = at + source.size() + pod.to_string().size();
  if (end < line.text.size() && line.text[end] != ',' && line.text[end] != ' ') return false;
  const std::size_t counter = line.text.find("n_packets=");
  return counter != std::string::npos && !std::string_view(line.text).substr(counter).starts_with("n_packets=0,");
}

// Of the pod's way out, as it is predicted.
explain::Evidence counted_flows(const Facts& f, const KnownPod& pod, const IpAddr& address) {
  explain::Evidence lines;
  const auto from = explain::parse_point(pod.full_name());
  const auto to = explain::parse_point(outside(f.cluster, address.family).address.to_string());
  if (!from || !to) return lines;
  explain::Question q;
  q.from = *from;
  q.to = *to;
  const auto x = f.explainer.explain(q);
  if (!x) return lines;
  for (const explain::WayReport& way : x->ways)
    for (const explain::Hop& hop : way.hops)
      for (const explain::EvidenceLine& line : hop.evidence)
        if (has_counted(line, address) && std::find(lines.begin(), lines.end(), line) == lines.end())
          lines.push_back(line);
  return lines;
}

void run(const Facts& f, Findings& out) {
  for (const EgressPlace& place : f.places) {
    const cluster::Node* node = f.cluster.node(place.node);
    if (node == nullptr || place.network != EgressNetwork::host || out.has_cause(place.name())) continue;
    for (const KnownPod* pod : place.pods) {
      const IpAddr& address = *pod->address(place.address.family);
      const auto rules = host_snat_for(f.cluster, *node, address, outside(f.cluster, place.address.family).address);
      const auto rule =
          std::find_if(rules.begin(), rules.end(), [&](const auto& r) { return translates_to(r, place.address); });
      if (rule == rules.end() || rule->rule->packets != 0 || !has_counted_neighbour(*rule)) continue;
      const explain::Evidence counted = counted_flows(f, *pod, address);
      if (counted.empty()) continue;
      explain::Evidence lines = evidence(f.cluster, {rule->rule->from});
      lines.insert(lines.end(), counted.begin(), counted.end());
      out.add(
          fmt::format("The rule that translates pod {} ({}) to egress IP {} on {} has never counted a packet, while "
                      "others of chain {} have and flows for this pod have: its packets go another way.",
                      pod->full_name(), address.to_string(), place.address.to_string(), place.node, rule->chain->name),
          place.node, place.name(), std::move(lines),
          fmt::format("conntrack -L -s {} on {}: connections that are older than the rule never meet it; then "
                      "egtrace explain SNAPSHOT --from {} --to {}.",
                      address.to_string(), place.node, pod->full_name(),
                      outside(f.cluster, place.address.family).address.to_string()));
    }
  }
}

}  // namespace translation_never_counted

const Check kTranslationNeverCounted{"translation-never-counted", "A translation that no packet has ever reached",
                                     Severity::warning, needs_egress_ips, translation_never_counted::run};

}  // namespace egt::assess
