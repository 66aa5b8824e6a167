#include "names.h"

#include <fmt/format.h>

#include <algorithm>

#include "egtrace/base/text.h"

namespace egt::explain {
namespace {

// What begins with `begin` and ends with `end`; {} is what stands between.
struct NameForm {
  std::string_view begin, end, as, text;
  bool number = false;   // what stands between is one
};

// go-controller/pkg/types/const.go and pkg/util/multi_network.go; of EVPN and connected networks pkg/node/controllers/evpn and
// pkg/ovn/controller/networkconnect. "Primary layer 2 since 1.2" are trtor-, rtotr-, trtos- and stotr-.
constexpr NameForm kForms[] = {
    {"ovn-k8s-mp", "", "device", "management port of the network with id {} (0: the default network)", true},
    {"mp", "-udn-vrf", "device", "VRF of the user-defined network with id {}", true},
    {"udn-mark-0x", "", "nft chain", "marks packets for the user-defined network that has packet mark 0x{}"},
    {"cluster_udn_", "", "network", "ClusterUserDefinedNetwork {}"},
    {"GR_", "", "logical router", "gateway router of {}"},
    {"ext_", "", "logical switch", "between the gateway router and the external bridge of {}"},
    {"rtoj-", "", "logical port", "of router {} towards the join switch"},
    {"jtor-", "", "logical port", "of the join switch towards router {}"},
    {"rtos-", "", "logical port", "of the cluster router towards switch {}"},
    {"stor-", "", "logical port", "of switch {} towards the cluster router"},
    {"rtoe-", "", "logical port", "of gateway router {} towards the external bridge"},
    {"etor-", "", "logical port", "of the external switch towards gateway router {}"},
    {"rtots-", "", "logical port", "of the cluster router towards the transit switch, on {}"},
    {"tstor-", "", "logical port", "of the transit switch towards the cluster router of {}"},
    {"trtor-", "", "logical port", "of the transit router towards gateway router {}"},
    {"rtotr-", "", "logical port", "of gateway router {} towards the transit router"},
    {"trtos-", "", "logical port", "of the transit router towards the layer 2 switch, {}"},
    {"stotr-", "", "logical port", "of the layer 2 switch towards the transit router, {}"},
    {"crtor-", "", "logical port", "of the router of a ClusterNetworkConnect towards router {}"},
    {"rtocr-", "", "logical port", "of router {} towards the router of a ClusterNetworkConnect"},
    {"connect_router_", "", "logical router", "of ClusterNetworkConnect {}"},
    {"evbr-", "", "device", "bridge of EVPN, VTEP {}"},
    {"evx4-", "", "device", "VXLAN device of EVPN over IPv4, VTEP {}"},
    {"evx6-", "", "device", "VXLAN device of EVPN over IPv6, VTEP {}"},
    {"svl3-", "", "device", "of EVPN: IP-VRF of network {}"},
    {"svl2-", "", "device", "of EVPN: MAC-VRF of network {}"},
    {"ovl2-", "", "device", "of EVPN: port of Open vSwitch in the MAC-VRF of network {}"},
    {"patch-br-int-to-", "", "patch port", "of br-int towards the external bridge; the localnet port is {}"},
    {"patch-", "-to-br-int", "patch port", "of the external bridge towards br-int; the localnet port is {}"},
};

bool is_word(std::string_view s) {
  return !s.empty() && std::all_of(s.begin(), s.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '-' || c == '.' || c == '_';
  });
}

// Names of namespaces and pods: RFC 1123.
bool is_object_name(std::string_view s) {
  return !s.empty() && std::all_of(s.begin(), s.end(), [](char c) { return (c >= 'a' && c <= 'z') || is_digit(c) || c == '-' || c == '.'; });
}

// NAMESPACE_POD, or NETWORK_NAMESPACE_POD on a user-defined network.
std::string pod_port(std::string_view name) {
  const auto parts = split(name, '_');
  if ((parts.size() != 2 && parts.size() != 3) || !std::all_of(parts.begin(), parts.end(), is_object_name)) return {};
  const std::string pod = fmt::format("port of pod {}/{}", parts[parts.size() - 2], parts.back());
  return parts.size() == 2 ? pod : fmt::format("{} on the user-defined network whose key is {} but for its punctuation", pod, parts[0]);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> name_meanings(std::string_view name) {
  std::vector<std::pair<std::string, std::string>> meanings;
  for (const NameForm& form : kForms) {
    if (name.size() <= form.begin.size() + form.end.size() || !name.starts_with(form.begin) || !name.ends_with(form.end)) continue;
    const std::string_view rest = name.substr(form.begin.size(), name.size() - form.begin.size() - form.end.size());
    if (form.number ? parse_decimal(rest).has_value() : is_word(rest))
      meanings.emplace_back(form.as, fmt::format(fmt::runtime(form.text), rest));
  }
  if (!meanings.empty()) return meanings;
  if (std::string port = pod_port(name); !port.empty()) meanings.emplace_back("logical port", std::move(port));
  return meanings;
}

}  // namespace egt::explain
