// Filters and flows as keys and values, from arbitrary bytes: words lie within the line, and a filter asks each flow once.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "egtrace/parsers/flows.h"

namespace {

using namespace egt;

bool lies_within(std::string_view part, std::string_view whole) {
  return part.empty() || (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

void check_line(std::string_view line) {
  openflow::FlowWords flow;
  if (!parsers::read_flow_words(line, flow)) return;
  for (const openflow::FlowWord& word : flow.words) {
    if (!lies_within(word.key, line) || !lies_within(word.value, line)) std::abort();
    (void)parsers::read_word_list(word.value, word.section);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)parsers::parse_flow_filter(text.substr(0, text.find('\n')));
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    check_line(text.substr(at, end == text.npos ? text.npos : end - at));
    if (end == text.npos) break;
    at = end + 1;
  }
  return 0;
}
