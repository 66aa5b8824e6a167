// The words that iptables and ipset have for ICMP types and codes (iptables' extensions/libxt_icmp.h, ipset's lib/icmp.c,
// lib/icmpv6.c).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace egt::parsers {

struct IcmpWord {
  std::string_view name;
  std::uint8_t type;  // 255: any type
  int code;           // -1: any code
};
// "echo-request", "port-unreachable"; numbers are not looked at. Nothing where the protocol has no such word.
std::optional<IcmpWord> icmp_word(std::string_view name, bool v6);

}  // namespace egt::parsers
