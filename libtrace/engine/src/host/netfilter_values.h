// What the keys of netfilter rules read from a packet, its connection and its host.
#pragma once

#include <string>
#include <variant>

#include "egtrace/engine/netfilter.h"

namespace egt::engine {

struct Absent {};  // the packet has no such thing: every test of it fails
struct NotKnown {
  Property what;
};  // it has one, and the dumps do not show
struct KnownNumber {
  U128 value = 0, unknown_bits = 0;
};
struct Generated {
  Property what;
  std::uint64_t first = 0, count = 0;
};  // anyone of count numbers from `first`

using ReadValue = std::variant<Absent, NotKnown, KnownNumber, std::string, Generated>;

struct ReadFrom {
  const host::Host& host;
  Family family;
  netfilter::Hook hook;
  const NetfilterContext& context;
  bool xt = false;  // for iptables, whose matches ask the routing tables for less
};

ReadValue read_key(const netfilter::Read& read, const ReadFrom& from);

}  // namespace egt::engine
