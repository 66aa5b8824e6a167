// The flows of one table by their masks, as lib/classifier.c looks through them. For one thread: it keeps what it found.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "egtrace/openflow/compiled_flows.h"

namespace egt::openflow {

class FlowStore;

// Flows of one mask.
struct SubtableView {
  std::uint32_t number = 0;
  std::uint16_t max_priority = 0;
  const MatchShape* mask = nullptr;
  std::uint32_t pipeline_words = 0;  // so many of the mask's words are the pipeline's (below kHeaderWords)
};

class Subtables {
 public:
  Subtables(const FlowStore& store, const TableIndex& index);

  const std::vector<SubtableView>& all() const { return all_; }  // by descending priority, then by their first flows
  // By number: whether a flow of it has the key's values in the pipeline's fields. Of one whose mask has none it is
  // true. It goes by a hash of 32 bits: values that hash alike count as the same.
  const std::vector<char>& agreeing_in_pipeline(const FlowKey& key);
  // Those flows of one.
  std::vector<FlowIndex> alike_in_pipeline(const SubtableView& s, const FlowKey& key);
  std::vector<FlowIndex> flows(const SubtableView& s) const;
  // The one of highest priority that matches; of several the first. kNoFlow: none.
  FlowIndex best(const SubtableView& s, const FlowKey& key) const;
  void read_match(FlowIndex flow, std::vector<MatchWord>& out) const;

 private:
  const FlowStore* store_;
  TableIndex index_;
  std::vector<SubtableView> all_;
  // Flows of a subtable by their values of the pipeline, once they were asked for a few times.
  struct ByPipeline {
    unsigned asked = 0;
    std::vector<std::pair<std::uint32_t, FlowIndex>> sorted;
  };
  std::vector<char> agreeing_;  // by number
  std::vector<ByPipeline> by_pipeline_;
};

}  // namespace egt::openflow
