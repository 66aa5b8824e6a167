// What the client of a connection sees, and what keeps it from what it hoped for. The one place that explain, assert, check,
// audit, triage, diff and pcap ask.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "egtrace/outcome/outcome.h"

namespace egt::explain {

struct PathReport;

using egt::name_of;
using egt::Outcome;
using egt::parse_outcome;
using egt::Verdict;
// Of a packet over all its paths; absent ("mixed") where they differ.
using CommonVerdict = std::optional<Verdict>;

// How far the evidence goes. assumed: something that no dump shows could make it otherwise.
enum class Confidence : std::uint8_t { assumed, proven };

// Which packet of the connection fails: the first, what answers it, or the client's next one.
enum class Direction : std::uint8_t { request, reply, later };

// Whether a process takes the connection. known: a socket, a ready endpoint or a dumped connection shows it. closed: the dump
// of the receiver's sockets has none for it. unknown: no dump shows, and the outcome is the network's part.
enum class Listener : std::uint8_t { known, closed, unknown };

// The names that JSON has.
std::string_view name_of(CommonVerdict verdict);
std::string_view name_of(Confidence confidence);
std::string_view name_of(Direction direction);
std::string_view name_of(Listener listener);

// The walk that ends a path's connection otherwise than answered, and the packet of the connection that it walks.
struct FailedWalk {
  const PathReport* walk = nullptr;
  Direction direction = Direction::request;
};

// Of one path with its replies and later packets, as far as they were walked.
Outcome outcome_of(const PathReport& path, Listener listener);
// Of all paths: where the traffic is shared among paths that differ, mixed; where the dumps do not show which of them is the
// real one, undecided.
Outcome outcome_of(const std::vector<PathReport>& paths);
// The first walk of the path that fails; null where none does.
FailedWalk failed_walk(const PathReport& path);
// Whether nothing of the path's walks is assumed.
bool is_proven(const PathReport& path);

}  // namespace egt::explain
