// From a NAT statement to the address and port that the kernel would set up.
#pragma once

#include <optional>

#include "netfilter_position.h"

namespace egt::engine {

// `decision` absent: the rule does not apply. Of the decision, what names the rule is the caller's to fill in.
struct NatLookup {
  std::optional<NatDecision> decision;
  std::optional<Unknown> unknown;  // what would decide it
};
NatLookup look_up(const netfilter::NatTarget& t, RulePosition& at, Record& record);

}  // namespace egt::engine
