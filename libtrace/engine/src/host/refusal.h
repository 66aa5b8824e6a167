// Error messages of a host: what it answers to a packet that it does not take or cannot send on (RFC 792, RFC 4443,
// nft(8) REJECT STATEMENT, iptables-extensions(8) REJECT).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "egtrace/base/ip.h"
#include "egtrace/engine/reason.h"
#include "egtrace/engine/routing.h"
#include "egtrace/packet/packet.h"

namespace egt::engine {

struct IcmpError {
  std::uint8_t type = 3, code = 0;
};

// "icmp-host-prohibited", "icmp6-adm-prohibited", "icmpx-port-unreachable" and the same with blanks; empty for
// "tcp-reset" and for words that are not known.
std::optional<IcmpError> icmp_error_named(std::string_view name, Family family);

bool is_tcp_reset(std::string_view name);

// Hosts never answer errors with errors, nor what was not sent to one receiver.
bool may_be_answered(const FlowKey& packet);

// From `from` to `to`; headers that the packet does not determine are those of a Linux host.
FlowKey make_icmp_error(const FlowKey& refused, const IpAddr& from, const IpAddr& to, IcmpError error);
FlowKey make_tcp_reset(const FlowKey& refused);

// Why a route that leads nowhere refuses a packet, and the errno for the process that sends it (fib_props of
// net/ipv4/fib_semantics.c).
Cause why_no_route(const RouteAnswer& answer, const IpAddr& to);
const char* socket_error(const RouteAnswer& answer);

}  // namespace egt::engine
