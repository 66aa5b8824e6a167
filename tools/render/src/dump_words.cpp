#include "dump_words.h"

namespace egt::render {

std::string excerpt_words(const explain::DumpReport& dump) {
  const std::string words = "an excerpt";
  if (!dump.partial) return {};
  return dump.why_partial.empty() || dump.why_partial == words ? words : words + ": " + dump.why_partial;
}

}  // namespace egt::render
