// Colour of text for terminals.
#pragma once

#include <string>
#include <string_view>

#include "egtrace/explain/outcome.h"
#include "egtrace/render/wrap.h"

namespace egt::render {

enum class Tone { plain, heading, good, bad, undecided, faint };

class Style {
 public:
  explicit Style(bool colour) : colour_(colour) {}
  std::string operator()(Tone tone, std::string_view text) const;

 private:
  bool colour_;
};

Tone tone_of(explain::CommonVerdict verdict);
// The class that stylesheets have for it: "good", "bad", "undecided".
std::string_view class_of(Tone tone);

}  // namespace egt::render
