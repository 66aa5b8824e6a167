// What the dumps predict for a captured flow: the sender of its first packet, and the path (of several) that fits best with
// where packets were seen.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "address_classes.h"
#include "egtrace/cluster/cluster.h"
#include "egtrace/explain/explainer.h"
#include "egtrace/explain/explanation.h"
#include "flows.h"
#include "predicted.h"

namespace egt::explain::capture_study {

// What is walked for.
struct Origin {
  IpAddr src, dst;
  std::uint8_t proto = 0, icmp_type = 0;
  std::uint16_t dport = 0;
  std::string at_node, arrive_at, in_device;
  bool established = false;
  bool to_itself = false;  // the addresses are the same one
  bool exact = false;      // the addresses are no classes'
  friend auto operator<=>(const Origin&, const Origin&) = default;
};

// A path of a walk with all that happens on it, for the comparison with events.
struct WalkedPath {
  std::vector<Hop> hops;
  std::vector<SightingReport> sightings;
  std::optional<StopReport> stopped_at;
};
struct WalkedPaths {
  WalkedPath forward, reply, next;
};

struct Forecast {
  Origin origin;
  const Explanation* explanation = nullptr;  // null: no pod or host of the snapshot could have sent it
  OwnEnds ends;                              // own: the first packet, as its sender sent it
  bool left_out = false;                     // more ends than are walked for: its path was not worked out
  Predicted forward, reply, next;            // next: the packet after the handshake; path null where there is none
  std::vector<std::string> alike;            // summaries of other paths that fit as well
  std::size_t matched = 0;                   // places where it was seen as predicted
  std::size_t conflicting = 0;               // captured places where it was not seen although a later one has it
  std::size_t other_macs = 0;                // places where the frame was for another node than predicted
  bool from_start = false;                   // seen where the path begins, or nothing captured shows otherwise
  // The node that owns the source address, where the TTL shows that it forwarded the packet of another sender.
  std::string translated_by;

  bool is_not_walked() const { return left_out && explanation == nullptr; }
  // Of a packet behind the opening.
  const Predicted& later() const { return next.path != nullptr ? next : forward; }
};

class Forecaster {
 public:
  // `classes`: null where there are so few pairs of ends that each is walked for.
  Forecaster(const cluster::Cluster& cluster, const Places& places, const AddressClasses* classes)
      : cluster_(cluster), places_(places), classes_(classes), explainer_(cluster) {
    none_.left_out = true;
  }

  // Holds until the next one is asked for.
  Forecast forecast(const Flow& flow);
  // The same paths, step by step; null where too many were asked for. Holds until the end.
  const WalkedPaths* walked_paths(const Forecast& forecast);

 private:
  struct Walked {
    Explanation explanation;
    std::vector<PlannedPath> paths;
    Ends ends;
    bool usable = false;
    bool left_out = false;
    bool shared = true;  // no address in it depends on the ends otherwise than by being one of them
  };

  // A walk takes milliseconds and some ten kilobytes: captures of more different flows have to be filtered.
  static constexpr std::size_t kMostWalks = 4096;

  std::vector<Origin> origins(const Flow& flow, std::vector<Ends>& sent);
  const Walked& walk(const Origin& origin, const Ends& sent);
  const Walked& walk_for(const Origin& key, const Origin& origin, const Ends& sent);
  Walked walk_now(const Origin& origin, const Ends& sent);
  static Question question(const Origin& origin, const Ends& sent);
  IpAddr class_of(const IpAddr& a) const { return classes_ == nullptr ? a : classes_->first_of(a); }
  bool is_alone(const IpAddr& a) const { return classes_ == nullptr || classes_->is_alone(a); }
  bool can_be_shared(const std::vector<PlannedPath>& paths, const Ends& sent) const;
  std::vector<PlannedPath> plan(const std::vector<PathReport>& paths) const;
  // Nodes that have the address, and the first of them.
  struct Owners {
    std::size_t count = 0;
    const cluster::Node* first = nullptr;
  };
  const Owners& owners_of(const IpAddr& address);
  void consider(const Flow& flow, const Origin& origin, const Ends& sent, Forecast& best);
  std::string translator(const Forecast& forecast, const Flow& flow);
  void try_pods(const Flow& flow, Forecast& best);
  std::vector<IpAddr> pods_of(Family family) const;
  bool try_pod(const IpAddr& pod, const Flow& flow, const Ends& seen, Forecast& one);

  const cluster::Cluster& cluster_;
  const Places& places_;
  const AddressClasses* classes_;
  Explainer explainer_;
  std::map<Origin, Walked> walked_;                     // at most kMostWalks
  Walked none_;                                         // left out
  static constexpr std::size_t kMostWalkedPaths = 512;  // some hundred kilobytes each
  std::map<std::tuple<Origin, std::string, std::string>, WalkedPaths> walked_paths_;
  std::map<IpAddr, Owners> owners_;
  std::map<std::string, std::optional<IpAddr>> pods_tried_;  // by ends without the source port, and places: the pod
};

}  // namespace egt::explain::capture_study
