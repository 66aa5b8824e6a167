// The lists of actions under execution, each within the one before: of flows, of buckets, in bridges.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "egtrace/openflow/bridge.h"

namespace egt::engine {

struct ActionList {
  std::uint32_t level = 1;          // of its actions' lines
  std::optional<std::size_t> step;  // the flow or bucket that has the list
  std::uint8_t depth = 0;           // of nested resubmits
  bool last = true;                 // nothing follows the current action in the list
  bool missed = false;              // no flow: there are no actions
  const openflow::Bridge* bridge = nullptr;
  std::uint8_t table = 0;
};

class ActionLists {
 public:
  void begin(const ActionList& first) { lists_.assign(1, first); }
  const ActionList& current() const { return lists_.back(); }
  void set_last(bool last) { lists_.back().last = last; }
  std::uint8_t nested_depth() const {
    const ActionList& list = current();
    return list.last || list.depth == 255 ? list.depth : static_cast<std::uint8_t>(list.depth + 1);
  }
  // One within the current list, like it but for its depth.
  ActionList nested() const {
    ActionList list = current();
    list.depth = nested_depth();
    return list;
  }
  void enter(const ActionList& list) { lists_.push_back(list); }
  void leave() { lists_.pop_back(); }
  // Those whose lines are deeper have ended.
  void leave_to(std::uint32_t level) {
    while (lists_.size() > 1 && lists_.back().level > level) lists_.pop_back();
  }

 private:
  std::vector<ActionList> lists_;
};

}  // namespace egt::engine
