// The packets after the first: the receiver's answer, and the sender's next packet.
#pragma once

#include <string>
#include <vector>

#include "egtrace/engine/journey.h"
#include "egtrace/explain/explanation.h"
#include "phrases/words.h"

namespace egt::explain {

struct Conversation {
  const engine::Journey& journey;
  const engine::Start& start;  // of the first packet
  bool sized = false;          // the question has a size for the packets after the handshake
};

// Which hops of the reply and of later packets are reported: those of all walks, of walks that fail, or as report_decision
// does.
enum class HopsReported { all, of_failed, deciding };

// Adds the reply to the first packet's path, and where the reply arrives, the packet that follows it.
void follow_up(PathReport& path, const engine::WalkedPath& forward, const Conversation& between, const Words& words,
               HopsReported hops);

// The paths of a packet in the middle of a connection: the ones that follow a first packet and its answer. Where no
// first packet gets through and back, there is no such connection and they are none. `truncated`: set where there are more.
std::vector<engine::WalkedPath> established(const engine::Journey& journey, const engine::Start& start,
                                            const std::vector<engine::WalkedPath>& first, bool& truncated);

}  // namespace egt::explain
