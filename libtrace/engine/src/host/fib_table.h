// Longest prefix match in one routing table (fib_table_lookup() of net/ipv4/fib_trie.c, fib6_table_lookup() of
// net/ipv6/route.c), on the list of routes as dumped.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "egtrace/engine/routing.h"

namespace egt::engine {

struct TableHit {
  const host::Route* route = nullptr;
  std::vector<RouteHop> hops;       // of unicast routes; several when they share the load
  bool ambiguous_device = false;    // IPv6: equal routes by different devices, of which the kernel takes any
  std::optional<RouteHop> skipped;  // IPv6: a gateway that comes first and is FAILED
};

// As tables see it: a source that is not chosen yet is ::.
IpAddr source_in(const RouteQuery& query);

// `in_table`: the canonical name. Routes that have no usable next hop are skipped, as the kernel does.
std::optional<TableHit> lookup_in_table(const host::Host& host, std::string_view in_table, const RouteQuery& query);

}  // namespace egt::engine
