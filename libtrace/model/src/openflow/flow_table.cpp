#include "egtrace/openflow/flow_table.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "egtrace/base/parallel.h"
#include "egtrace/openflow/conjunctions.h"
#include "egtrace/openflow/subtables.h"
#include "openflow/flow_tables.h"

namespace egt::openflow {
namespace {

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

bool has_bits_of(const MaskWord& w, FieldId id) {
  const Field& f = field(id);
  if (f.bits > 64) return w.word == f.word || w.word == f.word + 1;
  return w.word == f.word && ((w.mask >> f.shift) & low64(ones(f.bits))) != 0;
}

}  // namespace

void FlowTables::Impl::append(std::uint8_t table, FlowIndex begin, FlowIndex end) {
  Table& t = tables[table];
  if (t.runs.empty() || t.runs.back().end != begin) t.runs.push_back({begin, begin});
  t.runs.back().end = end;
  t.flows += end - begin;
  if (t.index->ready() || t.index.use_count() > 1) t.index = std::make_shared<SharedIndex>();
}

FlowTables::FlowTables(ActionParser parser, CompiledFlows flows) : FlowTables(std::move(parser)) {
  for (const CompiledTable& c : flows.tables) {
    Table& t = impl_->tables[c.table];
    t.runs.assign(c.runs.begin(), c.runs.end());
    for (const FlowRun& run : t.runs) {
      if (run.begin > run.end || run.end > flows.flows.size()) throw_damaged();
      t.flows += run.end - run.begin;
    }
    std::function<void(const TableIndex&)> check;
    if (flows.check) check = [check = flows.check](const TableIndex& index) { check_all(index, check); };
    t.index = std::make_shared<SharedIndex>(c.index, std::move(check));
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

void FlowTables::add(std::uint8_t table, std::uint16_t priority, std::uint64_t cookie, std::uint64_t n_packets, MatchView match,
                     std::string_view actions, Provenance from) {
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
    while (++i < end && refs[i].table == table) {
    }
    impl_->append(table, begin, i);
  }
}

void FlowTables::build_indexes(unsigned jobs) const {
  std::vector<const Table*> tables;
  for (const Table& t : impl_->tables)
    if (t.flows > kNeverIndexed && !t.index->ready()) tables.push_back(&t);
  std::sort(tables.begin(), tables.end(), [](const Table* a, const Table* b) { return a->flows > b->flows; });
  for_each_index(tables.size(), jobs, 1, [&](std::size_t i) { tables[i]->ensure_index(impl_->store); });
}

std::size_t FlowTables::size() const { return impl_->store.size(); }
std::uint8_t FlowTables::table_of(FlowIndex i) const { return static_cast<std::uint8_t>(impl_->store.ref(i).table); }
std::uint16_t FlowTables::priority_of(FlowIndex i) const { return static_cast<std::uint16_t>(impl_->store.ref(i).priority); }
std::uint64_t FlowTables::cookie_of(FlowIndex i) const { return impl_->store.cookie(i); }
std::optional<std::uint64_t> FlowTables::packets_of(FlowIndex i) const { return impl_->store.packets(i); }
void FlowTables::read_match(FlowIndex i, std::vector<MatchWord>& out) const { impl_->store.read_match(i, out); }
std::string_view FlowTables::line_of(FlowIndex i, std::string& buffer) const { return impl_->store.line(i, buffer); }
bool FlowTables::is_conjunctive(FlowIndex i) const { return impl_->store.ref(i).conjunctive != 0; }
void FlowTables::memberships_of(FlowIndex i, std::vector<Conjunction>& out) const { impl_->store.memberships(i, out); }

void FlowTables::find_words(FlowIndex begin, FlowIndex end, std::span<const std::string_view> words,
                            std::vector<FlowIndex>& found) const {
  impl_->store.find_words(begin, end, words, found);
}

std::size_t FlowTables::shape_of(FlowIndex i) const {
  const std::uint32_t shape = impl_->store.ref(i).shape;
  if (shape >= impl_->store.all_shapes().size()) throw_damaged();
  return shape;
}
const std::vector<MatchShape>& FlowTables::shapes() const { return impl_->store.all_shapes(); }

const FlowEntry& FlowTables::flow(FlowIndex i) const { return impl_->store.entry(i); }
const ActionList& FlowTables::actions(const FlowEntry& f) const { return impl_->store.actions(f); }
std::span<const Clause> FlowTables::clauses(const FlowEntry& f) const { return impl_->store.clauses(f); }
bool FlowTables::has_table(std::uint8_t table) const { return impl_->tables[table].flows != 0; }

std::vector<FlowIndex> FlowTables::in_table(std::uint8_t table) const {
  std::vector<FlowIndex> all;
  all.reserve(impl_->tables[table].flows);
  for (const FlowRun& run : impl_->tables[table].runs)
    for (FlowIndex i = run.begin; i < run.end; ++i) all.push_back(i);
  std::stable_sort(all.begin(), all.end(), [this](FlowIndex a, FlowIndex b) { return priority_of(a) > priority_of(b); });
  return all;
}

Subtables FlowTables::subtables(std::uint8_t table) const {
  return {impl_->store, impl_->tables[table].ensure_index(impl_->store)};
}

PrefixAnswer FlowTables::look_up_prefix(std::uint8_t table, AddressField field, U128 address) const {
  return impl_->store.prefixes().look_up(table, field, address);
}

std::string_view actions_text(const FlowEntry& f) { return f.actions->text; }

bool looks_at(const MatchShape& shape, FieldId field) {
  return std::any_of(shape.begin(), shape.end(), [&](const MaskWord& w) { return has_bits_of(w, field); });
}

}  // namespace egt::openflow
