// What the extensions of iptables refuse though each word of a rule is known: options that miss, that stand twice, that
// exclude each other or that cannot be negated. No dump of the tool has such a rule; a damaged or typed text may.
#pragma once

#include <string>

#include "iptables/tree.h"

namespace egt::parsers::iptables {

// Empty where nothing is wrong.
std::string why_refused(const Rule& rule);

}  // namespace egt::parsers::iptables
