// Tables of phrases of findings. base/fill.h has the language of the words; {node} and {object} are those of the finding.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "egtrace/assess/claim.h"

namespace egt::assess {

struct ClaimPhrase {
  Claim claim;
  std::string_view words, next;
};

// Whether a table has a row for each value from its first to its last one: it is then indexed by value.
template <std::size_t N>
constexpr bool are_in_order(const ClaimPhrase (&table)[N]) {
  for (std::size_t i = 0; i < N; ++i)
    if (static_cast<std::size_t>(table[i].claim) != static_cast<std::size_t>(table[0].claim) + i) return false;
  return true;
}

std::span<const ClaimPhrase> claims_of_egress_ips();
std::span<const ClaimPhrase> claims_of_egress_services();
std::span<const ClaimPhrase> claims_of_gateways();
std::span<const ClaimPhrase> claims_of_databases();
std::span<const ClaimPhrase> claims_of_tunnels();
std::span<const ClaimPhrase> claims_of_switches();
std::span<const ClaimPhrase> claims_of_services();
std::span<const ClaimPhrase> claims_of_policies();
std::span<const ClaimPhrase> claims_of_connections();
std::span<const ClaimPhrase> claims_of_causes();

const ClaimPhrase& phrase_of(Claim claim);

}  // namespace egt::assess
