// The options that describe a packet: shared by every verb that walks one.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "egtrace/explain/explanation.h"

namespace egt::cli {

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
  explain::Question packet() const;   // without its two ends
  std::string on_network(const std::string& end) const;   // a pod's text with the network behind it
};

void add_packet_options(CLI::App& verb, PacketOptions& options);

}  // namespace egt::cli
