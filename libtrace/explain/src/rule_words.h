// Why a netfilter rule passed a packet over, in the words of nft(8): "oif is enp1s0, the rule wants br-ex".
#pragma once

#include <string>

#include "egtrace/engine/record.h"

namespace egt::explain {

std::string passed_over_words(const engine::RuleMiss& miss);

}  // namespace egt::explain
