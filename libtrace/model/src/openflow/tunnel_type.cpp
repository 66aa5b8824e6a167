#include "egtrace/openflow/tunnel_type.h"

#include <algorithm>
#include <array>

namespace egt::openflow {

bool is_tunnel_type(std::string_view interface_type) {
  static constexpr std::array<std::string_view, 11> kTypes = {"geneve",    "vxlan", "gre",  "ip6gre",  "erspan", "ip6erspan",
                                                              "gtpu",      "stt",   "lisp", "bareudp", "srv6"};
  return std::find(kTypes.begin(), kTypes.end(), interface_type) != kTypes.end();
}

std::optional<std::uint16_t> default_tunnel_port(std::string_view interface_type) {
  if (interface_type == "geneve") return 6081;
  if (interface_type == "vxlan") return 4789;
  return std::nullopt;
}

}  // namespace egt::openflow
