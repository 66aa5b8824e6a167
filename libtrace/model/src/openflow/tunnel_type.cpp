#include "egtrace/openflow/tunnel_type.h"

#include <algorithm>
#include <array>

namespace egt::openflow {

bool is_tunnel_type(std::string_view interface_type) {
  static constexpr std::array<std::string_view, 11> kTypes = {"geneve",    "vxlan", "gre",  "ip6gre",  "erspan", "ip6erspan",
                                                              "gtpu",      "stt",   "lisp", "bareudp", "srv6"};
  return std::find(kTypes.begin(), kTypes.end(), interface_type) != kTypes.end();
}

}  // namespace egt::openflow
