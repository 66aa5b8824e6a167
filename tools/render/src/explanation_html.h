// An explanation as a part of a page: the outcome, then each path as a line through nodes, each step opening to the dump lines
// behind it.
#pragma once

#include <functional>
#include <string>

#include "egtrace/explain/explanation.h"

namespace egt::render {

std::string evidence_html(const explain::EvidenceLine& line);  // its place and its text

struct ExplanationStyle {
  int level = 1;  // of its heading; those of its parts are below
  std::function<std::string(const explain::EvidenceLine&)> evidence = evidence_html;
};

std::string explanation_html(const explain::Explanation& e, const ExplanationStyle& style = {});
std::string packet_text(const explain::Explanation& e);  // "tcp 10.0.0.1:54321 → 192.0.2.1:80"

}  // namespace egt::render
