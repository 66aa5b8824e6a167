#include "openflow/flow_texts.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "egtrace/base/find_words.h"

namespace egt::openflow {

const FlowText& FlowTexts::of(FlowIndex i) const {
  const auto behind =
      std::upper_bound(texts_.begin(), texts_.end(), i, [](FlowIndex wanted, const Text& t) { return wanted < t.first; });
  if (behind == texts_.begin()) throw_damaged();
  return *std::prev(behind)->text;
}

std::string_view FlowTexts::lines(const FlowRefs& refs, FlowIndex begin, FlowIndex end) const {
  if (&of(begin) != &of(end - 1)) return {};
  std::uint64_t before = refs.at(begin).offset;
  for (FlowIndex i = begin + 1; i < end; ++i)
    if (std::exchange(before, refs.at(i).offset) >= before) return {};
  return of(begin).contiguous_lines(refs.at(begin), refs.at(end - 1));
}

void FlowTexts::read_for_words(const FlowRefs& refs, FlowIndex begin, FlowIndex end, std::span<const std::string_view> words,
                               std::vector<FlowIndex>& found) const {
  std::string buffer;
  for (FlowIndex i = begin; i < end; ++i)
    if (has_any_word(of(i).line(refs.at(i), buffer), words)) found.push_back(i);
}

void FlowTexts::find_words(const FlowRefs& refs, FlowIndex begin, FlowIndex end, std::span<const std::string_view> words,
                           std::vector<FlowIndex>& found) const {
  if (begin >= end) return;
  const std::string_view text = lines(refs, begin, end);
  if (text.empty()) return read_for_words(refs, begin, end, words, found);
  const std::span<const FlowRef> all = refs.all();
  const auto first_found = static_cast<std::ptrdiff_t>(found.size());
  const std::uint64_t origin = refs.at(begin).offset;
  const auto begin_of = [&](FlowIndex i) {
    return i == end ? text.size() : static_cast<std::size_t>(refs.at(i).offset - origin);
  };
  for (const std::string_view word : words) {
    FlowIndex from = begin;
    for (std::size_t at = egt::find_word(text, word); at < text.size(); at = egt::find_word(text, word, begin_of(from))) {
      const auto behind =
          std::upper_bound(all.begin() + from, all.begin() + end, at,
                           [origin](std::size_t place, const FlowRef& flow) { return place < flow.offset - origin; });
      from = static_cast<FlowIndex>(behind - all.begin());
      const std::size_t line = begin_of(from - 1);
      if (text.substr(line, at - line).find('\n') == std::string_view::npos) found.push_back(from - 1);
    }
  }
  std::sort(found.begin() + first_found, found.end());
  found.erase(std::unique(found.begin() + first_found, found.end()), found.end());
}

}  // namespace egt::openflow
