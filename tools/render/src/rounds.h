// Rounds of a packet that routers send to each other until its TTL ends: what comes again and again is shown once.
#pragma once

#include <cstddef>

namespace egt::render {

constexpr std::size_t kLongestRound = 48;  // entries of one round
constexpr std::size_t kFewRounds = 3;      // are shown in full

struct Rounds {
  std::size_t begin = 0;
  std::size_t length = 0;  // of one round; 0: no round begins there
  std::size_t count = 0;
  std::size_t end() const { return begin + length * count; }
};

// The shortest round that begins at entry `at` and is repeated; `alike(a, b)` compares two entries by their numbers.
template <class Alike>
Rounds rounds_at(std::size_t at, std::size_t size, Alike alike) {
  for (std::size_t length = 1; length <= kLongestRound && at + kFewRounds * length < size; ++length) {
    std::size_t end = at + length;
    while (end < size && alike(end - length, end)) ++end;
    const std::size_t count = (end - at) / length;
    if (count > kFewRounds) return {at, length, count};
  }
  return {at, 0, 0};
}

// Calls `show(i)` for the entries in their order, and `again(rounds)` in place of rounds behind the first.
template <class Alike, class Show, class Again>
void show_rounds_once(std::size_t size, Alike alike, Show show, Again again) {
  for (std::size_t i = 0; i < size;) {
    const Rounds rounds = rounds_at(i, size, alike);
    if (rounds.length == 0) {
      show(i++);
      continue;
    }
    for (; i < rounds.begin + rounds.length; ++i) show(i);
    again(rounds);
    i = rounds.end();
  }
}

}  // namespace egt::render
