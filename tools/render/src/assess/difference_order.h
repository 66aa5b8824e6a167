// Differences in the order in which they are shown: each cause with what follows from it, those that change paths first.
#pragma once

#include <cstddef>
#include <vector>

#include "egtrace/assess/difference.h"

namespace egt::render {

class DifferenceOrder {
 public:
  explicit DifferenceOrder(const std::vector<assess::Difference>& all);
  // What follows from no other one.
  const std::vector<std::size_t>& roots() const { return roots_; }
  // What changes paths is of more interest than what changes none that was asked for.
  bool changes_paths(std::size_t i) const { return !paths_[i].empty(); }
  // What follows from it, paths and others.
  const std::vector<std::size_t>& paths(std::size_t i) const { return paths_[i]; }
  const std::vector<std::size_t>& others(std::size_t i) const { return others_[i]; }

 private:
  std::vector<std::size_t> roots_;
  std::vector<std::vector<std::size_t>> paths_, others_;  // by their cause
};

}  // namespace egt::render
