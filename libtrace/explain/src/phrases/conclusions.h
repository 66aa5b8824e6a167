// What was checked for an answer, what was not, and what to look at next: values and their words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "egtrace/base/term.h"
#include "egtrace/explain/explanation.h"

namespace egt::explain {

// What an answer rests on, in the order in which it is listed.
enum class Aspect : std::uint8_t { flows, groups, connections, rules, routes, neighbours, tunnels };

enum class Unchecked : std::uint8_t {
  underlay,   // what lies between the ends of a tunnel
  listener,
  reply,
};

std::string_view name_of(Aspect aspect);
NotChecked phrase(Unchecked unchecked, const Terms& about);
// How to see what nearly decided otherwise.
std::string next_at(const StopReport& at);

}  // namespace egt::explain
