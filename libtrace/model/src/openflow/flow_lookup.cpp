// A table that is asked seldom is gone through flow by flow, comparing hashes; one that is asked often gets an index
// (flow_index.h), and what was found is kept (lookup_cache.h).
#include "egtrace/openflow/flow_lookup.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <utility>

#include "egtrace/openflow/conjunctions.h"
#include "openflow/flow_tables.h"
#include "openflow/lookup_cache.h"

namespace egt::openflow {
namespace {

// Building a table's index costs about as much as this many walks along it.
constexpr int kWalksBeforeIndex = 8;

// Hashes of one packet by shape, each computed when first asked for.
class KeyHashes {
 public:
  void start(std::size_t shapes) {
    if (of_.size() < shapes) of_.resize(shapes);
    ++now_;
  }
  std::uint32_t of(std::uint32_t shape, const FlowStore& store, const FlowKey& key) {
    ShapeHash& e = of_[shape];
    if (e.when != now_) {
      MatchHash h;
      for (const MaskWord& w : store.shape(shape)) h.add(key.word(w.word) & w.mask);
      e = {now_, h.get()};
    }
    return e.hash;
  }

 private:
  struct ShapeHash {
    std::uint64_t when = 0;
    std::uint32_t hash = 0;
  };
  std::vector<ShapeHash> of_;
  std::uint64_t now_ = 0;
};

Lookup plain_result(const std::vector<FlowIndex>& plain) {
  Lookup l;
  if (plain.empty()) return l;
  l.hit = plain.front();
  l.ties.assign(plain.begin() + 1, plain.end());
  return l;
}

// What a lookup keeps of one table.
struct TableState {
  int walks = 0;
  const TableIndex* index = nullptr;
  std::optional<LookupCache> cache;

  LookupCache& ensure_cache(const FlowStore& store) {
    if (!cache) {
      std::vector<const MatchShape*> masks;
      for (const Subtable& s : index->subtables) masks.push_back(&store.shape(s.shape));
      cache.emplace(masks);
    }
    return *cache;
  }
};

}  // namespace

struct FlowLookup::Impl {
  explicit Impl(const FlowTables::Impl& flows) : store(flows.store), tables(flows.tables) {}

  const FlowStore& store;
  const std::array<Table, 256>& tables;
  std::array<std::unique_ptr<TableState>, 256> states;  // of those that were asked
  int walks_before_index = kWalksBeforeIndex;
  KeyHashes hashes;
  MetClauses met;

  // All matching flows that can decide: the plain ones of the highest priority, and conjunctive ones above that.
  struct Candidates {
    std::optional<std::uint16_t> priority;
    std::vector<FlowIndex> plain, conjunctive;
    std::uint32_t least() const { return priority.value_or(0); }
    void clear() {
      priority.reset();
      plain.clear();
      conjunctive.clear();
    }
  };
  Candidates found, found_again;  // kept for their memory

  TableState& state(std::uint8_t table) {
    std::unique_ptr<TableState>& s = states[table];
    if (!s) s = std::make_unique<TableState>();
    return *s;
  }
  bool matches(FlowIndex i, const FlowKey& k) const { return openflow::matches(store.match(i), k); }
  // Null: the table is asked too seldom.
  const TableIndex* index_of(std::uint8_t table);
  void candidates(std::uint8_t table, const FlowKey& key, bool with_conjunctive, Candidates& c);
  void offer(Candidates& c, FlowIndex i, const FlowKey& key, bool with_conjunctive) const;
  template <class Take>
  void each_hashed_alike(const Table& t, const FlowKey& key, Take take);
  Lookup look_up(std::uint8_t table, const FlowKey& key);
  Lookup resolve_conjunctions(std::uint8_t table, const FlowKey& key, const Candidates& c);
  Lookup resolve_at_priority(std::uint8_t table, const FlowKey& key, std::span<const FlowIndex> members);
  std::vector<std::uint32_t> complete(std::span<const FlowIndex> members);
  std::vector<FlowIndex> by_subtable(std::uint8_t table, std::span<const FlowIndex> members) const;
  std::vector<FlowIndex> members_of(std::uint32_t conj_id, std::span<const FlowIndex> members) const;
};

void FlowLookup::Impl::offer(Candidates& c, FlowIndex i, const FlowKey& key, bool with_conjunctive) const {
  const FlowRef& f = store.ref(i);
  const auto priority = static_cast<std::uint16_t>(f.priority);
  if (priority < c.least() || (f.conjunctive && !with_conjunctive) || !matches(i, key)) return;
  if (f.conjunctive) {
    c.conjunctive.push_back(i);
    return;
  }
  if (!c.priority || priority > *c.priority) {
    c.priority = priority;
    c.plain.clear();
  }
  c.plain.push_back(i);
}

// Flows that may match, gone through one by one.
template <class Take>
void FlowLookup::Impl::each_hashed_alike(const Table& t, const FlowKey& key, Take take) {
  hashes.start(store.all_shapes().size());
  for (const FlowRun& run : t.runs)
    for (FlowIndex i = run.begin; i < run.end; ++i) {
      const FlowRef& f = store.ref(i);
      if (f.hash == hashes.of(f.shape, store, key)) take(i);
    }
}

const TableIndex* FlowLookup::Impl::index_of(std::uint8_t table) {
  TableState& s = state(table);
  if (s.index != nullptr) return s.index;
  const Table& t = tables[table];
  if (t.index->ready() || (t.flows > kNeverIndexed && s.walks >= walks_before_index)) s.index = &t.ensure_index(store);
  return s.index;
}

void FlowLookup::Impl::candidates(std::uint8_t table, const FlowKey& key, bool with_conjunctive, Candidates& c) {
  c.clear();
  const auto take = [&](FlowIndex i) { offer(c, i, key, with_conjunctive); };
  if (const TableIndex* index = index_of(table)) {
    for_candidates(
        *index, store, key, [&] { return c.least(); }, take);
  } else {
    ++state(table).walks;
    each_hashed_alike(tables[table], key, take);
  }
  std::sort(c.plain.begin(), c.plain.end());
  if (c.conjunctive.empty()) return;
  // An ordinary flow beats conjunctive ones of its own priority (lib/classifier.c drops those "soft" matches).
  std::erase_if(c.conjunctive, [&](FlowIndex i) { return c.priority && store.ref(i).priority <= *c.priority; });
  std::sort(c.conjunctive.begin(), c.conjunctive.end(), [this](FlowIndex a, FlowIndex b) {
    const std::uint64_t of_a = store.ref(a).priority, of_b = store.ref(b).priority;
    return of_a != of_b ? of_a > of_b : a < b;
  });
}

// The flows that met a clause of a conjunction, once for each.
std::vector<FlowIndex> FlowLookup::Impl::members_of(std::uint32_t conj_id, std::span<const FlowIndex> members) const {
  std::vector<FlowIndex> all;
  for (const FlowIndex i : members)
    for (const Clause& c : store.clauses(store.entry(i)))
      if (c.conj_id == conj_id && c.bit != 0) all.push_back(i);
  return all;
}

// The identifiers of conjunctions all of whose clauses are met, in the order in which the last of them was met.
std::vector<std::uint32_t> FlowLookup::Impl::complete(std::span<const FlowIndex> members) {
  met.clear();
  std::vector<std::uint32_t> ids;
  for (const FlowIndex i : members)
    for (const Clause& c : store.clauses(store.entry(i)))
      // Open vSwitch leaves out those with more clauses than flows that are members of anything.
      if (c.n_clauses <= members.size() && met.meet(c)) ids.push_back(c.conj_id);
  return ids;
}

// As the switch comes upon them: it looks through subtables by descending priority of their best flows, and those of
// one priority in an order that dumps keep to.
std::vector<FlowIndex> FlowLookup::Impl::by_subtable(std::uint8_t table, std::span<const FlowIndex> members) const {
  std::unordered_map<std::uint32_t, std::pair<std::uint32_t, std::size_t>> rank;  // by shape
  const std::span<const Subtable> all = tables[table].ensure_index(store).subtables;
  for (std::size_t i = 0; i < all.size(); ++i) rank[all[i].shape] = {~all[i].max_priority, i};
  std::vector<FlowIndex> ordered(members.begin(), members.end());
  std::stable_sort(ordered.begin(), ordered.end(),
                   [&](FlowIndex a, FlowIndex b) { return rank[store.ref(a).shape] < rank[store.ref(b).shape]; });
  return ordered;
}

Lookup FlowLookup::Impl::resolve_at_priority(std::uint8_t table, const FlowKey& key, std::span<const FlowIndex> members) {
  Lookup result;
  std::vector<std::uint32_t> ids = complete(members);
  if (ids.size() > 1) ids = complete(by_subtable(table, members));
  for (const std::uint32_t id : ids) {
    FlowKey again = key;
    again.set(FieldId::conj_id, id);
    candidates(table, again, false, found_again);
    Lookup found = plain_result(found_again.plain);
    if (found.hit == kNoFlow) continue;
    if (result.hit != kNoFlow) {  // two conjunctions of one priority hold: OpenFlow does not define which one wins
      if (found.hit != result.hit) result.ties.push_back(found.hit);
      continue;
    }
    result = std::move(found);
    result.conj_id = id;
    result.conjunction = members_of(id, members);
  }
  return result;
}

Lookup FlowLookup::Impl::resolve_conjunctions(std::uint8_t table, const FlowKey& key, const Candidates& c) {
  for (std::size_t begin = 0, end = 0; begin < c.conjunctive.size(); begin = end) {
    const std::uint64_t priority = store.ref(c.conjunctive[begin]).priority;
    while (end < c.conjunctive.size() && store.ref(c.conjunctive[end]).priority == priority) ++end;
    Lookup l = resolve_at_priority(table, key, std::span(c.conjunctive).subspan(begin, end - begin));
    if (l.hit != kNoFlow) return l;
  }
  return plain_result(c.plain);
}

Lookup FlowLookup::Impl::look_up(std::uint8_t table, const FlowKey& key) {
  candidates(table, key, true, found);
  return resolve_conjunctions(table, key, found);
}

FlowLookup::FlowLookup(const FlowTables& flows) : impl_(std::make_unique<Impl>(*flows.impl_)) {}
FlowLookup::~FlowLookup() = default;
FlowLookup::FlowLookup(FlowLookup&&) noexcept = default;

void FlowLookup::expect_many() { impl_->walks_before_index = 0; }

Lookup FlowLookup::lookup(std::uint8_t table, const FlowKey& key) {
  // The cache looks at the bits that matches name, among which the packet's type need not be.
  const bool ethernet = key.u64(FieldId::packet_type) == 0;
  if (impl_->index_of(table) == nullptr || !ethernet) return impl_->look_up(table, key);
  LookupCache& cache = impl_->state(table).ensure_cache(impl_->store);
  const std::uint64_t hash = cache.hash(key);
  if (std::optional<Lookup> known = cache.find(hash, key)) return *std::move(known);
  Lookup found = impl_->look_up(table, key);
  cache.put(hash, key, found);
  return found;
}

std::vector<FlowIndex> FlowLookup::shadowed(std::uint8_t table, const FlowKey& key, FlowIndex winner) {
  const FlowStore& store = impl_->store;
  const auto priority_of = [&](FlowIndex i) { return store.ref(i).priority; };
  std::vector<FlowIndex> found;
  const auto priority = priority_of(winner);
  const auto offer = [&](FlowIndex i) {
    const FlowRef& f = store.ref(i);
    if (f.priority < priority && !f.conjunctive && impl_->matches(i, key)) found.push_back(i);
  };
  if (const TableIndex* index = impl_->index_of(table)) {
    for_candidates(
        *index, store, key, [] { return 0U; }, offer);
  } else {
    impl_->each_hashed_alike(impl_->tables[table], key, offer);
  }
  std::sort(found.begin(), found.end(),
            [&](FlowIndex a, FlowIndex b) { return std::pair(priority_of(b), a) < std::pair(priority_of(a), b); });
  return found;
}

}  // namespace egt::openflow
