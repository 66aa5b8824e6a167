// Sockets that take connections or datagrams, as ss and netstat print them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "egtrace/base/ip.h"
#include "egtrace/evidence/evidence.h"

namespace egt::host {

// A TCP or SCTP socket in LISTEN, or a UDP socket that is not connected.
struct ListeningSocket {
  std::uint8_t proto = 0;
  std::optional<IpAddr> address;       // none: any address of both families ("*")
  std::uint16_t port = 0;
  std::string process;                 // "sshd"; empty where it is not printed
  Provenance from;

  // Whether it takes what arrives for this address and port. A socket on :: takes IPv4 too, unless IPV6_V6ONLY is set, which
  // neither tool prints without -e: two sockets are printed then, so that it does not matter.
  bool accepts(std::uint8_t with, const IpAddr& to, std::uint16_t to_port) const;
};

struct Sockets {
  std::vector<ListeningSocket> listening;
  std::vector<std::uint8_t> complete;  // protocols of which every listening socket is there
  bool is_complete(std::uint8_t proto) const;
};

}  // namespace egt::host
