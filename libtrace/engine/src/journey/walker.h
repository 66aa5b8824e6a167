// One run of one packet: hands it from bridge to host to wire until its path ends.
#pragma once

#include "walk.h"

namespace egt::engine {

constexpr int kMostPlaces = 96;         // bridges, hosts and wires that one packet may cross between two routers
constexpr int kMostPlacesInAll = 4096;  // with those of its copies

class Walker {
 public:
  Walker(const cluster::Cluster& cluster, const Topology& topology, SwitchSessions& sessions, const JourneyOptions& options,
         NetworkState& network_state, Record& record, Chooser& chooser)
      : walk_(cluster, topology, sessions, options, network_state, record, chooser) {}

  // Sets `sent` to the packet as its sender puts it on the way.
  Arrival walk(const Start& start, FlowKey& sent);

  const std::optional<Egress>& egress() const { return walk_.log.egress(); }
  bool undecided() const { return walk_.log.undecided(); }
  // Of copies that do not count.
  std::vector<OtherReceiver> take_other_receivers() { return std::move(other_receivers_); }

 private:
  Arrival follow(Next next, int budget);
  Arrival follow_place(Position place, int budget);
  Arrival follow_copies(Copies places, int budget);
  Arrival follow_refusal(Refusal refusal);
  Arrival or_lost_discovery(Arrival end);
  Next cross_tunnel(const InTunnel& at);
  bool counts_before(const Arrival& a, const Record& of_a, const Arrival& b, const Record& of_b) const;
  void note_receiver(const Arrival& copy);

  Walk walk_;
  std::vector<OtherReceiver> other_receivers_;
  int places_left_ = kMostPlacesInAll;
  int tunnels_ = 0;  // how many this one is within
};

}  // namespace egt::engine
