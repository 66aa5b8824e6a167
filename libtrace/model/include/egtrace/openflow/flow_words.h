// A flow as keys and values, in the order of its line: what listings and filters look at, which know no fields.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace egt::openflow {

// "n_packets=37", "tcp", "resubmit(,8)", "output:3". Points into the line.
struct FlowWord {
  enum class Section : std::uint8_t { info, match, actions };
  Section section = Section::info;
  std::string_view key;
  std::string_view value;  // without the brackets of "ct(commit)"
  bool has_value = false;  // "tcp" has none, "resubmit()" has
};

struct FlowWords {
  std::vector<FlowWord> words;
  std::string_view match, actions;  // whole

  // Of statistics and the like; the first of this key, or null.
  const FlowWord* find(FlowWord::Section section, std::string_view key) const {
    for (const FlowWord& w : words)
      if (w.section == section && w.key == key) return &w;
    return nullptr;
  }
};

}  // namespace egt::openflow
