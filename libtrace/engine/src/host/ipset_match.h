// Whether a set of ipset(8) holds what a packet has: ip_set_test() of net/netfilter/ipset/ip_set_core.c, and the kadt
// functions of its types.
#pragma once

#include "netfilter_match.h"

namespace egt::engine {

// Unknown where the set, or a part of it that may decide, is not in the snapshot.
TestResult test_ipset(const netfilter::InIpset& t, const ReadFrom& from);

}  // namespace egt::engine
