// A rule outside the cluster that is to stop pod addresses, for a network in which no pod is.
#include <algorithm>

#include "common/look.h"
#include "egtrace/host/rule_view.h"
#include "triage/checks.h"

namespace egt::assess {
namespace guard_cannot_match {

// The source network that a rule asks for, where it stops packets.
struct Guard {
  Prefix source;
  bool stops = false, has_source = false;
  bool asks_more = false;  // for a protocol, a port or the like: it is against an application, not against a network
};

// What a rule that keeps a network from leaving asks for: where packets come from, go to, and by which device.
bool is_of_network(netfilter::Key key) {
  using netfilter::Key;
  return key == Key::ip_saddr || key == Key::ip_daddr || key == Key::iif || key == Key::oif || key == Key::iifname ||
         key == Key::oifname || key == Key::nfproto || key == Key::ct_state;
}

void read_test(const netfilter::Statement& s, Guard& guard) {
  const auto c = netfilter::comparison(s);
  if (c && !is_of_network(c->key)) guard.asks_more = true;
  if (!c || c->key != netfilter::Key::ip_saddr || c->op != netfilter::Op::eq) return;
  if (const auto* range = get_if_boxed<netfilter::NumberRange>(c->value)) {
    const U128 size = range->last - range->first;
    std::uint8_t length = 32;
    for (U128 bits = size; bits != 0 && length > 0; bits >>= 1) --length;
    guard.source = {IpAddr::v4(static_cast<std::uint32_t>(range->first)), length};
    guard.has_source = true;
  }
}

Guard guard_of(const netfilter::Rule& rule) {
  Guard guard;
  for (const netfilter::Statement& s : rule.statements) {
    read_test(s, guard);
    if (const auto* verdict = std::get_if<netfilter::VerdictStatement>(&s))
      guard.stops |=
          verdict->verdict.kind == netfilter::Verdict::Kind::drop || verdict->verdict.kind == netfilter::Verdict::Kind::reject;
  }
  return guard;
}

std::vector<Prefix> pod_networks(const Facts& f) {
  std::vector<Prefix> all;
  for (const cluster::NodeObject& node : f.cluster.objects.nodes)
    for (const Prefix& p : node.pod_subnets)
      if (p.address.is_v4()) all.push_back(p.network());
  for (const KnownPod& pod : f.pods)
    if (const IpAddr* a = pod.host_network ? nullptr : pod.address(Family::v4)) all.push_back(Prefix::host(*a));
  return all;
}

// Meant for pods: as wide as a cluster's network, and in the same private block as the pods.
bool is_meant_for_pods(const Prefix& source, const std::vector<Prefix>& pods) {
  constexpr std::uint8_t kWidest = 8, kNarrowest = 24;
  if (source.length < kWidest || source.length > kNarrowest) return false;
  return std::any_of(pods.begin(), pods.end(),
                     [&](const Prefix& p) { return (p.address.as_v4() >> 24) == (source.address.as_v4() >> 24); });
}

bool pods_leave(const Facts& f) {
  return std::any_of(f.connections().begin(), f.connections().end(), [](const AuditRow& row) {
    return !row.pod.empty() && is_outside(row.to_kind) && row.source_seen && row.source_seen->ip == row.ip;
  });
}

void run(const Facts& f, Findings& out) {
  const std::vector<Prefix> pods = pod_networks(f);
  for (const cluster::Node* node : outside_nodes(f.cluster))
    for (const auto* part : {&dumped_host(*node).iptables_v4, &dumped_host(*node).nft})
      for (const netfilter::Table& table : part->value.tables)
        for (const netfilter::Chain& chain : table.chains)
          for (const netfilter::Rule& rule : chain.rules) {
            const Guard guard = guard_of(rule);
            if (!guard.stops || !guard.has_source || guard.asks_more || !is_meant_for_pods(guard.source, pods)) continue;
            if (std::any_of(pods.begin(), pods.end(),
                            [&](const Prefix& p) { return guard.source.contains(p) || p.contains(guard.source); }))
              continue;
            // Where nothing leaves with a pod's address there is nothing that it would have to stop.
            out.weigh(pods_leave(f) ? Severity::warning : Severity::note);
            out.add(Claim::guard_cannot_match, node->name, "", {chain.name, guard.source}, {rule.from});
          }
}

std::optional<Lack> lacks(const Facts& f) { return lack_if(outside_nodes(f.cluster).empty(), Lack::gateway_rules); }

}  // namespace guard_cannot_match

const Check kGuardCannotMatch{"guard-cannot-match", Severity::warning, guard_cannot_match::lacks, guard_cannot_match::run};

}  // namespace egt::assess
