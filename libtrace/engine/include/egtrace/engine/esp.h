// What the encryption of IPsec adds to a packet in transport mode.
#pragma once

#include <cstdint>
#include <optional>

#include "egtrace/host/ipsec.h"

namespace egt::engine {

// In bytes, as esp_init_state() of the kernel's net/ipv4/esp4.c has them.
struct EspSizes {
  std::uint32_t header = 0;  // of ESP itself, of UDP where it is in UDP, and the initialization vector
  std::uint32_t block = 0;   // of padding
  std::uint32_t check = 0;   // integrity check value
  std::uint32_t ip = 0;      // header in front of that of ESP

  // The longest IP packet of which the encrypted one has at most `mtu` bytes (xfrm_state_mtu() of net/xfrm/xfrm_state.c); 0: none has.
  std::uint32_t payload_of(std::uint32_t mtu) const;
};

// The same twice where the algorithms are known; else those of the widest and of the slimmest ones.
struct EspOverhead {
  EspSizes most, least;
};

EspOverhead overhead_of(const host::IpsecAssociation& association);
EspOverhead unknown_overhead(Family family);

// Bytes of IP packets that fit a link, and those that may fit it: more where it is not known what encryption adds.
struct FittingSizes {
  std::uint32_t surely = 0, perhaps = 0;
};
FittingSizes fitting_sizes(std::uint32_t mtu, const std::optional<EspOverhead>& esp);

}  // namespace egt::engine
