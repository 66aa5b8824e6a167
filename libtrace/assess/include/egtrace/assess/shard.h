// A part of a question about a whole cluster, which several hosts answer at once.
#pragma once

#include <cstddef>

namespace egt::assess {

struct Shard {
  unsigned index = 0, count = 1;  // index: below count

  bool is_whole() const { return count == 1; }
  // Of items that cost alike.
  bool has(std::size_t item) const { return item % count == index; }
};

}  // namespace egt::assess
