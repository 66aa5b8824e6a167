// Flows with the same outcome, shown once: thousands of connections of one client to one service.
#pragma once

#include <vector>

#include "address_classes.h"
#include "egtrace/explain/capture.h"
#include "event_report.h"
#include "flows.h"

namespace egt::explain::capture_study {

// Of flows of one shape the first, which counts the others.
class AlikeAsOne {
 public:
  // `classes`: as shape_of() takes them. The flows must outlive this.
  AlikeAsOne(const std::vector<Flow>& flows, const AddressClasses* classes, const EventJudge& events);

  const std::vector<const Flow*>& firsts() const { return firsts_; }
  // To the reports of the first ones, in their order.
  void describe(std::vector<FlowReport>& reports);

 private:
  struct Count {
    std::uint64_t flows = 0;
    std::uint16_t first_sport = 0xffff, last_sport = 0;
    std::vector<IpAddr> senders, receivers;

    void add(const Flow& flow);
    AlikeReport report();
  };

  std::vector<const Flow*> firsts_;
  std::vector<Count> counts_;
};

}  // namespace egt::explain::capture_study
