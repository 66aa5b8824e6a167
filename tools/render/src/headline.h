// The lines that a reader sees first: the outcome, its cause, and the next step.
#pragma once

#include <string>

#include "egtrace/explain/explanation.h"
#include "style.h"

namespace egt::render {

struct Headline {
  std::string outcome;     // "NO ANSWER", "ANSWERED, not as intended", "ANSWERED if a process listens on 192.0.2.10:443"
  std::string confidence;  // "proven", "assumed"; empty where nothing is decided
  std::string clause;
  std::string cause, finding, next;  // empty where there is none
  Tone tone = Tone::plain;
};

Headline headline(const explain::Explanation& e);
// "pod shop/cart-0 on worker-1"
std::string end_words(const explain::EndReport& end);

}  // namespace egt::render
