// What ovn-controller does with packets that flows hand to it (OVN's controller/pinctrl.c).
//
// Refusals are answered: the answer takes addresses, registers and metadata from the packet, and re-enters the pipeline
// through the actions that came along in userdata. How a packet that pauses goes on is decided outside the dumps.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "egtrace/openflow/action.h"
#include "egtrace/packet/packet.h"

namespace egt::engine {

enum class Reaction : std::uint8_t {
  notes,     // it takes note; the packet goes on
  consumes,  // it handles the packet itself
  refuses,   // it answers with a reset or an error
  resolves,  // it asks for a MAC address and holds the packet back until the answer comes
  answers,   // it answers a neighbour solicitation
  holds,     // it changes the packet and sends it on
};
Reaction reaction_to(std::uint32_t opcode, bool pauses);

// The answer to a refused packet, as the nested actions begin with it; none where there is no answer to a packet of this
// kind. `too_big`: they show an MTU.
std::optional<FlowKey> refusal_of(const FlowKey& packet, std::uint32_t opcode, bool too_big);
// Of an answer behind its nested actions: "tcp-reset", "icmp-port-unreachable".
std::string refusal_name(const FlowKey& answer);

// The answer to a neighbour solicitation, as the nested actions begin with it; none where the packet is something else.
std::optional<FlowKey> advertisement_of(const FlowKey& solicitation);

// The ARP request or neighbour solicitation, as the nested actions begin with it; and the address for which it asks behind
// them.
FlowKey address_request(const FlowKey& packet, bool arp);
IpAddr requested_address(const FlowKey& request);

}  // namespace egt::engine
