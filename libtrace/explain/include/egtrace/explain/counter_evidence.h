// Counters of a node that count drops: evidence for what a walk or a capture shows, and never proof, as they count
// all packets since the node booted.
#pragma once

#include <string>
#include <vector>

#include "egtrace/engine/reason.h"
#include "egtrace/explain/drop_reason.h"
#include "egtrace/explain/explanation.h"
#include "egtrace/host/counter.h"

namespace egt::explain {

// Of whose drops counters are asked: those of another protocol or version of IP show nothing of it.
struct CountedPacket {
  bool is_v6 = false;
  std::string proto;  // "tcp"
};
CountedPacket counted_packet(const PacketReport& packet);

// Of packets that end for this reason. Those that counted nothing are among them: they count against it.
std::vector<CounterReport> counters_of(engine::Reason reason, const CountedPacket& packet, const std::string& node,
                                       const std::vector<host::Counter>& counters, const SourceTable& sources);
// Of packets that the kernel drops for a reason of this kind.
std::vector<CounterReport> counters_of(DropKind kind, const CountedPacket& packet, const std::string& node,
                                       const std::vector<host::Counter>& counters, const SourceTable& sources);
// Whatever drops were counted, where nothing shows why packets are lost there; the largest first, and not more than a
// few.
std::vector<CounterReport> counted_drops(const CountedPacket& packet, const std::string& node,
                                         const std::vector<host::Counter>& counters, const SourceTable& sources);
// Whatever packets they are: for what concerns a whole node.
std::vector<CounterReport> counters_of(DropKind kind, const std::string& node, const std::vector<host::Counter>& counters,
                                       const SourceTable& sources);

}  // namespace egt::explain
