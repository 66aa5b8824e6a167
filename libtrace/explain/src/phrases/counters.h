// What counters of nodes and devices count.
#pragma once

#include <string_view>

#include "egtrace/explain/drop_reason.h"
#include "egtrace/host/counter.h"

namespace egt::explain {

struct CounterMeaning {
  std::string_view name;
  DropKind kind;
  std::string_view meaning;
};
// Null: of one that counts no drops.
const CounterMeaning* meaning_of(const host::Counter& counter);

}  // namespace egt::explain
