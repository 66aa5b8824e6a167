#include "support/icmp_words.h"

#include <algorithm>
#include <iterator>

namespace egt::parsers {
namespace {

constexpr IcmpWord kIcmpWords[] = {
    {"any", 255, -1},
    {"echo-reply", 0, -1},
    {"pong", 0, -1},
    {"destination-unreachable", 3, -1},
    {"network-unreachable", 3, 0},
    {"host-unreachable", 3, 1},
    {"protocol-unreachable", 3, 2},
    {"port-unreachable", 3, 3},
    {"fragmentation-needed", 3, 4},
    {"source-route-failed", 3, 5},
    {"network-unknown", 3, 6},
    {"host-unknown", 3, 7},
    {"network-prohibited", 3, 9},
    {"host-prohibited", 3, 10},
    {"TOS-network-unreachable", 3, 11},
    {"TOS-host-unreachable", 3, 12},
    {"communication-prohibited", 3, 13},
    {"host-precedence-violation", 3, 14},
    {"precedence-cutoff", 3, 15},
    {"source-quench", 4, -1},
    {"redirect", 5, -1},
    {"network-redirect", 5, 0},
    {"host-redirect", 5, 1},
    {"TOS-network-redirect", 5, 2},
    {"TOS-host-redirect", 5, 3},
    {"echo-request", 8, -1},
    {"ping", 8, -1},
    {"router-advertisement", 9, -1},
    {"router-solicitation", 10, -1},
    {"time-exceeded", 11, -1},
    {"ttl-exceeded", 11, -1},
    {"ttl-zero-during-transit", 11, 0},
    {"ttl-zero-during-reassembly", 11, 1},
    {"parameter-problem", 12, -1},
    {"ip-header-bad", 12, 0},
    {"required-option-missing", 12, 1},
    {"timestamp-request", 13, -1},
    {"timestamp-reply", 14, -1},
    {"address-mask-request", 17, -1},
    {"address-mask-reply", 18, -1},
};
constexpr IcmpWord kIcmp6Words[] = {
    {"destination-unreachable", 1, -1},
    {"no-route", 1, 0},
    {"communication-prohibited", 1, 1},
    {"beyond-scope", 1, 2},
    {"address-unreachable", 1, 3},
    {"port-unreachable", 1, 4},
    {"failed-policy", 1, 5},
    {"reject-route", 1, 6},
    {"packet-too-big", 2, -1},
    {"time-exceeded", 3, -1},
    {"ttl-exceeded", 3, -1},
    {"ttl-zero-during-transit", 3, 0},
    {"ttl-zero-during-reassembly", 3, 1},
    {"parameter-problem", 4, -1},
    {"bad-header", 4, 0},
    {"unknown-header-type", 4, 1},
    {"unknown-option", 4, 2},
    {"echo-request", 128, -1},
    {"ping", 128, -1},
    {"echo-reply", 129, -1},
    {"pong", 129, -1},
    {"mld-listener-query", 130, -1},
    {"mld-listener-report", 131, -1},
    {"mld-listener-done", 132, -1},
    {"mld-listener-reduction", 132, -1},
    {"router-solicitation", 133, -1},
    {"router-advertisement", 134, -1},
    {"neighbour-solicitation", 135, -1},
    {"neighbor-solicitation", 135, -1},
    {"neighbour-advertisement", 136, -1},
    {"neighbor-advertisement", 136, -1},
    {"redirect", 137, -1},
};

}  // namespace

std::optional<IcmpWord> icmp_word(std::string_view name, bool v6) {
  const IcmpWord* begin = v6 ? std::begin(kIcmp6Words) : std::begin(kIcmpWords);
  const IcmpWord* end = v6 ? std::end(kIcmp6Words) : std::end(kIcmpWords);
  const auto* found = std::find_if(begin, end, [&](const IcmpWord& i) { return i.name == name; });
  return found == end ? std::nullopt : std::optional(*found);
}

}  // namespace egt::parsers
