// The lines of ofproto/trace in the order in which they are printed.
#pragma once

#include <utility>
#include <vector>

#include "observer.h"

namespace egt::engine::ofproto {

class TraceTree : public Observer {
 public:
  TraceTree() {
    constexpr std::size_t kUsualNodes = 256;
    nodes_.reserve(kUsualNodes);
  }
  void line(TraceNode&& node) override { nodes_.push_back(std::move(node)); }
  std::vector<TraceNode> take() { return std::move(nodes_); }

 private:
  std::vector<TraceNode> nodes_;
};

}  // namespace egt::engine::ofproto
