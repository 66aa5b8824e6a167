#include "egtrace/host/sockets.h"

#include <algorithm>

namespace egt::host {

Accepts ListeningSocket::accepts(std::uint8_t with, const IpAddr& to, std::uint16_t to_port) const {
  if (proto != with || port != to_port || (address && *address != to)) return Accepts::no;
  const Accepts by_family = to.is_v4() ? ipv4 : ipv6;
  return of_device ? std::min(by_family, Accepts::perhaps) : by_family;
}

bool Sockets::is_complete(std::uint8_t proto, Family family) const {
  return std::any_of(complete.begin(), complete.end(), [&](const Kind& k) { return k.proto == proto && k.family == family; });
}

}  // namespace egt::host
