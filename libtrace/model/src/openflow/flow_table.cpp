// Lookup is a tuple space search, as in Open vSwitch: flows of one table with the same mask make a subtable, in which
// the masked key is found by hash. Subtables are ordered by their highest priority, so that a lookup stops early.
#include "egtrace/openflow/flow_table.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <variant>

namespace egt::openflow {
namespace {

std::uint64_t mix(std::uint64_t h, std::uint64_t v) {
  h ^= v + 0x9e3779b97f4a7c15ULL + (h << 6) + (h >> 2);
  h ^= h >> 32;
  h *= 0xd6e8feb86659fd93ULL;
  return h ^ (h >> 29);
}

struct MaskWord {
  std::uint8_t word;
  std::uint64_t mask;
  friend auto operator<=>(const MaskWord&, const MaskWord&) = default;
};

struct Slot {
  std::uint64_t hash;
  FlowIndex flow;
};

struct Subtable {
  std::vector<MaskWord> mask;
  std::uint16_t max_priority = 0;
  std::vector<Slot> slots;  // by hash, then flow

  std::uint64_t hash(const FlowKey& k) const {
    std::uint64_t h = 0;
    for (const MaskWord& m : mask) h = mix(h, k.word(m.word) & m.mask);
    return h;
  }
};

std::uint64_t hash(MatchView match) {
  std::uint64_t h = 0;
  for (const MatchWord& w : match) h = mix(h, w.value);
  return h;
}

struct TableIndex {
  std::vector<Subtable> subtables;     // by descending max_priority
  std::vector<FlowIndex> by_priority;  // descending, then order of the dump
};

// The text of actions, each kept once, parsed when asked for.
class ActionPool {
 public:
  explicit ActionPool(ActionParser parser) : parser_(std::move(parser)) {}

  std::uint32_t intern(std::string_view text) {
    const auto found = ids_.find(text);
    if (found != ids_.end()) return found->second;
    const auto id = static_cast<std::uint32_t>(texts_.size());
    const std::string& kept = texts_.emplace_back(text);
    ids_.emplace(kept, id);
    parsed_.emplace_back();
    mentions_conjunction_.push_back(text.find("conjunction(") != std::string_view::npos);
    return id;
  }

  std::string_view text(std::uint32_t id) const { return texts_[id]; }

  const ActionList& parsed(std::uint32_t id) const {
    std::unique_ptr<ActionList>& list = parsed_[id];
    if (!list) list = std::make_unique<ActionList>(parser_ ? parser_(texts_[id]) : ActionList{});
    return *list;
  }

  bool is_conjunctive(std::uint32_t id) const {
    if (!mentions_conjunction_[id]) return false;
    const ActionList& list = parsed(id);
    return std::any_of(list.begin(), list.end(),
                       [](const Action& a) { return std::holds_alternative<Conjunction>(a.kind); });
  }

 private:
  ActionParser parser_;
  std::deque<std::string> texts_;  // a deque: addresses stay
  std::unordered_map<std::string_view, std::uint32_t> ids_;
  mutable std::vector<std::unique_ptr<ActionList>> parsed_;
  std::vector<bool> mentions_conjunction_;
};

}  // namespace

struct FlowTables::Impl {
  explicit Impl(ActionParser parser) : actions(std::move(parser)) {}

  std::vector<FlowEntry> flows;
  std::vector<MatchWord> pool;
  ActionPool actions;
  std::array<std::vector<FlowIndex>, 256> tables;
  mutable std::array<std::unique_ptr<TableIndex>, 256> indexes;

  MatchView match(const FlowEntry& f) const { return MatchView(pool).subspan(f.match_begin, f.match_words); }
  bool matches(FlowIndex i, const FlowKey& k) const { return openflow::matches(match(flows[i]), k); }
  const TableIndex& index(std::uint8_t table) const;

  // All matching flows that can decide: the plain ones of the highest priority, and conjunctive ones above that.
  struct Candidates {
    std::optional<std::uint16_t> priority;
    std::vector<FlowIndex> plain, conjunctive;
  };
  Candidates candidates(std::uint8_t table, const FlowKey& key, bool with_conjunctive) const;
  void offer(Candidates& c, FlowIndex i, bool with_conjunctive) const;
  Lookup resolve_conjunctions(std::uint8_t table, const FlowKey& key, const Candidates& c) const;
  Lookup resolve_at_priority(std::uint8_t table, const FlowKey& key, const std::vector<FlowIndex>& members) const;
};

namespace {

Lookup plain_result(const std::vector<FlowIndex>& plain) {
  Lookup l;
  if (plain.empty()) return l;
  l.hit = plain.front();
  l.ties.assign(plain.begin() + 1, plain.end());
  return l;
}

// Which clauses of one conjunction were met, and by which flows.
struct ConjunctionState {
  std::uint64_t met = 0;
  std::uint8_t clauses = 0;
  std::vector<FlowIndex> flows;
  bool complete() const { return clauses != 0 && met == low64(ones(clauses)); }
};

void take_part(ConjunctionState& s, const Conjunction& c, FlowIndex flow) {
  constexpr std::uint8_t kMaxClauses = 64;
  if (c.clause < 1 || c.clause > c.n_clauses || c.n_clauses > kMaxClauses) return;
  s.clauses = std::max(s.clauses, c.n_clauses);
  s.met |= std::uint64_t{1} << (c.clause - 1);
  s.flows.push_back(flow);
}

}  // namespace

const TableIndex& FlowTables::Impl::index(std::uint8_t table) const {
  std::unique_ptr<TableIndex>& made = indexes[table];
  if (made) return *made;
  made = std::make_unique<TableIndex>();
  std::map<std::vector<MaskWord>, Subtable> by_mask;
  std::vector<MaskWord> mask;
  for (const FlowIndex i : tables[table]) {
    const MatchView m = match(flows[i]);
    mask.clear();
    for (const MatchWord& w : m) mask.push_back({w.word, w.mask});
    Subtable& s = by_mask[mask];
    s.max_priority = std::max(s.max_priority, flows[i].priority);
    s.slots.push_back({hash(m), i});
  }
  for (auto& [words, s] : by_mask) {
    s.mask = words;
    std::sort(s.slots.begin(), s.slots.end(),
              [](const Slot& a, const Slot& b) { return a.hash != b.hash ? a.hash < b.hash : a.flow < b.flow; });
    made->subtables.push_back(std::move(s));
  }
  std::stable_sort(made->subtables.begin(), made->subtables.end(),
                   [](const Subtable& a, const Subtable& b) { return a.max_priority > b.max_priority; });
  made->by_priority = tables[table];
  std::stable_sort(made->by_priority.begin(), made->by_priority.end(),
                   [this](FlowIndex a, FlowIndex b) { return flows[a].priority > flows[b].priority; });
  return *made;
}

void FlowTables::Impl::offer(Candidates& c, FlowIndex i, bool with_conjunctive) const {
  const FlowEntry& f = flows[i];
  if (c.priority && f.priority < *c.priority) return;
  if (actions.is_conjunctive(f.actions)) {
    if (with_conjunctive) c.conjunctive.push_back(i);
    return;
  }
  if (!c.priority || f.priority > *c.priority) {
    c.priority = f.priority;
    c.plain.clear();
  }
  c.plain.push_back(i);
}

FlowTables::Impl::Candidates FlowTables::Impl::candidates(std::uint8_t table, const FlowKey& key,
                                                          bool with_conjunctive) const {
  Candidates c;
  for (const Subtable& s : index(table).subtables) {
    if (c.priority && s.max_priority < *c.priority) break;
    const std::uint64_t h = s.hash(key);
    auto it = std::lower_bound(s.slots.begin(), s.slots.end(), h,
                               [](const Slot& slot, std::uint64_t wanted) { return slot.hash < wanted; });
    for (; it != s.slots.end() && it->hash == h; ++it)
      if (matches(it->flow, key)) offer(c, it->flow, with_conjunctive);
  }
  std::sort(c.plain.begin(), c.plain.end());
  // An ordinary flow beats conjunctive ones of its own priority (lib/classifier.c drops those "soft" matches).
  std::erase_if(c.conjunctive, [&](FlowIndex i) { return c.priority && flows[i].priority <= *c.priority; });
  std::sort(c.conjunctive.begin(), c.conjunctive.end(), [this](FlowIndex a, FlowIndex b) {
    return flows[a].priority != flows[b].priority ? flows[a].priority > flows[b].priority : a < b;
  });
  return c;
}

Lookup FlowTables::Impl::resolve_at_priority(std::uint8_t table, const FlowKey& key,
                                             const std::vector<FlowIndex>& members) const {
  std::map<std::uint32_t, ConjunctionState> states;
  for (const FlowIndex i : members)
    for (const Action& a : actions.parsed(flows[i].actions))
      if (const auto* c = std::get_if<Conjunction>(&a.kind)) take_part(states[c->id], *c, i);
  Lookup result;
  for (const auto& [id, state] : states) {
    if (!state.complete()) continue;
    FlowKey again = key;
    again.set(FieldId::conj_id, id);
    Lookup found = plain_result(candidates(table, again, false).plain);
    if (found.hit == kNoFlow) continue;
    if (result.hit != kNoFlow) {  // two conjunctions of one priority hold: which one wins is undefined
      if (found.hit != result.hit) result.ties.push_back(found.hit);
      continue;
    }
    result = std::move(found);
    result.conj_id = id;
    result.conjunction = state.flows;
  }
  return result;
}

Lookup FlowTables::Impl::resolve_conjunctions(std::uint8_t table, const FlowKey& key, const Candidates& c) const {
  for (std::size_t begin = 0; begin < c.conjunctive.size();) {
    const std::uint16_t priority = flows[c.conjunctive[begin]].priority;
    std::vector<FlowIndex> members;
    for (; begin < c.conjunctive.size() && flows[c.conjunctive[begin]].priority == priority; ++begin)
      members.push_back(c.conjunctive[begin]);
    Lookup l = resolve_at_priority(table, key, members);
    if (l.hit != kNoFlow) return l;
  }
  return plain_result(c.plain);
}

FlowTables::FlowTables(ActionParser parser) : impl_(std::make_unique<Impl>(std::move(parser))) {}
FlowTables::~FlowTables() = default;
FlowTables::FlowTables(FlowTables&&) noexcept = default;
FlowTables& FlowTables::operator=(FlowTables&&) noexcept = default;

void FlowTables::add(std::uint8_t table, std::uint16_t priority, std::uint64_t cookie, std::uint64_t n_packets,
                     MatchView match, std::string_view actions, Provenance from) {
  FlowEntry f;
  f.cookie = cookie;
  f.n_packets = n_packets;
  f.from = from;
  f.match_begin = static_cast<std::uint32_t>(impl_->pool.size());
  f.match_words = static_cast<std::uint8_t>(match.size());
  f.actions = impl_->actions.intern(actions);
  f.priority = priority;
  f.table = table;
  impl_->pool.insert(impl_->pool.end(), match.begin(), match.end());
  impl_->tables[table].push_back(static_cast<FlowIndex>(impl_->flows.size()));
  impl_->flows.push_back(f);
  impl_->indexes[table].reset();
}

std::size_t FlowTables::size() const { return impl_->flows.size(); }
const FlowEntry& FlowTables::flow(FlowIndex i) const { return impl_->flows[i]; }
MatchView FlowTables::match(const FlowEntry& f) const { return impl_->match(f); }
const ActionList& FlowTables::actions(const FlowEntry& f) const { return impl_->actions.parsed(f.actions); }
std::string_view FlowTables::actions_text(const FlowEntry& f) const { return impl_->actions.text(f.actions); }
std::vector<FlowIndex> FlowTables::in_table(std::uint8_t table) const { return impl_->index(table).by_priority; }
bool FlowTables::has_table(std::uint8_t table) const { return !impl_->tables[table].empty(); }

Lookup FlowTables::lookup(std::uint8_t table, const FlowKey& key) const {
  const Impl::Candidates c = impl_->candidates(table, key, true);
  return impl_->resolve_conjunctions(table, key, c);
}

std::optional<FieldId> FlowTables::only_mismatch(const FlowEntry& f, const FlowKey& key) const {
  constexpr int kWordsOfOneField = 2;
  int wrong_words = 0;
  for (const MatchWord& w : match(f))
    if (((key.word(w.word) ^ w.value) & w.mask) && ++wrong_words > kWordsOfOneField) return std::nullopt;
  if (wrong_words == 0) return std::nullopt;
  FlowKey wanted = key;
  for (const MatchWord& w : match(f)) wanted.set_word(w.word, (key.word(w.word) & ~w.mask) | w.value);
  const std::vector<FieldId> fields = differing_fields(key, wanted);
  return fields.size() == 1 ? std::optional(fields.front()) : std::nullopt;
}

std::vector<FlowIndex> FlowTables::near_misses(std::uint8_t table, const FlowKey& key,
                                               std::uint16_t above_priority) const {
  std::vector<FlowIndex> found;
  for (const FlowIndex i : impl_->index(table).by_priority) {
    if (flow(i).priority <= above_priority) break;
    if (only_mismatch(flow(i), key)) found.push_back(i);
  }
  return found;
}

}  // namespace egt::openflow
