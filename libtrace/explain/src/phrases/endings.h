// How a path ends and what led there: values, and the sentences of paths.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "egtrace/base/term.h"
#include "egtrace/explain/explanation.h"

namespace egt::explain {

// Beyond the rule that ends it.
enum class Ending : std::uint8_t {
  logical_flow_drops,
  no_route_of_ovn,
  no_logical_flow,
  row_decides,
  no_local_endpoint,
  wrong_node,
  remembered_frame,
};

std::string phrase(Ending ending, const Terms& about);

// What the receiver sees. `from`: the sender; `leaves`: for a host that no dump shows.
std::string sentence_of_delivered(const PathReport& path, const std::string& from, bool leaves);

struct Stopping {
  std::string packet;               // "the reply"
  std::string drop;                 // what the logical flow that drops it shows; else the reason of the end
  std::vector<std::string> causes;  // what led there, before the last rule; empty where the dumps show no more
  std::string rule;                 // of a host, as its dump prints it
};
std::string sentence_of_stopped(const PathReport& path, const Stopping& stopping);

// Of several paths with one verdict, or (none) several.
std::string sentence_of_all(const std::vector<PathReport>& paths, std::optional<Verdict> verdict);

Gap gap_of_unknown_part(const std::string& node);

}  // namespace egt::explain
