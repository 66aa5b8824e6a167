// The options that describe a packet: shared by every verb that walks one.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "egtrace/explain/explanation.h"

namespace egt::cli {

// For the help of verbs that take a POINT.
inline constexpr const char* kPointForms =
    "POINT is NS/POD[:PORT], pod/NAME or deploy/NAME, IP[:PORT], [IPv6]:PORT, svc:NS/NAME[:PORT], HOSTNAME[:PORT], node:NAME, "
    "external:IP or port:IFACE-ID, with @NODE where it is ambiguous, and of pods @NAMESPACE/NETWORK.";
// Of those that have -n: it completes the names of pods.
inline constexpr const char* kPointNamespace =
    " -n NS is the namespace of pod/NAME and deploy/NAME: --from pod/cart-7d4b -n shop.";

struct PacketOptions {
  std::string from, to, namespace_, network;
  std::string proto = "tcp";
  std::optional<std::uint16_t> sport, dport;
  std::optional<std::uint16_t> ttl;
  std::uint16_t dscp = 0;
  std::optional<std::uint16_t> icmp_type, icmp_code;
  std::optional<std::uint32_t> size;
  bool df = false;
  std::string mark = "0", smac, dmac, arrive_at, in_dev;
  bool established = false, no_conntrack = false, reply = false, one_way = false;

  // Throws CommandError for what cannot be understood.
  explain::Question question() const;
  explain::Question packet() const;                      // without its two ends
  std::string on_network(const std::string& end) const;  // a pod's text with the network behind it
};

void add_packet_options(CLI::App& verb, PacketOptions& options);

}  // namespace egt::cli
