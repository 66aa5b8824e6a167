#include "egtrace/openflow/tunnel_type.h"

#include <algorithm>
#include <array>

#include "egtrace/base/text.h"
#include "egtrace/openflow/bridge.h"

namespace egt::openflow {

bool is_tunnel_type(std::string_view interface_type) {
  static constexpr std::array<std::string_view, 11> kTypes = {"geneve", "vxlan", "gre",  "ip6gre",  "erspan", "ip6erspan",
                                                              "gtpu",   "stt",   "lisp", "bareudp", "srv6"};
  return std::find(kTypes.begin(), kTypes.end(), interface_type) != kTypes.end();
}

std::optional<std::uint16_t> default_tunnel_port(std::string_view interface_type) {
  if (interface_type == "geneve") return 6081;
  if (interface_type == "vxlan") return 4789;
  return std::nullopt;
}

std::uint16_t tunnel_port(const Interface& interface) {
  const auto otherwise = default_tunnel_port(interface.type);
  if (!otherwise) return 0;
  const auto set = interface.options.find("dst_port");
  return set == interface.options.end() ? *otherwise : static_cast<std::uint16_t>(parse_u64(set->second).value_or(*otherwise));
}

std::uint32_t tunnel_overhead(std::string_view interface_type, Family outer) {
  constexpr std::uint32_t kEthernet = 14, kIpv4 = 20, kIpv6 = 40, kUdp = 8, kVxlan = 8, kGeneve = 16, kGre = 8, kStt = 38;
  const std::uint32_t headers = kEthernet + (outer == Family::v4 ? kIpv4 : kIpv6);
  if (interface_type == "geneve") return headers + kUdp + kGeneve;
  if (interface_type == "vxlan") return headers + kUdp + kVxlan;
  return headers + (interface_type == "stt" ? kStt : kGre);
}

}  // namespace egt::openflow
