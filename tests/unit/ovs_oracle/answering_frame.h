// What a receiver sends back: frames that conntrack takes for an answer, or for an error about a packet.
#pragma once

#include <optional>
#include <string>

namespace egt::testing {

// Both take and give hexadecimal; none for frames that nobody answers, fragments and packets below labels.
// The answer with the receiver's addresses and ports in front: SYN to SYN-ACK, an echo's request to its reply.
std::optional<std::string> answer_to(const std::string& frame);
// ICMP's "port unreachable" with the packet in it.
std::optional<std::string> error_about(const std::string& frame);

}  // namespace egt::testing
