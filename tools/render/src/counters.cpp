#include "counters.h"

#include <fmt/format.h>

namespace egt::render {

Json counters_json(const std::vector<explain::CounterReport>& counters) {
  Json all = Json::array();
  for (const explain::CounterReport& c : counters)
    all.push_back({{"node", c.node},
                   {"name", c.name},
                   {"device", text_or_null(c.device)},
                   {"value", c.value},
                   {"increase", or_null(c.increase)},
                   {"meaning", c.meaning},
                   {"evidence", evidence_json(c.evidence)}});
  return all;
}

std::string counter_text(const explain::CounterReport& c) {
  std::string text =
      fmt::format("{} {}{} on {}", c.name, c.value, c.device.empty() ? "" : fmt::format(" of {}", c.device), c.node);
  if (c.increase) text += fmt::format(", {} more than in another dump", *c.increase);
  text += c.value == 0 ? fmt::format(": none since boot; it counts {}", c.meaning)
                       : fmt::format(": {}, of all connections since boot", c.meaning);
  if (!c.evidence.empty()) text += fmt::format(" ({})", explain::place_of(c.evidence.front()));
  return text;
}

}  // namespace egt::render
