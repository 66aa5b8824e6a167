// The datapath actions that a translation has put so far, and their size as netlink attributes.
#pragma once

#include <cstddef>
#include <utility>

#include "egtrace/engine/openflow/trace.h"
#include "policy.h"
#include "switch.h"
#include "xlate_report.h"

namespace egt::engine::ofproto {

// Bytes of a datapath action as a netlink attribute, without what is nested, and of attributes around what is.
constexpr std::size_t kCloneBytes = 4, kSampleBytes = 4 + 8 + 4, kGreaterBytes = 4 + 8 + 4, kNotGreaterBytes = kGreaterBytes + 4;

// The port as the datapath has it; its number is missing where no dump shows it.
dp::Port datapath_port(const SwitchPort& p, const openflow::Datapath& datapath, Policy& policy);

class DatapathOutput {
 public:
  explicit DatapathOutput(const XlateReport& report) : report_(report) {}
  DatapathOutput(const DatapathOutput&) = delete;
  DatapathOutput& operator=(const DatapathOutput&) = delete;

  void put(dp::Action a);
  // Behind what was put, without their bytes, which nested() has counted; none of them resizes the frame.
  void append(dp::Actions more);
  dp::Action& last() { return out_->back(); }
  void clear() { out_->clear(); }
  std::size_t bytes() const { return bytes_; }
  void set_bytes(std::size_t bytes) { bytes_ = bytes; }
  // Bytes that the actions so far add to the frame.
  int added_to_frame() const { return added_to_frame_; }
  dp::Actions take() { return std::move(actions_); }

  // What `run` puts, as a list of its own; meanwhile bytes of the action around it count, too.
  template <class Run>
  dp::Actions nested(std::size_t header, Run run) {
    dp::Actions list;
    dp::Actions* const outer = std::exchange(out_, &list);
    const int added = added_to_frame_;
    bytes_ += header;
    run();
    bytes_ -= header;
    added_to_frame_ = added;
    out_ = outer;
    return list;
  }

 private:
  const XlateReport& report_;
  dp::Actions actions_;
  dp::Actions* out_ = &actions_;
  std::size_t bytes_ = 0;
  int added_to_frame_ = 0;
};

}  // namespace egt::engine::ofproto
