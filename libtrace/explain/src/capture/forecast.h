// What the dumps predict for a captured flow: who sent its first packet, and the way (of several) that fits best with
// where packets were seen.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "egtrace/cluster/cluster.h"
#include "egtrace/explain/explainer.h"
#include "egtrace/explain/explanation.h"
#include "flows.h"

namespace egt::explain::capture_study {

// A predicted row as packets are compared with it: made once a walk, compared with every flow that it may be for.
struct Row {
  const SightingReport* told = nullptr;
  IpAddr src, dst;
  std::uint64_t smac = 0, dmac = 0;  // 0: not told
  bool captured = false;             // a capture was taken there
};
// A way of a walk with its rows, and those of its answers and of the packets after the handshake.
struct PlannedWay {
  const WayReport* way = nullptr;
  std::vector<Row> rows;
  std::vector<PlannedWay> replies, nexts;
};

// The ports of a walk and of a flow that it stands for: a walk is made once for all source ports, and what it left
// alone is the flow's own.
struct OwnPort {
  std::uint16_t walked = 0, own = 0;
  std::optional<std::uint16_t> in_place_of(std::optional<std::uint16_t> port) const {
    return port == walked ? own : port;
  }
};

// Rows of one direction of one way, in order, for one flow.
class Rows {
 public:
  Rows() = default;
  Rows(const std::vector<Row>& rows, OwnPort port, bool reply) : rows_(&rows), port_(port), reply_(reply) {}

  std::size_t size() const { return rows_ == nullptr ? 0 : rows_->size(); }
  bool empty() const { return size() == 0; }
  const Row& operator[](std::size_t i) const { return (*rows_)[i]; }
  const SightingReport& told(std::size_t i) const { return *(*rows_)[i].told; }
  std::optional<std::uint16_t> sport(std::size_t i) const {
    return reply_ ? told(i).sport : port_.in_place_of(told(i).sport);
  }
  std::optional<std::uint16_t> dport(std::size_t i) const {
    return reply_ ? port_.in_place_of(told(i).dport) : told(i).dport;
  }
  SightingReport report(std::size_t i) const;  // with the flow's ports

 private:
  const std::vector<Row>* rows_ = nullptr;
  OwnPort port_;
  bool reply_ = false;
};

struct Predicted {
  const WayReport* way = nullptr;
  Rows rows;
  OwnPort port;
  bool reply = false;

  std::string summary() const;  // of the way, with the flow's ports
};

struct Forecast {
  const Explanation* explanation = nullptr;  // null: nobody in the snapshot could have sent it
  Ends sent;                                 // the first packet, as its sender sent it
  Predicted forward, reply, next;            // next: the packet after the handshake; way null where there is none
  std::vector<std::string> alike;            // summaries of other ways that fit as well
  std::size_t matched = 0;                   // places where it was seen as predicted
  std::size_t contradicted = 0;              // captured places where it was not seen although a later one has it
  std::size_t other_macs = 0;                // places where the frame was for another machine than predicted
  bool from_start = false;                   // seen where the way begins, or nothing captured tells otherwise
  // The machine that owns the source address, where the TTL shows that it forwarded the packet for somebody else.
  std::string translated_by;
};

// Index of the first predicted row that this part is a sighting of; npos where there is none.
std::size_t match(const Rows& rows, const Part& part);
constexpr std::size_t kNoRow = static_cast<std::size_t>(-1);

class Forecaster {
 public:
  Forecaster(const cluster::Cluster& cluster, const Places& places)
      : cluster_(cluster), places_(places), explainer_(cluster) {}

  // Holds until the next one is asked for.
  Forecast forecast(const Flow& flow);

 private:
  struct Origin {
    IpAddr src, dst;
    std::uint8_t proto = 0, icmp_type = 0;
    std::uint16_t dport = 0;
    std::string at_node, arrive_at, in_device;
    bool established = false;
    friend auto operator<=>(const Origin&, const Origin&) = default;
  };
  struct Walked {
    Explanation explanation;
    std::vector<PlannedWay> ways;
    std::uint16_t sport = 0;
    bool usable = false;
  };

  // Flows of one pair of ends lie close together in time, mostly.
  static constexpr std::size_t kMostWalks = 8192;

  std::vector<Origin> origins(const Flow& flow, std::vector<Ends>& sent) const;
  const Walked& walk(const Origin& origin, std::uint16_t sport);
  std::vector<PlannedWay> plan(const std::vector<WayReport>& ways) const;
  // Machines that have the address, and the first of them.
  struct Owners {
    std::size_t count = 0;
    const cluster::Node* first = nullptr;
  };
  const Owners& owners_of(const IpAddr& address) const;
  void consider(const Flow& flow, const Origin& origin, const Ends& sent, Forecast& best);
  std::string translator(const Forecast& forecast, const Flow& flow) const;
  void try_pods(const Flow& flow, Forecast& best);

  const cluster::Cluster& cluster_;
  const Places& places_;
  Explainer explainer_;
  std::map<Origin, Walked> walked_;  // at most kMostWalks between two flows
  mutable std::map<IpAddr, Owners> owners_;
  std::map<std::string, bool> pods_tried_;  // by ends without the source port and places: whether a pod fits
};

}  // namespace egt::explain::capture_study
