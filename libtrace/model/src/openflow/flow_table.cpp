// Lookup: a table that is asked seldom is gone through flow by flow, comparing hashes; one that is asked often gets an
// index (flow_index.h), and what was found is kept (lookup_cache.h).
#include "egtrace/openflow/flow_table.h"

#include <algorithm>
#include <array>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>

#include "egtrace/base/parallel.h"
#include "egtrace/openflow/conjunctions.h"
#include "egtrace/openflow/subtables.h"
#include "openflow/flow_index.h"
#include "openflow/lookup_cache.h"

namespace egt::openflow {
namespace {

// Building a table's index costs about as much as this many walks along it.
constexpr int kWalksBeforeIndex = 8;
constexpr std::size_t kNeverIndexed = 16;  // flows

// The index that copies of a table share: whoever needs it first builds it, on whatever thread.
class SharedIndex {
 public:
  TableIndex get(const FlowStore& store, std::span<const FlowRun> runs) {
    std::call_once(once_, [&] { own_ = build_index(store, runs); });
    return own_.view();
  }

 private:
  std::once_flag once_;
  OwnedIndex own_;
};

// One table of the bridge.
struct Table {
  std::vector<FlowRun> runs;
  std::size_t flows = 0;
  mutable int walks = 0;
  std::shared_ptr<SharedIndex> shared = std::make_shared<SharedIndex>();
  mutable std::optional<TableIndex> index;
  mutable std::function<void(const TableIndex&)> check;  // of an index that was made before; before its first use
  mutable std::optional<LookupCache> cache;

  Table() = default;
  Table(const Table& other)
      : runs(other.runs), flows(other.flows), shared(other.shared), index(other.index), check(other.check) {}
  const TableIndex& ensure_index(const FlowStore& store) const {
    if (!index) index = shared->get(store, runs);
    if (check) check(*index);
    check = nullptr;
    return *index;
  }
  LookupCache& ensure_cache(const FlowStore& store) const {
    if (!cache) {
      std::vector<const MatchShape*> masks;
      for (const Subtable& s : index->subtables) masks.push_back(&store.shape(s.shape));
      cache.emplace(masks);
    }
    return *cache;
  }
  // Flows were added.
  void forget() {
    if (!index && shared.use_count() == 1) return;  // nobody asked yet
    shared = std::make_shared<SharedIndex>();
    index.reset();
    check = nullptr;
    cache.reset();
  }
};

void check_all(const TableIndex& index, const std::function<void(const void*, std::size_t)>& check) {
  const auto one = [&](auto span) {
    if (!span.empty()) check(span.data(), span.size_bytes());
  };
  one(index.subtables);
  one(index.stages);
  one(index.partitions);
  one(index.members);
  one(index.slots);
  one(index.buckets);
}

// Hashes of one packet by shape, each computed when first asked for.
class KeyHashes {
 public:
  void start(std::size_t shapes) {
    if (of_.size() < shapes) of_.resize(shapes);
    ++now_;
  }
  std::uint32_t of(std::uint32_t shape, const FlowStore& store, const FlowKey& key) {
    Entry& e = of_[shape];
    if (e.when != now_) {
      MatchHash h;
      for (const MaskWord& w : store.shape(shape)) h.add(key.word(w.word) & w.mask);
      e = {now_, h.get()};
    }
    return e.hash;
  }

 private:
  struct Entry {
    std::uint64_t when = 0;
    std::uint32_t hash = 0;
  };
  std::vector<Entry> of_;
  std::uint64_t now_ = 0;
};

}  // namespace

struct FlowTables::Impl {
  explicit Impl(ActionParser parser) : store(std::move(parser)) {}
  Impl(const Impl& other) : store(other.store), tables(other.tables), walks_before_index(other.walks_before_index) {}

  FlowStore store;
  std::array<Table, 256> tables;
  int walks_before_index = kWalksBeforeIndex;
  mutable KeyHashes hashes;

  bool matches(FlowIndex i, const FlowKey& k) const { return openflow::matches(store.match(i), k); }
  void append(std::uint8_t table, FlowIndex begin, FlowIndex end);

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
  void candidates(std::uint8_t table, const FlowKey& key, bool with_conjunctive, Candidates& c) const;
  void offer(Candidates& c, FlowIndex i, const FlowKey& key, bool with_conjunctive) const;
  template <class Take>
  void each_hashed_alike(const Table& t, const FlowKey& key, Take take) const;
  void walk(const Table& t, const FlowKey& key, Candidates& c, bool with_conjunctive) const;
  Lookup look_up(std::uint8_t table, const FlowKey& key) const;
  Lookup resolve_conjunctions(std::uint8_t table, const FlowKey& key, const Candidates& c) const;
  Lookup resolve_at_priority(std::uint8_t table, const FlowKey& key, std::span<const FlowIndex> members) const;
  std::vector<std::uint32_t> complete(std::span<const FlowIndex> members) const;
  std::vector<FlowIndex> by_subtable(std::uint8_t table, std::span<const FlowIndex> members) const;
  std::vector<FlowIndex> members_of(std::uint32_t conj_id, std::span<const FlowIndex> members) const;

  mutable Candidates found_, found_again_;  // kept for their memory
  mutable MetClauses met_;
};

namespace {

Lookup plain_result(const std::vector<FlowIndex>& plain) {
  Lookup l;
  if (plain.empty()) return l;
  l.hit = plain.front();
  l.ties.assign(plain.begin() + 1, plain.end());
  return l;
}

}  // namespace

void FlowTables::Impl::append(std::uint8_t table, FlowIndex begin, FlowIndex end) {
  Table& t = tables[table];
  if (t.runs.empty() || t.runs.back().end != begin) t.runs.push_back({begin, begin});
  t.runs.back().end = end;
  t.flows += end - begin;
  t.forget();
}

void FlowTables::Impl::offer(Candidates& c, FlowIndex i, const FlowKey& key, bool with_conjunctive) const {
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
void FlowTables::Impl::each_hashed_alike(const Table& t, const FlowKey& key, Take take) const {
  hashes.start(store.all_shapes().size());
  for (const FlowRun& run : t.runs)
    for (FlowIndex i = run.begin; i < run.end; ++i) {
      const FlowRef& f = store.ref(i);
      if (f.hash == hashes.of(f.shape, store, key)) take(i);
    }
}

void FlowTables::Impl::walk(const Table& t, const FlowKey& key, Candidates& c, bool with_conjunctive) const {
  each_hashed_alike(t, key, [&](FlowIndex i) { offer(c, i, key, with_conjunctive); });
}

void FlowTables::Impl::candidates(std::uint8_t table, const FlowKey& key, bool with_conjunctive, Candidates& c) const {
  c.clear();
  const Table& t = tables[table];
  if (t.index || (t.flows > kNeverIndexed && ++t.walks > walks_before_index)) {
    for_candidates(
        t.ensure_index(store), store, key, [&] { return c.least(); },
        [&](FlowIndex i) { offer(c, i, key, with_conjunctive); });
  } else {
    walk(t, key, c, with_conjunctive);
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
std::vector<FlowIndex> FlowTables::Impl::members_of(std::uint32_t conj_id, std::span<const FlowIndex> members) const {
  std::vector<FlowIndex> all;
  for (const FlowIndex i : members)
    for (const Clause& c : store.actions.clauses(store.entry(i).actions))
      if (c.conj_id == conj_id && c.bit != 0) all.push_back(i);
  return all;
}

// The identifiers of conjunctions all of whose clauses are met, in the order in which the last of them was met.
std::vector<std::uint32_t> FlowTables::Impl::complete(std::span<const FlowIndex> members) const {
  met_.clear();
  std::vector<std::uint32_t> ids;
  for (const FlowIndex i : members)
    for (const Clause& c : store.actions.clauses(store.entry(i).actions))
      // Open vSwitch leaves out those with more clauses than flows that are members of anything.
      if (c.n_clauses <= members.size() && met_.meet(c)) ids.push_back(c.conj_id);
  return ids;
}

// As the switch comes upon them: it looks through subtables by descending priority of their best flows, and those of
// one priority in an order that dumps keep to.
std::vector<FlowIndex> FlowTables::Impl::by_subtable(std::uint8_t table, std::span<const FlowIndex> members) const {
  std::unordered_map<std::uint32_t, std::pair<std::uint32_t, std::size_t>> rank;  // by shape
  const std::span<const Subtable> all = tables[table].ensure_index(store).subtables;
  for (std::size_t i = 0; i < all.size(); ++i) rank[all[i].shape] = {~all[i].max_priority, i};
  std::vector<FlowIndex> ordered(members.begin(), members.end());
  std::stable_sort(ordered.begin(), ordered.end(),
                   [&](FlowIndex a, FlowIndex b) { return rank[store.ref(a).shape] < rank[store.ref(b).shape]; });
  return ordered;
}

Lookup FlowTables::Impl::resolve_at_priority(std::uint8_t table, const FlowKey& key,
                                             std::span<const FlowIndex> members) const {
  Lookup result;
  std::vector<std::uint32_t> ids = complete(members);
  if (ids.size() > 1) ids = complete(by_subtable(table, members));
  for (const std::uint32_t id : ids) {
    FlowKey again = key;
    again.set(FieldId::conj_id, id);
    candidates(table, again, false, found_again_);
    Lookup found = plain_result(found_again_.plain);
    if (found.hit == kNoFlow) continue;
    if (result.hit != kNoFlow) {  // two conjunctions of one priority hold: OpenFlow does not say which one wins
      if (found.hit != result.hit) result.ties.push_back(found.hit);
      continue;
    }
    result = std::move(found);
    result.conj_id = id;
    result.conjunction = members_of(id, members);
  }
  return result;
}

Lookup FlowTables::Impl::resolve_conjunctions(std::uint8_t table, const FlowKey& key, const Candidates& c) const {
  for (std::size_t begin = 0, end = 0; begin < c.conjunctive.size(); begin = end) {
    const std::uint64_t priority = store.ref(c.conjunctive[begin]).priority;
    while (end < c.conjunctive.size() && store.ref(c.conjunctive[end]).priority == priority) ++end;
    Lookup l = resolve_at_priority(table, key, std::span(c.conjunctive).subspan(begin, end - begin));
    if (l.hit != kNoFlow) return l;
  }
  return plain_result(c.plain);
}

FlowTables::FlowTables(ActionParser parser, CompiledFlows flows) : FlowTables(std::move(parser)) {
  for (const CompiledTable& c : flows.tables) {
    Table& t = impl_->tables[c.table];
    t.runs.assign(c.runs.begin(), c.runs.end());
    for (const FlowRun& run : t.runs) {
      if (run.begin > run.end || run.end > flows.flows.size()) throw_damaged();
      t.flows += run.end - run.begin;
    }
    t.index = c.index;
    if (flows.check) t.check = [check = flows.check](const TableIndex& index) { check_all(index, check); };
  }
  impl_->store.refer_to(std::move(flows));
}

CompiledFlows FlowTables::compile() const {
  CompiledFlows all;
  all.text = impl_->store.only_text();
  if (!all.text) return all;
  all.flows = impl_->store.refs();
  all.shapes = impl_->store.all_shapes();
  all.prefixes = impl_->store.prefixes();
  for (std::size_t i = 0; i < impl_->tables.size(); ++i) {
    const Table& t = impl_->tables[i];
    if (t.flows == 0) continue;
    all.tables.push_back({static_cast<std::uint8_t>(i), t.runs, t.ensure_index(impl_->store)});
  }
  return all;
}

FlowTables::FlowTables(ActionParser parser) : impl_(std::make_unique<Impl>(std::move(parser))) {}
FlowTables::~FlowTables() = default;
FlowTables::FlowTables(const FlowTables& other) : impl_(std::make_unique<Impl>(*other.impl_)) {}
FlowTables& FlowTables::operator=(const FlowTables& other) {
  if (this != &other) impl_ = std::make_unique<Impl>(*other.impl_);
  return *this;
}
FlowTables::FlowTables(FlowTables&&) noexcept = default;
FlowTables& FlowTables::operator=(FlowTables&&) noexcept = default;

void FlowTables::add(std::uint8_t table, std::uint16_t priority, std::uint64_t cookie, std::uint64_t n_packets,
                     MatchView match, std::string_view actions, Provenance from) {
  FlowEntry f;
  f.cookie = cookie;
  f.use.n_packets = n_packets;
  f.from = from;
  f.priority = priority;
  f.table = table;
  impl_->store.add(f, match, actions);
  const auto end = static_cast<FlowIndex>(impl_->store.size());
  impl_->append(table, end - 1, end);
}

void FlowTables::add(FlowBatch batch) {
  const std::size_t first = impl_->store.size();
  impl_->store.add(std::move(batch));
  const std::span<const FlowRef> refs = impl_->store.refs();
  const auto end = static_cast<FlowIndex>(refs.size());
  for (auto i = static_cast<FlowIndex>(first); i < end;) {
    const FlowIndex begin = i;
    const auto table = static_cast<std::uint8_t>(refs[begin].table);
    while (++i < end && refs[i].table == table) {}
    impl_->append(table, begin, i);
  }
}

void FlowTables::expect_many_lookups() { impl_->walks_before_index = 0; }

void FlowTables::build_indexes(unsigned jobs) const {
  std::vector<const Table*> tables;
  for (const Table& t : impl_->tables)
    if (t.flows > kNeverIndexed && !t.index) tables.push_back(&t);
  std::sort(tables.begin(), tables.end(), [](const Table* a, const Table* b) { return a->flows > b->flows; });
  for_each_index(tables.size(), jobs, 1, [&](std::size_t i) { tables[i]->shared->get(impl_->store, tables[i]->runs); });
}

std::size_t FlowTables::size() const { return impl_->store.size(); }
std::uint8_t FlowTables::table_of(FlowIndex i) const { return static_cast<std::uint8_t>(impl_->store.ref(i).table); }
std::uint16_t FlowTables::priority_of(FlowIndex i) const {
  return static_cast<std::uint16_t>(impl_->store.ref(i).priority);
}
std::uint64_t FlowTables::cookie_of(FlowIndex i) const { return impl_->store.cookie(i); }
const FlowEntry& FlowTables::flow(FlowIndex i) const { return impl_->store.entry(i); }
MatchView FlowTables::match(const FlowEntry& f) const { return {f.match, f.match_words}; }
const ActionList& FlowTables::actions(const FlowEntry& f) const { return impl_->store.actions.parsed(f.actions); }
std::span<const Clause> FlowTables::clauses(const FlowEntry& f) const {
  return impl_->store.actions.clauses(f.actions);
}
std::string_view FlowTables::actions_text(const FlowEntry& f) const { return impl_->store.actions.text(f.actions); }
bool FlowTables::has_table(std::uint8_t table) const { return impl_->tables[table].flows != 0; }

std::vector<FlowIndex> FlowTables::in_table(std::uint8_t table) const {
  std::vector<FlowIndex> all;
  all.reserve(impl_->tables[table].flows);
  for (const FlowRun& run : impl_->tables[table].runs)
    for (FlowIndex i = run.begin; i < run.end; ++i) all.push_back(i);
  std::stable_sort(all.begin(), all.end(),
                   [this](FlowIndex a, FlowIndex b) { return priority_of(a) > priority_of(b); });
  return all;
}

Lookup FlowTables::Impl::look_up(std::uint8_t table, const FlowKey& key) const {
  candidates(table, key, true, found_);
  return resolve_conjunctions(table, key, found_);
}

Lookup FlowTables::lookup(std::uint8_t table, const FlowKey& key) const {
  const Table& t = impl_->tables[table];
  if (!t.index) return impl_->look_up(table, key);
  LookupCache& cache = t.ensure_cache(impl_->store);
  const std::uint64_t hash = cache.hash(key);
  if (std::optional<Lookup> known = cache.find(hash, key)) return *std::move(known);
  Lookup found = impl_->look_up(table, key);
  cache.put(hash, key, found);
  return found;
}

std::vector<FlowIndex> FlowTables::beaten(std::uint8_t table, const FlowKey& key, FlowIndex winner) const {
  std::vector<FlowIndex> found;
  const std::uint16_t priority = priority_of(winner);
  const auto offer = [&](FlowIndex i) {
    const FlowRef& f = impl_->store.ref(i);
    if (f.priority < priority && !f.conjunctive && impl_->matches(i, key)) found.push_back(i);
  };
  const Table& t = impl_->tables[table];
  if (t.index) {
    for_candidates(
        t.ensure_index(impl_->store), impl_->store, key, [] { return 0U; }, offer);
  } else {
    impl_->each_hashed_alike(t, key, offer);
  }
  std::sort(found.begin(), found.end(),
            [this](FlowIndex a, FlowIndex b) { return std::pair(priority_of(b), a) < std::pair(priority_of(a), b); });
  return found;
}

Subtables FlowTables::subtables(std::uint8_t table) const {
  return {impl_->store, impl_->tables[table].ensure_index(impl_->store)};
}

PrefixAnswer FlowTables::look_up_prefix(std::uint8_t table, AddressField field, U128 address) const {
  return impl_->store.prefixes().look_up(table, field, address);
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
  for (const FlowIndex i : in_table(table)) {
    if (priority_of(i) <= above_priority) break;
    if (only_mismatch(flow(i), key)) found.push_back(i);
  }
  return found;
}

}  // namespace egt::openflow
