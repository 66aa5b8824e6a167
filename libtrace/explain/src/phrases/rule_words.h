// Why a netfilter rule passed a packet over, in the words of nft(8): "oif is enp1s0, the rule matches br-ex"; and why a policy
// rule or a route did.
#pragma once

#include <string>

#include "egtrace/engine/record.h"

namespace egt::explain {

std::string near_miss_words(const engine::RuleMiss& miss);
std::string near_miss_words(const engine::RouteMiss& miss);
// "ip rule 6000", "route 10.1.0.0/16"
std::string near_miss_place(const engine::RouteMiss& miss);

}  // namespace egt::explain
