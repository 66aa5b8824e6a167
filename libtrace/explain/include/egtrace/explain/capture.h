// Captured packets against the predicted path: which flows there are, where each was seen, what became of it, where it
// was lost, and what differs from the prediction. Frames are taken one by one; what is kept grows with the number of
// flows and places, not with the number of packets.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/capture/frame.h"
#include "egtrace/capture/kernel_event.h"
#include "egtrace/cluster/cluster.h"
#include "egtrace/explain/explanation.h"

namespace egt::explain {

// Where a capture was taken, as far as it is given. Device "any": all devices of the node.
struct CapturePlace {
  std::string node, device;
};

struct CaptureReport {
  std::string file;
  std::string node, device;  // empty: not known
  std::string placed_by;     // "option", "name", "content", or empty
  std::string format;
  std::uint64_t packets = 0, not_ip = 0, not_understood = 0, first_not_understood = 0;
  std::string cut_why;
  bool of_events = false;  // a tracer's
  std::uint64_t events = 0, events_without_packet = 0;
  std::vector<capture::LineProblem> problems;  // the first lines that are not understood
};

// Which packets there were: a bit for each of SYN, SYN-ACK, data, ACK, FIN and RST, or what is no TCP.
using Kinds = std::uint8_t;
constexpr Kinds kOtherPackets = 0x80;

// The packets of one flow at one place with one set of addresses.
struct SeenReport {
  SightingReport at;
  bool direction_known = false;  // else at.in has no meaning
  bool reply = false;            // in the reply direction
  std::string what;              // "SYN", "SYN-ACK", "data", "RST", "ICMP 3/3", "echo request", "datagram", …
  Kinds kinds = 0;               // likewise
  std::string file;
  std::uint64_t frame = 0, packets = 0;  // the first one, and how many there were
  std::int64_t time = 0;                 // of the first one; nanoseconds
  bool predicted = false;
};

struct DifferenceReport {
  std::string where, predicted, observed;
};
struct LastSeenReport {
  std::string node, device, direction;
};  // direction "in", "out", or empty

// Flows of the same fate as another one: seen at the same places as the same packets, distinguished only by the source port and
// by addresses that no dump knows.
struct AlikeReport {
  std::uint64_t flows = 0;                        // besides the one
  std::uint16_t first_sport = 0, last_sport = 0;  // of all
  std::uint64_t senders = 0, receivers = 0;       // different addresses, of all
};

// Where the kernel dropped packets of a flow, by its own word.
struct DropReport {
  std::string reason, subsystem, meaning;  // subsystem: empty is the kernel's core
  std::optional<bool> predicted;           // whether the path ends on that node by such a decision; none: dumps cannot show
  bool ends_flow = false;                  // else a copy, or packets that were sent again or went on
};

// Events of a tracer that are equal: packets of the flow that passed one place inside a node alike.
struct EventReport {
  std::string node, device;
  std::uint32_t netns = 0;   // where it is not the node's own; 0: it is, or nothing shows
  std::string symbol, what;  // function or tracepoint; what was done there, empty where that adds nothing
  bool reply = false;
  std::string file;
  std::uint64_t line = 0, events = 0;  // the first one, and how many there were
  std::int64_t time = 0;
  std::optional<Hop> hop;   // of the predicted path
  std::string unexplained;  // why there is none
  std::optional<DropReport> drop;
};

// What the captures show of a flow. delivered: it reached its receiver, and nothing had to come back. unexplained: they do not show
// enough.
enum class Fate : std::uint8_t { answered, delivered, rejected, lost, unexplained };
std::string_view name_of(Fate fate);  // that JSON has

struct FlowReport {
  PacketReport packet;  // as the first sender sent it
  EndReport from, to;
  Fate fate = Fate::unexplained;
  std::optional<Direction> direction;  // request or reply: in which it was lost or rejected
  std::optional<Outcome> predicted;    // that explain computes for the path which fits; none where none does
  bool after_handshake = false;        // lost or rejected although the handshake was done
  std::optional<LastSeenReport> last_seen;
  std::optional<std::pair<std::string, std::string>> lost_between;  // "node/device"; the second may name a bridge
  std::vector<SeenReport> seen;                                     // in the order of the path
  std::vector<DifferenceReport> differs;
  std::string why;
  std::uint64_t packets = 0, retransmissions = 0;  // of the opening packet
  std::int64_t time = 0;
  bool not_walked = false;  // its path was not worked out: too many different ends
  AlikeReport alike;
  std::vector<EventReport> events;                      // by time
  engine::Reason predicted_end = engine::Reason::none;  // of a flow that is lost as predicted: why
  std::vector<CounterReport> counters;                  // of the node where it is lost; filled by a reader of counters
};

struct CaptureAnalysis {
  std::vector<CaptureReport> captures;
  std::vector<FlowReport> flows;           // by time of their first packets
  std::uint64_t packets_without_flow = 0;  // multicast, neighbour discovery, and ICMP errors about packets that no capture shows
  std::uint64_t packets_left_out = 0;      // of more flows than are kept
  std::uint64_t flows_not_walked = 0;      // whose path was not worked out: too many different ends
  std::uint64_t events_without_flow = 0;   // of tracers: without a packet, or of more flows than are kept
};

class CaptureStudy {
 public:
  CaptureStudy();
  ~CaptureStudy();
  CaptureStudy(const CaptureStudy&) = delete;
  CaptureStudy& operator=(const CaptureStudy&) = delete;

  // The number of the file in later calls. `place`: as the user gave it; otherwise its name and content decide.
  std::size_t begin(const std::string& file, const std::optional<CapturePlace>& place = std::nullopt);
  void take(std::size_t file, const capture::Frame& frame);
  void take(std::size_t file, const capture::KernelEvent& event);
  void end(std::size_t file, const capture::Capture& capture);

  CaptureAnalysis conclude(const cluster::Cluster& cluster) const;
  // Hands over each flow by itself, by time, and keeps none: what is given back has no flows. `so_far` has the
  // captures.
  using TakeFlow = std::function<void(const CaptureAnalysis& so_far, FlowReport flow)>;
  CaptureAnalysis conclude(const cluster::Cluster& cluster, const TakeFlow& take) const;
  // Of flows of the same fate the first only, with the number of the others.
  CaptureAnalysis conclude_alike(const cluster::Cluster& cluster) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace egt::explain
