// Sockets that take connections or datagrams, as ss and netstat print them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "egtrace/base/ip.h"
#include "egtrace/evidence/evidence.h"

namespace egt::host {

enum class Accepts : std::uint8_t { no, perhaps, yes };

// A TCP or SCTP socket in LISTEN, or a UDP socket that is not connected.
struct ListeningSocket {
  std::uint8_t proto = 0;
  std::optional<IpAddr> address;  // none: any address of the families that it takes
  std::uint16_t port = 0;
  // By family; `perhaps` where the tool prints the same for sockets with and without IPV6_V6ONLY (ipv6(7)).
  Accepts ipv4 = Accepts::no, ipv6 = Accepts::no;
  bool of_device = false;  // bound to a device too (SO_BINDTODEVICE of socket(7), or a link-local address)
  Provenance from;

  // Whether it takes what arrives for this address and port.
  Accepts accepts(std::uint8_t with, const IpAddr& to, std::uint16_t to_port) const;
};

struct Sockets {
  struct Kind {
    std::uint8_t proto;
    Family family;
  };
  std::vector<ListeningSocket> listening;
  std::vector<Kind> complete;  // of which every listening socket is there
  bool is_complete(std::uint8_t proto, Family family) const;
};

}  // namespace egt::host
