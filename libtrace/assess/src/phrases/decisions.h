// What decided the path of a packet.
#pragma once

#include <cstdint>
#include <string>

#include "egtrace/base/term.h"

namespace egt::assess {

enum class Decision : std::uint8_t {
  stop,     // where and why, and on whose behalf
  snat,     // who translates, and where the rule stands
  hop,      // the last one that decided
  no_snat,  // nor any hop
};

std::string phrase(Decision decision, const Terms& about);

}  // namespace egt::assess
