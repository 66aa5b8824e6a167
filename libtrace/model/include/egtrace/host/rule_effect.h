// What a rule does, apart from how a dump spells it: `iptables -S` and `iptables-save`, "-s 10.0.0.1" and
// "-s 10.0.0.1/32", names and numbers.
#pragma once

#include <optional>
#include <string>

#include "egtrace/host/netfilter.h"

namespace egt::netfilter {

// Equal for rules that do the same. None where the rule has parts of which only the text shows what they do. The text is
// for comparing alone.
std::optional<std::string> effect_of(const Rule& rule);

}  // namespace egt::netfilter
