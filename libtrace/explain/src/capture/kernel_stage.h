// At which stage of the kernel's path of a packet its functions and tracepoints are.
#pragma once

#include <cstdint>
#include <string_view>

#include "egtrace/capture/frame.h"

namespace egt::explain::capture_study {

enum class Stage : std::uint8_t {
  other,
  device_in,
  device_out,
  open_vswitch,
  netfilter,
  conntrack,
  routing,
  transport,
  neighbour
};

// Of "ip_rcv", "net:netif_receive_skb"; `other` where the name is not known.
Stage stage_of(std::string_view symbol);

// Of a device's own functions: what tcpdump sees on it. Otherwise unknown.
capture::Direction crossing(std::string_view symbol);

}  // namespace egt::explain::capture_study
