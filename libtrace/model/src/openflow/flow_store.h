// The flows of a bridge by number: references into texts, and what was read of them so far.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "egtrace/openflow/compiled_flows.h"
#include "egtrace/openflow/conjunctions.h"

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

// The text of actions, each kept once, parsed when asked for.
class ActionPool {
 public:
  explicit ActionPool(ActionParser parser) : parser_(std::move(parser)) {}

  std::uint32_t intern(std::string_view text);
  std::string_view text(std::uint32_t id) const { return texts_[id]; }
  const ActionList& parsed(std::uint32_t id) const;
  std::span<const Clause> clauses(std::uint32_t id) const;
  bool is_conjunctive(std::string_view text) const;
  const ActionParser& parser() const { return parser_; }

 private:
  ActionParser parser_;
  std::deque<std::string> texts_;  // a deque: addresses stay
  std::unordered_map<std::string_view, std::uint32_t> ids_;
  mutable std::vector<std::unique_ptr<ActionList>> parsed_;
  mutable std::unordered_map<std::uint32_t, std::vector<Clause>> clauses_;
  mutable std::unordered_map<std::uint32_t, std::uint32_t> conjunctions_;  // numbers by identifiers
};

// Memory for match words that stay where they are.
class WordArena {
 public:
  const MatchWord* keep(MatchView words);

 private:
  static constexpr std::size_t kBlock = 1024;
  std::vector<std::unique_ptr<MatchWord[]>> blocks_;
  std::size_t left_ = 0;
  MatchWord* next_ = nullptr;
};

class FlowStore {
 public:
  explicit FlowStore(ActionParser parser) : actions(std::move(parser)) {}
  // Shares what flows there are; what is read of their lines each keeps for itself.
  FlowStore(const FlowStore& other);

  void add(FlowEntry entry, MatchView match, std::string_view action_text);
  void add(FlowBatch batch);
  // Flows that lie elsewhere; the store must be empty.
  void refer_to(CompiledFlows flows);

  std::size_t size() const { return refs_.size(); }
  std::span<const FlowRef> refs() const { return refs_; }
  const FlowRef& ref(FlowIndex i) const {
    if (!unchecked_.empty()) check_page(i / kPage);
    return checked_at(refs_, i);
  }
  const MatchShape& shape(std::uint32_t i) const { return checked_at(std::span(shapes_), i); }
  const std::vector<MatchShape>& all_shapes() const { return shapes_; }
  // The text that all flows are of; null where there are several, or flows without one.
  std::shared_ptr<const FlowText> only_text() const;
  std::size_t shapes() const { return shapes_.size(); }
  const FlowEntry& entry(FlowIndex i) const;
  std::uint64_t cookie(FlowIndex i) const;
  MatchView match(FlowIndex i) const {
    const FlowEntry& e = entry(i);
    return {e.match, e.match_words};
  }
  // The same for one look: nothing is kept.
  void read_match(FlowIndex i, std::vector<MatchWord>& out) const;
  const AddressPrefixes& prefixes() const;

  mutable ActionPool actions;

 private:
  static constexpr std::size_t kPage = 1024;  // flows
  using Page = std::array<const FlowEntry*, kPage>;
  struct Text {
    FlowIndex first = 0;
    std::shared_ptr<const FlowText> text;
  };

  std::uint32_t intern(const MatchShape& shape);
  const FlowEntry*& place_of(FlowIndex i) const;
  const FlowEntry& read(FlowIndex i) const;
  const FlowText& text_of(FlowIndex i) const;

  const FlowEntry* known(FlowIndex i) const;
  void add(OwnedPrefixes prefixes);
  struct Owned {
    std::vector<FlowRef> flows;
    OwnedPrefixes prefixes;
  };
  Owned& own();                   // before flows are added
  void keep_again(const FlowStore& other);
  void check_page(std::size_t page) const;

  std::span<const FlowRef> refs_;  // of own_, or of somebody else's memory
  std::shared_ptr<Owned> own_ = std::make_shared<Owned>();  // which a copy may share
  AddressPrefixes prefixes_;      // of own_, or of somebody else's memory
  mutable bool prefixes_unchecked_ = false;
  bool without_text_ = false;
  std::function<void(const void*, std::size_t)> check_;
  mutable std::vector<bool> unchecked_;  // by page; empty: nothing is to be checked
  std::vector<MatchShape> shapes_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> shape_ids_;  // by hash
  std::vector<Text> texts_;
  mutable std::vector<std::unique_ptr<Page>> pages_;
  mutable std::deque<FlowEntry> entries_;
  mutable WordArena words_;
  mutable FlowContent content_;
};

}  // namespace egt::openflow
