// What one path leaves behind: where the packet was seen, what is missing or open, and how it ends.
#pragma once

#include <optional>
#include <string>

#include "packet_under_way.h"

namespace egt::engine {

class PathLog {
 public:
  PathLog(const cluster::Cluster& cluster, Record& record, const PacketUnderWay& packet)
      : cluster_(cluster), record_(record), packet_(packet) {}

  // The packet passes the device, where a capture shows it. Refusals are not looked for there.
  void see(const cluster::Node& node, const std::string& device, bool in, const FlowKey& packet);
  void see_copies(const cluster::Node& node, const HostOutcome& outcome);

  // The node is not in the snapshot itself: what is known of it is what OVN-Kubernetes would have made.
  void presume(const cluster::Node& node);

  // How the path ends.
  Arrival stop(Verdict verdict, Stop where);
  Arrival gap(const cluster::Node& node, Layer layer, Statement<Input> missing, Reason why);

  // Something on the way is missing or not understood.
  void note_undecided(bool undecided) { undecided_ |= undecided; }
  void set_decided() { undecided_ = false; }
  bool undecided() const { return undecided_; }

  // Where the packet left the cluster's nodes.
  void set_egress(std::optional<Egress> egress) { egress_ = std::move(egress); }
  const std::optional<Egress>& egress() const { return egress_; }
  std::optional<Egress> take_egress() { return std::move(egress_); }

 private:
  const cluster::Cluster& cluster_;
  Record& record_;
  const PacketUnderWay& packet_;
  std::optional<Egress> egress_;
  bool undecided_ = false;
};

}  // namespace egt::engine
