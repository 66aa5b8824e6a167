// The flows of a bridge by number: references into texts, and what was read of them so far.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "egtrace/openflow/compiled_flows.h"
#include "openflow/flow_refs.h"
#include "openflow/flow_shapes.h"
#include "openflow/flow_texts.h"
#include "openflow/read_flows.h"

namespace egt::openflow {

// Once the flows are added any number of threads may read.
class FlowStore {
 public:
  explicit FlowStore(ActionParser parser) : read_(std::make_unique<ReadFlows>(std::move(parser))) {}
  // Shares what flows there are; what is read of their lines each keeps for itself.
  FlowStore(const FlowStore& other);

  void add(FlowEntry entry, MatchView match, std::string_view action_text);
  void add(FlowBatch batch);
  // Flows that lie elsewhere; the store must be empty.
  void refer_to(CompiledFlows flows);

  std::size_t size() const { return refs_.size(); }
  std::span<const FlowRef> refs() const { return refs_.all(); }
  const FlowRef& ref(FlowIndex i) const { return refs_.at(i); }
  const MatchShape& shape(std::uint32_t i) const { return shapes_.at(i); }
  const std::vector<MatchShape>& all_shapes() const { return shapes_.all(); }
  // The text that all flows are of; null where there are several, or flows without one.
  std::shared_ptr<const FlowText> only_text() const { return without_text_ ? nullptr : texts_.only(); }
  const FlowEntry& entry(FlowIndex i) const {
    const FlowEntry* e = read_->find(i);
    return e != nullptr ? *e : read(i);
  }
  std::uint64_t cookie(FlowIndex i) const;
  std::optional<std::uint64_t> packets(FlowIndex i) const;
  std::string_view line(FlowIndex i, std::string& buffer) const;
  void find_words(FlowIndex begin, FlowIndex end, std::span<const std::string_view> words, std::vector<FlowIndex>& found) const;
  void memberships(FlowIndex i, std::vector<Conjunction>& out) const;
  MatchView match(FlowIndex i) const {
    const FlowEntry& e = entry(i);
    return {e.match, e.match_words};
  }
  // The same for one look: nothing is kept.
  void read_match(FlowIndex i, std::vector<MatchWord>& out) const;
  const AddressPrefixes& prefixes() const { return refs_.prefixes(); }
  const ActionList& actions(const FlowEntry& f) const { return read_->actions.parsed(*f.actions); }
  std::span<const Clause> clauses(const FlowEntry& f) const { return read_->actions.clauses(*f.actions); }

 private:
  const FlowEntry& read(FlowIndex i) const;
  void keep_again(const FlowStore& other);

  FlowRefs refs_;
  FlowTexts texts_;
  bool without_text_ = false;  // of some flow
  FlowShapes shapes_;
  std::unique_ptr<ReadFlows> read_;
};

}  // namespace egt::openflow
