// What policy rules ask of a packet: fib_rule_match() of net/core/fib_rules.c, fib4_rule_match(), fib6_rule_match().
#pragma once

#include <string_view>
#include <vector>

#include "egtrace/engine/routing.h"

namespace egt::engine {

// The VRF device that a device is or belongs to; null: none.
const host::Link* vrf_of(const host::Host& host, std::string_view device);
bool is_vrf(const host::Host& host, std::string_view device);

// The selectors that the rule states.
std::vector<Selector> stated_selectors(const host::PolicyRule& rule);
bool meets(const host::Host& host, const host::PolicyRule& rule, const RouteQuery& query, Selector selector);
// Without "not", and without the owner of a socket.
bool meets_all(const host::Host& host, const host::PolicyRule& rule, const RouteQuery& query);

// A rule with which every kernel starts.
bool is_default_rule(const host::PolicyRule& rule);

}  // namespace egt::engine
