// From tracks to flows: what belongs together across places, NAT, tunnels and both directions.
//
// A leg is one pair of endpoints, in both directions. Legs are joined where NAT turned one into another: by a TCP
// connection's initial sequence number, by what the payload and the IP identification of a datagram or ping show.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "places.h"
#include "tracks.h"

namespace egt::explain::capture_study {

// Addresses as a packet has them; the port of an echo is its identifier.
struct Ends {
  IpAddr src, dst;
  std::uint16_t sport = 0, dport = 0;
  Ends reversed() const { return {dst, src, dport, sport}; }
  friend bool operator==(const Ends&, const Ends&) = default;
  friend auto operator<=>(const Ends&, const Ends&) = default;
};
Ends ends_of(const Track& track);
bool carries_ports(std::uint8_t proto);  // TCP, UDP, SCTP

// A track as part of a flow.
struct FlowPart {
  const Track* track = nullptr;
  TrackPlace place;
  Ends ends;
  bool reply = false;
};

struct Flow {
  std::uint8_t proto = 0;
  std::vector<FlowPart> parts;   // by time of their first packets
  std::vector<FlowPart> inside;  // what tracers saw of it between devices; where nothing else was seen, `parts` has them, too
  bool only_inside = false;
  std::int64_t start = 0;
  bool has_opening = false;  // the captures hold the connection's first packet, not only its middle
};

struct Flows {
  std::vector<Flow> flows;         // by time
  std::uint64_t stray_errors = 0;  // packets: ICMP errors about what no capture shows
};

Flows find_flows(const Tracks& tracks, const Places& places);

}  // namespace egt::explain::capture_study
