// What a device lets through: by its MTU, and by rules of its own.
#pragma once

#include <string_view>

#include "egtrace/engine/netfilter.h"
#include "walk.h"

namespace egt::engine {

// Ends a packet that is too large for the device; notes what would fit.
std::optional<Arrival> check_size(Walk& walk, const cluster::Node& node, const std::string& device);
// Ends a packet that is too large for a veth to take from its other end; of devices of other kinds that is not known. `where`: it is.
std::optional<Arrival> enter_veth(Walk& walk, const host::Link& link, Stop where);
// Of family netdev, or of inet for a device (nft(8), "NETDEV ADDRESS FAMILY").
bool has_device_chain(const cluster::Node& node, netfilter::Hook hook, std::string_view device);
// Ends the packet, or sends it by another device, as rules of the hook say; none: it goes on, as they leave it.
std::optional<Next> pass_hook(Walk& walk, const cluster::Node& node, netfilter::Hook hook, const std::string& device,
                              FlowKey& packet);

}  // namespace egt::engine
