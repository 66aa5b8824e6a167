// Rounds of a packet that routers send to each other until its TTL ends: what comes again and again is shown once.
#pragma once

#include <cstddef>

namespace egt::render {

constexpr std::size_t kLongestRound = 48;   // entries of one round
constexpr std::size_t kFewRounds = 3;       // are shown in full

struct Rounds {
  std::size_t length = 0;   // of one round; 0: the entry does not begin such
  std::size_t count = 0;
};

// The shortest round that begins at entry `at` and is repeated; `alike(a, b)` compares two entries by their numbers.
template <class Alike>
Rounds rounds_at(std::size_t at, std::size_t size, Alike alike) {
  for (std::size_t length = 1; length <= kLongestRound && at + kFewRounds * length < size; ++length) {
    std::size_t end = at + length;
    while (end < size && alike(end - length, end)) ++end;
    const std::size_t count = (end - at) / length;
    if (count > kFewRounds) return {length, count};
  }
  return {};
}

}  // namespace egt::render
