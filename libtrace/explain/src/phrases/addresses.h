// Whose an address is, and what that is called.
#pragma once

#include <cstdint>
#include <string>

namespace egt::explain {

enum class AddressUse : std::uint8_t {
  pod,
  egress_ip,
  cluster_ip,
  load_balancer_ip,
  external_ip,
  transit_port,        // of a node
  join_port,           // of a gateway router
  pod_subnet_gateway,  // of a node
  router_port,
  device,
  logical_port,
};

struct AddressOwner {
  AddressUse use = AddressUse::pod;
  std::string name, node;
};

// "transit port of master-02", "pod ns/name", "address of br-ex on worker-1"
std::string phrase(const AddressOwner& owner);

}  // namespace egt::explain
