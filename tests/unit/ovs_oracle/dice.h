// The source of everything random in generated tables and packets.
#pragma once

#include <iterator>
#include <random>

namespace egt::testing {

class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  unsigned below(unsigned n) { return static_cast<unsigned>(engine_() % n); }
  unsigned between(unsigned a, unsigned b) { return a + below(b - a + 1); }
  bool one_in(unsigned n) { return below(n) == 0; }
  template <class All>
  const auto& of(const All& all) {
    return all[below(static_cast<unsigned>(std::size(all)))];
  }

 private:
  std::mt19937 engine_;
};

}  // namespace egt::testing
