// An Explanation as JSON (docs/schema/explain.schema.json), as text for a terminal, as a page and as a Mermaid chart.
#pragma once

#include <string>

#include "egtrace/explain/explanation.h"

namespace egt::render {

std::string explain_json(const explain::Explanation& e);
// One self-contained HTML page: no network, all text of the dumps escaped.
std::string explain_html(const explain::Explanation& e);
std::string explain_mermaid(const explain::Explanation& e);

struct TextOptions {
  bool colour = false;
  int verbose = 0;                   // 1: every table, whole lines; 2: also what each step changes, and MAC addresses
  bool quiet = false;                // the verdict alone
  std::size_t width = 80;            // lines are wrapped to this, whatever the terminal
};
std::string explain_text(const explain::Explanation& e, const TextOptions& options);

}  // namespace egt::render
