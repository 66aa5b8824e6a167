// An Explanation as JSON (docs/schema/explain.schema.json) and as text for a terminal.
#pragma once

#include <string>

#include "egtrace/explain/explanation.h"

namespace egt::render {

std::string explain_json(const explain::Explanation& e);

struct TextOptions {
  bool colour = false;
  bool verbose = false;              // every table, not only what matters
  bool quiet = false;                // the verdict alone
  std::size_t width = 80;            // lines are wrapped to this, whatever the terminal
};
std::string explain_text(const explain::Explanation& e, const TextOptions& options);

}  // namespace egt::render
