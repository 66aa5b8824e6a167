#include "egtrace/host/sockets.h"

#include <algorithm>

namespace egt::host {

bool ListeningSocket::accepts(std::uint8_t with, const IpAddr& to, std::uint16_t to_port) const {
  if (proto != with || port != to_port) return false;
  if (!address || *address == to) return true;
  return address->is_unspecified() && (address->family == to.family || address->family == Family::v6);
}

bool Sockets::is_complete(std::uint8_t proto) const {
  return std::find(complete.begin(), complete.end(), proto) != complete.end();
}

}  // namespace egt::host
