// The sources that a route of IPv6 is for ("from fd00::/64", ip-route(8)).
#pragma once

#include <optional>

#include "egtrace/host/routing.h"

namespace egt::host {

// Kept as a word of the route's line: one of a million routes has it. Empty where the route is for all sources.
std::optional<Prefix> sources_of(const Route& route);

// Whether a word of `not_modelled` is modelled all the same, here.
bool is_sources_word(const Route& route, std::string_view word);

}  // namespace egt::host
