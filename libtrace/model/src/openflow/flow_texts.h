// The texts of dumps that flows are references into, by the number of their first flow.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "openflow/flow_refs.h"

namespace egt::openflow {

class FlowTexts {
 public:
  void add(FlowIndex first, std::shared_ptr<const FlowText> text) { texts_.push_back({first, std::move(text)}); }

  // The text that all are of; null where there are several, or none.
  std::shared_ptr<const FlowText> only() const { return texts_.size() == 1 ? texts_.front().text : nullptr; }
  const FlowText& of(FlowIndex i) const;
  // Of the flows from `begin` on and before `end`, all of which have a text, those whose line has one of `words`, ascending, behind what
  // `found` has.
  void find_words(const FlowRefs& refs, FlowIndex begin, FlowIndex end, std::span<const std::string_view> words,
                  std::vector<FlowIndex>& found) const;

 private:
  struct Text {
    FlowIndex first = 0;
    std::shared_ptr<const FlowText> text;
  };

  std::string_view lines(const FlowRefs& refs, FlowIndex begin, FlowIndex end) const;  // empty: they are read one by one
  void read_for_words(const FlowRefs& refs, FlowIndex begin, FlowIndex end, std::span<const std::string_view> words,
                      std::vector<FlowIndex>& found) const;

  std::vector<Text> texts_;
};

}  // namespace egt::openflow
