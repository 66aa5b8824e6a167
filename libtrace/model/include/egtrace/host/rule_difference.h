// Two listings of one host's rules: of iptables and of nft, or of one tool twice.
#pragma once

#include <optional>
#include <string>

#include "egtrace/host/netfilter.h"

namespace egt::netfilter {

struct DifferentChain {
  std::string table, chain;
};

// The first chain that both have and of which they show another policy or other rules: not as many, or ones that match other
// addresses, devices or ports, go to other chains or translate to other addresses. What only one front end can express is not
// compared.
std::optional<DifferentChain> different_chain(const Ruleset& a, const Ruleset& b);

}  // namespace egt::netfilter
