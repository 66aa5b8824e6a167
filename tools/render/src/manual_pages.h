// Sections of docs/reasons.md and docs/triage/, which the build puts into the program: help for readers who are shown a rule's
// name alone.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace egt::render {

struct ManualSection {
  std::string title;     // one sentence
  std::string markdown;  // all of it, title included
  std::string text;      // the same without marks
};

std::optional<ManualSection> section_of_reason(std::string_view reason);
std::optional<ManualSection> page_of_check(std::string_view check);

}  // namespace egt::render
