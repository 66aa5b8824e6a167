// What the dumps predict for a captured flow: who sent its first packet, and the way (of several) that fits best with
// where packets were seen.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "egtrace/cluster/cluster.h"
#include "egtrace/explain/explanation.h"
#include "flows.h"

namespace egt::explain::capture_study {

// Rows of one direction of one way, in order, with the flow's own ports filled in.
struct Predicted {
  const WayReport* way = nullptr;
  std::vector<SightingReport> rows;
  std::string summary;  // of the way, likewise
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
std::size_t match(const std::vector<SightingReport>& rows, const Part& part);
constexpr std::size_t kNoRow = static_cast<std::size_t>(-1);

class Forecaster {
 public:
  Forecaster(const cluster::Cluster& cluster, const Places& places) : cluster_(cluster), places_(places) {}

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
    std::uint16_t sport = 0;
    bool usable = false;
  };

  std::vector<Origin> origins(const Flow& flow, std::vector<Ends>& sent) const;
  const Walked& walk(const Origin& origin, std::uint16_t sport);
  void consider(const Flow& flow, const Origin& origin, const Ends& sent, Forecast& best);
  std::string translator(const Forecast& forecast, const Flow& flow) const;
  void try_pods(const Flow& flow, Forecast& best);

  const cluster::Cluster& cluster_;
  const Places& places_;
  std::map<Origin, Walked> walked_;
  std::map<std::string, bool> pods_tried_;   // by ends without the source port and places: whether a pod fits
};

}  // namespace egt::explain::capture_study
