#include "openflow/action_pool.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace egt::openflow {
namespace {

constexpr std::uint8_t kMaxClauses = 64;

}  // namespace

const ActionText* ActionPool::intern(std::string_view text) {
  const auto found = known_.find(text);
  if (found != known_.end()) return found->second;
  ActionText& kept = texts_.emplace_back();
  kept.text = text;
  known_.emplace(kept.text, &kept);
  return &kept;
}

const ActionList& ActionPool::parsed(const ActionText& of) const {
  return of.parsed.get_or([&] { return parser_ ? parser_(of.text) : ActionList{}; });
}

std::span<const Clause> ActionPool::clauses(const ActionText& of) {
  return of.clauses.get_or([&] { return clauses_in(parsed(of)); });
}

std::vector<Clause> ActionPool::clauses_in(const ActionList& list) {
  std::vector<Clause> all;
  const std::lock_guard<std::mutex> lock(guard_);
  for (const Action& a : list) {
    const auto* c = std::get_if<Conjunction>(&a.kind);
    if (c == nullptr) continue;
    const std::uint32_t next = static_cast<std::uint32_t>(conjunctions_.size());
    const bool sound = c->clause >= 1 && c->clause <= c->n_clauses && c->n_clauses <= kMaxClauses;
    all.push_back({conjunctions_.try_emplace(c->id, next).first->second, c->id, sound ? std::uint64_t{1} << (c->clause - 1) : 0,
                   c->n_clauses});
  }
  return all;
}

bool ActionPool::is_conjunctive(std::string_view text) const {
  if (!parser_ || text.find("conjunction(") == std::string_view::npos) return false;
  const ActionList list = parser_(text);
  return std::any_of(list.begin(), list.end(), [](const Action& a) { return std::holds_alternative<Conjunction>(a.kind); });
}

}  // namespace egt::openflow
