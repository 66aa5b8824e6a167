// Who has this address? ARP (RFC 826) and neighbour discovery (RFC 4861) as frames.
#pragma once

#include <optional>
#include <span>

#include "egtrace/engine/link_answer.h"
#include "wire.h"

namespace egt::test {

// A broadcast of ARP, or a solicitation to the address's solicited-node group. An ARP question without an asker is a
// probe (0.0.0.0); IPv6 needs one.
Bytes question_frame(const MacAddr& from, const engine::LinkQuestion& question);

struct LinkMessage {
  bool is_answer = false;
  engine::LinkQuestion about;  // an answer's is the question that it answers
};
// Nothing where the frame is something else.
std::optional<LinkMessage> read_link_message(std::span<const std::uint8_t> frame);

}  // namespace egt::test
