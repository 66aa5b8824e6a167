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
  underlay,  // what lies between the ends of a tunnel
  listener,
  reply,
  offload,          // node
  security_groups,  // cloud; what lists them
};

std::string_view name_of(Aspect aspect);
NotChecked phrase(Unchecked unchecked, const Terms& about);
// Of a cloud by the scheme of its nodes' providerID: what it calls its firewalls, and what lists them. Null: no cloud.
struct Cloud {
  std::string_view scheme, firewalls, command;
};
const Cloud* cloud_of(std::string_view scheme);
// How to see what nearly decided otherwise.
std::string next_at(const StopReport& at);

}  // namespace egt::explain
