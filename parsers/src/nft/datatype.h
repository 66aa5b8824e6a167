// The types of nft's values, and the numbers behind their symbols (nft(8), "DATA TYPES"; nft describe).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "egtrace/host/netfilter.h"

namespace egt::parsers::nft {

enum class Datatype : std::uint8_t {
  unknown,
  integer,
  ipv4,
  ipv6,
  mac,
  protocol,
  service,
  interface_name,
  mark,
  ct_state,
  ct_status,
  ct_direction,
  ct_label,
  tcp_flags,
  icmp_type,
  icmp_code,
  icmpv6_type,
  icmpv6_code,
  ethertype,
  nfproto,
  packet_type,
  address_type,
  dscp,
  ecn,
  arp_operation,
  seconds,
  boolean,
  verdict,
  device_group,
};

// Of "type ipv4_addr . inet_service": one word; unknown when it is not known.
Datatype datatype_named(std::string_view name);
// The number of a symbol of that type ("established", "tcp", "echo-request", "cs1").
std::optional<netfilter::Number> symbol_value(Datatype type, std::string_view symbol);
// Types whose values are bits, so that "ct state new" means "any of these bits".
bool is_bitmask(Datatype type);

// The number of a priority as printed ("dstnat + 10", "filter", "-150"); names mean other numbers in bridge tables.
std::optional<int> priority_value(std::string_view text, netfilter::TableFamily family);

}  // namespace egt::parsers::nft
