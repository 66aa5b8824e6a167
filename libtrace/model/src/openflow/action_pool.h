// The text of actions, each kept once, parsed when asked for.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "egtrace/base/published.h"
#include "egtrace/openflow/conjunctions.h"
#include "egtrace/openflow/flow_table.h"

namespace egt::openflow {

// What FlowEntry::actions points to.
struct ActionText {
  std::string text;
  Published<const ActionList> parsed;
  Published<const std::vector<Clause>> clauses;
};

// intern() is for one thread at a time, all else for any number.
class ActionPool {
 public:
  explicit ActionPool(ActionParser parser) : parser_(std::move(parser)) {}

  const ActionText* intern(std::string_view text);
  const ActionList& parsed(const ActionText& of) const;
  std::span<const Clause> clauses(const ActionText& of);
  bool is_conjunctive(std::string_view text) const;
  const ActionParser& parser() const { return parser_; }

 private:
  std::vector<Clause> clauses_in(const ActionList& list);

  ActionParser parser_;
  std::deque<ActionText> texts_;  // a deque: addresses stay
  std::unordered_map<std::string_view, const ActionText*> known_;
  std::mutex guard_;                                               // of the numbers
  std::unordered_map<std::uint32_t, std::uint32_t> conjunctions_;  // numbers by identifiers
};

}  // namespace egt::openflow
