// What the collection of a snapshot leaves open: values and their words.
#pragma once

#include <cstdint>
#include <string>

#include "egtrace/base/term.h"
#include "egtrace/explain/explanation.h"

namespace egt::explain {

enum class Limit : std::uint8_t {
  // databases as they were at an earlier moment
  others_as_dumped,  // what is in no database
  moment_unknown,
  log_begins_later,
  nothing_later,
  later_transactions,
  // what a tool replaced
  map_gives_back,
  replaced_alike,
  // what was not read, or not as it was packed
  damaged,
  not_read,
};

AssumptionReport phrase(Limit limit, const Terms& about, Evidence evidence = {});
// Addresses that a tool replaced where a walk needs them. `translated_back`: by its map, which gives several one address.
Gap gap_of_replaced(const std::string& node, const std::string& tool, bool translated_back);
// Of a path that is undecided for that.
std::string phrase_of_replaced(const std::string& tool, const std::string& summary);

}  // namespace egt::explain
