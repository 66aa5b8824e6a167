// An Explanation as JSON (docs/schema/explain.schema.json), as text for a terminal, as a page and as charts: Mermaid, DOT, SVG.
#pragma once

#include <string>

#include "egtrace/explain/explanation.h"

namespace egt::render {

std::string explain_json(const explain::Explanation& e);
// One self-contained HTML page: no network, all text of the dumps escaped.
std::string explain_html(const explain::Explanation& e);
std::string explain_mermaid(const explain::Explanation& e);
std::string explain_dot(const explain::Explanation& e);  // of Graphviz
std::string explain_svg(const explain::Explanation& e);  // a file of its own: no script, no foreign references

struct TextOptions {
  bool colour = false;
  int verbose = 0;         // 1: also tables that changed or decided something; 2: every table and line whole,
                           // what each step changes, MAC addresses, the steps of replies
  bool quiet = false;      // the verdict alone
  std::size_t width = 80;  // columns that a line may take
};
std::string explain_text(const explain::Explanation& e, const TextOptions& options);

}  // namespace egt::render
