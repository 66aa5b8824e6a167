// Choice points: where a packet's path splits.
//
// An engine that meets one asks the Chooser and goes on with that option. The driver runs the walk again for every other
// combination, so engines stay plain code without continuations, and each run is one path.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "egtrace/engine/branch.h"
#include "egtrace/evidence/evidence.h"

namespace egt::engine {

struct Option {
  Statement<Alternative> label;
  std::optional<double> weight = {};  // share of the traffic, where the dump shows it
};

struct ChoicePoint {
  // split: the real system uses all of them (select group, ECMP). unknown: the dumps do not show which one it is, so
  // every path through it is `assumed`.
  enum class Kind { split, unknown };
  Kind kind = Kind::split;
  std::string node = {};
  Branch what{};
  Details about = {};
  std::vector<Option> options = {};
  std::vector<Provenance> evidence = {};
};

class Chooser {
 public:
  virtual ~Chooser() = default;
  // Index into point.options; called with at least one option, and with exactly one it returns 0 and records nothing.
  virtual std::size_t choose(const ChoicePoint& point) = 0;
};

}  // namespace egt::engine
