// What dumps of one machine tell that cannot be true of it together: one of them is damaged, of another machine or of
// another moment. Nobody knows which, so what rests on any of them has no proof.
#pragma once

#include <optional>
#include <string>

#include "egtrace/base/ip.h"

namespace egt::cluster {

class Cluster;
struct Node;

struct Contradiction {
  enum class About { machine, bridge, port, routes, netfilter };
  About about = About::machine;
  std::string name;           // of the bridge or port
  std::optional<Prefix> to;   // of routes: those to which packets are concerned
  std::string what, command;  // as in Gap
  friend bool operator==(const Contradiction&, const Contradiction&) = default;
};

// Takes bridges away of which none is a device of the machine: their dumps are of another one. To be called once a
// machine's dumps are loaded.
void leave_out_foreign_switch(Node& node);

// Looks for them in what all dumps told, and adds them to the nodes' own. To be called once, when everything is loaded.
void notice_contradictions(Cluster& cluster);

}  // namespace egt::cluster
