// The flows of a bridge by number: references into texts, and what was read of them so far.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "egtrace/openflow/compiled_flows.h"
#include "openflow/page_checks.h"
#include "openflow/read_flows.h"

namespace egt::openflow {

[[noreturn]] void throw_damaged();

// Numbers that come from a file lead anywhere.
template <class T>
const T& checked_at(std::span<const T> all, std::size_t i) {
  if (i >= all.size()) throw_damaged();
  return all[i];
}
template <class T>
const T& checked_at(std::span<T> all, std::size_t i) {
  return checked_at(std::span<const T>(all), i);
}

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
  std::span<const FlowRef> refs() const { return refs_; }
  const FlowRef& ref(FlowIndex i) const {
    if (checks_) checks_->check_flow(i);
    return checked_at(refs_, i);
  }
  const MatchShape& shape(std::uint32_t i) const { return checked_at(std::span(shapes_), i); }
  const std::vector<MatchShape>& all_shapes() const { return shapes_; }
  // The text that all flows are of; null where there are several, or flows without one.
  std::shared_ptr<const FlowText> only_text() const;
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
  const AddressPrefixes& prefixes() const {
    if (checks_) checks_->check_prefixes();
    return prefixes_;
  }
  const ActionList& actions(const FlowEntry& f) const { return read_->actions.parsed(*f.actions); }
  std::span<const Clause> clauses(const FlowEntry& f) const { return read_->actions.clauses(*f.actions); }

 private:
  struct Text {
    FlowIndex first = 0;
    std::shared_ptr<const FlowText> text;
  };
  struct Owned {
    std::vector<FlowRef> flows;
    OwnedPrefixes prefixes;
  };

  std::uint32_t intern(const MatchShape& shape);
  const FlowEntry& read(FlowIndex i) const;
  const FlowText& text_of(FlowIndex i) const;
  std::string_view lines(FlowIndex begin, FlowIndex end) const;  // empty: they are read one by one
  void read_for_words(FlowIndex begin, FlowIndex end, std::span<const std::string_view> words,
                      std::vector<FlowIndex>& found) const;
  void add(OwnedPrefixes prefixes);
  Owned& own();  // before flows are added
  void keep_again(const FlowStore& other);

  std::span<const FlowRef> refs_;                           // of own_, or of somebody else's memory
  std::shared_ptr<Owned> own_ = std::make_shared<Owned>();  // which a copy may share
  AddressPrefixes prefixes_;                                // of own_, or of somebody else's memory
  bool without_text_ = false;
  std::shared_ptr<PageChecks> checks_;  // null: nothing is to be checked
  std::vector<MatchShape> shapes_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> shape_ids_;  // by hash
  std::vector<Text> texts_;
  std::unique_ptr<ReadFlows> read_;
};

}  // namespace egt::openflow
