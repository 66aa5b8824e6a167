// What a list of actions does, apart from how a dump spells it: OpenFlow 1.0 has `mod_dl_src`, NXM `load` and two names
// for one field, OpenFlow 1.5 has `set_field`, and dumps with --names have names where others have numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "egtrace/openflow/action.h"

namespace egt::openflow {

// The number of a port that a dump has by name; none: not known, and the name itself is compared.
using PortNumber = std::function<std::optional<std::uint32_t>(std::string_view name)>;

// Equal for lists that do the same, as far as dumps show: OpenFlow 1.0 and 1.1 lose the masks of addresses written in
// part. The text is for comparing alone.
std::string effect_of(const ActionList& actions, const PortNumber& ports = {});

inline bool have_equal_effects(const ActionList& a, const ActionList& b) { return effect_of(a) == effect_of(b); }

}  // namespace egt::openflow
