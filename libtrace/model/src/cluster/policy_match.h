// How a part of a policy matches one connection: shared by the kinds of policies.
#pragma once

#include <algorithm>
#include <cstdint>

#include "egtrace/cluster/policy_rules.h"

namespace egt::cluster {

enum class Match : std::uint8_t { no, yes, maybe };

Match both(Match a, Match b);

bool names_port(const std::vector<RulePorts>& ports, const PolicyQuestion& q);
// Of ports that have names those of the pod that receives decide, where it is known.
Match has_port(const PolicyRule& rule, const PolicyQuestion& q);
Match in_networks(const PolicyPeer& peer, const IpAddr& address);
Match selects_pod(const PolicyPeer& peer, const Objects& objects, const Pod& pod);

template <class IsPeer>
Match any_peer(const PolicyRule& rule, IsPeer is_peer) {
  Match best = rule.has_open_peers ? Match::maybe : Match::no;
  for (const PolicyPeer& peer : rule.peers) {
    const Match match = is_peer(peer);
    if (match == Match::yes) return match;
    if (match == Match::maybe) best = match;
  }
  return best;
}

// The other end of a connection, as a policy of one of the ends sees it.
struct OtherEnd {
  const Pod* pod = nullptr;
  IpAddr address;
};
OtherEnd other_end(const PolicyQuestion& q, PolicyDirection direction);

// By the NetworkPolicies that isolate the pod; `none` where none does. There is such a pod.
PolicyRuling ruling_of_isolating(const Objects& objects, const PolicyQuestion& question, PolicyDirection direction);

}  // namespace egt::cluster
