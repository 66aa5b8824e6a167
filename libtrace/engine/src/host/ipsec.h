// Which policy of IPsec a packet meets in the kernel (xfrm_policy_lookup() of net/xfrm/xfrm_policy.c).
#pragma once

#include <cstdint>
#include <string>

#include "egtrace/engine/network_state.h"
#include "egtrace/host/host.h"

namespace egt::engine {

// A packet as policies see it.
struct IpsecQuery {
  host::IpsecDirection direction = host::IpsecDirection::in;
  Tuple packet;  // before the translations of this host where it comes in; of ICMP its type and code as ports
  std::uint32_t mark = 0;
  std::string device;  // by which it comes or leaves
};

// The policy that decides; null: none concerns the packet, or the device is exempt (disable_policy, disable_xfrm).
const host::IpsecPolicy* find_ipsec_policy(const host::Host& host, const IpsecQuery& query);

// The kernel's association for what the policy demands of that packet.
const host::IpsecAssociation* find_association(const host::Host& host, const host::IpsecTemplate& wanted, const Tuple& packet);

}  // namespace egt::engine
