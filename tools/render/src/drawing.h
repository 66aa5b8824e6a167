// A path as something to draw: visits of nodes in order, and on each node the sightings and the stations between
// them. Rounds of a routing loop are there once. Holds pointers into the PathReport that it was made of.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "egtrace/explain/explanation.h"

namespace egt::render {

// Steps at one place: a bridge, a tunnel port, the network stack of a host.
struct Station {
  std::string name;
  std::string layer;              // of its first step
  std::vector<std::size_t> hops;  // indices into PathReport::hops
};
struct Passing {  // the packet seen at a device
  const explain::SightingReport* at = nullptr;
  const explain::SightingReport* before = nullptr;  // the sighting before it, of any node; null for the first
};
// What stands before it, from an item on, comes again.
struct Repeated {
  std::size_t visit = 0, item = 0;    // where a round begins
  std::size_t visits = 0, items = 0;  // of a round; without visits it lies within its node
  std::string from;                   // the name of that node or item
  std::size_t times = 0;              // besides the one that is shown
  std::optional<unsigned> ttl;        // with which the packet was last seen in them
};
using DrawingItem = std::variant<Station, Passing, Repeated>;

struct Visit {
  std::string node;
  std::vector<DrawingItem> items;
};
struct Drawing {
  std::vector<Visit> visits;
};

Drawing draw(const explain::PathReport& path);

// "from alpha to here 30 more times, down to ttl 2"
std::string repeated_words(const Repeated& r);
// The packet's addresses, only where something changed since the last sighting; empty otherwise.
std::string packet_label(const Passing& p);
// The station and what happens there.
std::string station_label(const explain::PathReport& path, const Station& station);

// "10.0.0.1:80", "[fd00::1]:80"
std::string end_text(const std::string& ip, const std::optional<std::uint16_t>& port);

}  // namespace egt::render
