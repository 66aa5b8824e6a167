// A translation on the predicted path of a pod's packets that has never counted one, while others of its chain or table
// have, and so has what sends this pod's packets there: they take another path than by the rules.
#include <algorithm>
#include <optional>

#include "common/evidence.h"
#include "egtrace/base/text.h"
#include "triage/checks.h"

namespace egt::assess {
namespace translation_never_counted {

// So many packets of a pod that at least one must have opened a connection, whatever else they were.
constexpr std::uint64_t kMany = 10;

struct Inconsistency {
  const explain::Hop *sent = nullptr, *translation = nullptr;
};

// Whether the line of a flow dump asks for this source alone.
bool is_for(const explain::Hop& hop, const IpAddr& pod) {
  const std::string term = (pod.is_v4() ? "nw_src=" : "ipv6_src=") + pod.to_string();
  return std::any_of(hop.evidence.begin(), hop.evidence.end(), [&](const explain::EvidenceLine& line) {
    const std::size_t at = line.text.find(term);
    const std::size_t end = at + term.size();
    return at != std::string::npos && end < line.text.size() && (line.text[end] == ',' || line.text[end] == ' ');
  });
}

// A policy takes those of a pod's packets alone that leave the cluster; what its port and the guards of its addresses
// count, on the other hand, is all that it sends.
bool is_reroute(const explain::Hop& hop) {
  return std::any_of(hop.rows.begin(), hop.rows.end(),
                     [](const explain::RowRef& row) { return row.table == "Logical_Router_Policy"; }) ||
         std::any_of(hop.lflows.begin(), hop.lflows.end(),
                     [](const explain::LflowRef& flow) { return flow.stage.starts_with("lr_in_policy"); });
}

bool translates(const explain::PathReport& path, const explain::Hop& hop) {
  return std::any_of(path.snat.begin(), path.snat.end(), [&](const explain::NatReport& nat) {
    return nat.node == hop.node && !nat.evidence.empty() && !hop.evidence.empty() && nat.evidence.front() == hop.evidence.front();
  });
}

// Null pointers where the path's counters agree with it, or decide nothing.
Inconsistency inconsistency(const explain::PathReport& path, const IpAddr& pod) {
  Inconsistency c;
  for (const explain::Hop& hop : path.hops) {
    if (!hop.counted) continue;
    if (hop.counted->packets >= kMany && is_reroute(hop) && is_for(hop, pod)) c.sent = &hop;
    if (c.sent != nullptr && hop.counted->never() && translates(path, hop)) c.translation = &hop;
  }
  return c.translation != nullptr ? c : Inconsistency{};
}

// What counts against the path of a pod's packets.
struct Judged {
  explain::Hop sent, translation;
};

std::optional<Judged> look(const explain::Explainer& explainer, const ClaimedPod& of) {
  const std::string to = outside(explainer.cluster(), of.claim->family).to_string();
  const auto from_point = explain::parse_point(of.pod->full_name()), to_point = explain::parse_point(to);
  if (!from_point || !to_point) return std::nullopt;
  explain::Question q;
  q.from = *from_point;
  q.to = *to_point;
  q.use_conntrack = false;  // the path of new connections
  q.counters = true;
  q.one_way = true;
  const auto x = explainer.explain(q);
  if (!x || x->paths.empty()) return std::nullopt;
  // Where there are several paths, all may have gone by one of them.
  Inconsistency found;
  for (const explain::PathReport& path : x->paths) {
    found = inconsistency(path, *of.pod->address(of.claim->family));
    if (found.translation == nullptr) return std::nullopt;
  }
  return Judged{*found.sent, *found.translation};
}

void report(const Facts& f, const ClaimedPod& of, const Judged& judged, Findings& out) {
  const auto& [sent, translation] = judged;
  explain::Evidence lines = translation.evidence;
  for (const auto* more : {&translation.counted->neighbour, &sent.evidence})
    lines.insert(lines.end(), more->begin(), more->end());
  out.add(Claim::translation_never_counted, translation.node, of.claim->object,
          {sent.counted->packets, of.pod->full_name(), *of.pod->address(of.claim->family), translation.where,
           outside(f.cluster, of.claim->family)},
          std::move(lines));
}

void run(const Facts& f, Findings& out) {
  const auto judged = ask_claimed_pods(f, [&](const explain::Explainer& explainer, const ClaimedPod& of) {
    return out.has_cause(of.claim->object) ? std::nullopt : look(explainer, of);
  });
  for (std::size_t i = 0; i < judged.size(); ++i) {
    const ClaimedPod& of = f.claimed_pods()[i];
    if (judged[i] && !out.has_cause(of.claim->object)) report(f, of, *judged[i], out);
  }
}

}  // namespace translation_never_counted

const Check kTranslationNeverCounted{"translation-never-counted", Severity::warning, needs_egress_ips_or_services,
                                     translation_never_counted::run, Check::Finds::consequence};

}  // namespace egt::assess
