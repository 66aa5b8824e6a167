// What becomes of a packet, and of the connection that it belongs to: the words in which one asks and answers.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace egt {

// Of one packet on one path. inconclusive: the dumps do not show.
enum class Verdict : std::uint8_t { delivered, dropped, rejected, inconclusive };

// answered: the reply arrives, and so does the packet after the handshake. refused: a reset or an ICMP error that the client
// accepts. unanswered: it times out. mixed: paths that the traffic is shared among differ. undecided: the dumps do not show.
enum class Outcome : std::uint8_t { answered, refused, unanswered, mixed, undecided };

// The names that JSON, options and files of expectations have.
std::string_view name_of(Verdict verdict);
std::string_view name_of(Outcome outcome);
std::optional<Verdict> parse_verdict(std::string_view name);
std::optional<Outcome> parse_outcome(std::string_view name);

}  // namespace egt
