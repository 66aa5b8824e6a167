// Which bucket of a group a packet takes (pick_select_group() of ofproto/ofproto-dpif-xlate.c).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "policy.h"
#include "switch.h"
#include "xlate_packet.h"
#include "xlate_report.h"

namespace egt::engine::ofproto {

std::uint32_t bucket_id(const openflow::Group& g, std::size_t index);

// The hash that the datapath has to compute before a bucket can be chosen.
struct HashWanted {
  bool symmetric_l4 = false;
  std::uint32_t basis = 0;
};

struct BucketChoice {
  std::optional<std::size_t> bucket;  // none: no live one, or not yet known
  bool recirculates = false;          // the packet comes back first
  std::optional<HashWanted> hash;     // ... with this
};

class BucketChooser {
 public:
  BucketChooser(const SwitchBridge& bridge, XlatePacket& packet, const XlateReport& report, Policy& policy, bool four_a_bucket)
      : bridge_(bridge), packet_(packet), report_(report), policy_(policy), four_a_bucket_(four_a_bucket) {}

  // Of groups of type select and fast failover.
  BucketChoice choose(const openflow::Group& g);

 private:
  bool is_alive(const openflow::Group& g, const openflow::Bucket& b, int depth);
  bool watched_port_is_alive(const openflow::Bucket& b) const;
  void report_not_live(const openflow::Group& g, std::size_t index) const;
  std::optional<std::size_t> first_live(const openflow::Group& g, int depth);
  std::optional<std::size_t> best_live(const openflow::Group& g, std::uint32_t basis);
  std::optional<std::size_t> ask_policy(const openflow::Group& g);
  BucketChoice select(const openflow::Group& g);
  std::optional<std::size_t> by_fields(const openflow::Group& g);
  BucketChoice by_dp_hash(const openflow::Group& g, const std::vector<std::size_t>& map);

  const SwitchBridge& bridge_;
  XlatePacket& packet_;
  const XlateReport& report_;
  Policy& policy_;
  bool four_a_bucket_;  // tables of dp_hash have at least four values a bucket (since release 3.5)
};

}  // namespace egt::engine::ofproto
