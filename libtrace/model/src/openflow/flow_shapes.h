// The shapes of the matches of a bridge's flows, each once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "egtrace/openflow/flow_table.h"
#include "openflow/checked_at.h"

namespace egt::openflow {

class FlowShapes {
 public:
  FlowShapes() = default;
  explicit FlowShapes(std::vector<MatchShape> shapes);

  // Its number. std::length_error where there are too many.
  std::uint32_t intern(const MatchShape& shape);
  const MatchShape& at(std::uint32_t i) const { return checked_at(std::span(all_), i); }
  const std::vector<MatchShape>& all() const { return all_; }

 private:
  std::vector<MatchShape> all_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> ids_;  // by hash
};

}  // namespace egt::openflow
