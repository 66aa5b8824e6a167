// What a translation reports to its observer, line by line: xlate_report() of ofproto/ofproto-dpif-xlate.c. Lines have a depth.
#pragma once

#include <cstdint>
#include <string>

#include "egtrace/engine/openflow/trace.h"
#include "observer.h"
#include "ofpacts.h"
#include "packet_fields.h"

namespace egt::engine::ofproto {

class XlateReport {
 public:
  explicit XlateReport(Observer* observer) : observer_(observer) {}

  // Null: nothing is reported.
  Observer* observer() const { return observer_; }
  // Another listens from now on; who did before.
  Observer* set_observer(Observer* observer) { return std::exchange(observer_, observer); }

  template <class Line>  // one of TraceNode's
  void line(NodeKind kind, Line&& line) const {
    if (observer_) observer_->line(TraceNode{kind, level_, std::forward<Line>(line)});
  }
  void note(NodeKind kind, Remark what, std::uint64_t a = 0, std::uint64_t b = 0, std::string text = {},
            std::string more = {}) const;
  void error(Remark what, std::uint64_t a = 0) const { note(NodeKind::error, what, a); }
  void actions(NodeKind kind, Remark what, const Ofpacts& list) const;
  void action_set(Remark what, const Ofpacts& set) const;
  // What the field holds now.
  void field(const Subfield& f, const FlowKey& flow, const openflow::Bridge& bridge) const;

  // A line whose children follow, until set_level() to what level() was before.
  template <class Line>
  void enter(NodeKind kind, Line&& entered) {
    line(kind, std::forward<Line>(entered));
    ++level_;
  }
  std::uint32_t level() const { return level_; }
  void set_level(std::uint32_t level) { level_ = level; }

 private:
  Observer* observer_;
  std::uint32_t level_ = 0;
};

}  // namespace egt::engine::ofproto
