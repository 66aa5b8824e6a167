#include "openflow/flow_store.h"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <variant>

namespace egt::openflow {
namespace {

constexpr std::uint8_t kMaxClauses = 64;

std::uint32_t hash_of_shape(const MatchShape& shape) {
  MatchHash h;
  for (const MaskWord& w : shape) {
    h.add(w.word);
    h.add(w.mask);
  }
  return h.get();
}

}  // namespace

void throw_damaged() { throw std::runtime_error("the index of the flows leads nowhere: it is damaged"); }

std::uint32_t ActionPool::intern(std::string_view text) {
  const auto found = ids_.find(text);
  if (found != ids_.end()) return found->second;
  const auto id = static_cast<std::uint32_t>(texts_.size());
  ids_.emplace(texts_.emplace_back(text), id);
  parsed_.emplace_back();
  return id;
}

const ActionList& ActionPool::parsed(std::uint32_t id) const {
  std::unique_ptr<ActionList>& list = parsed_[id];
  if (!list) list = std::make_unique<ActionList>(parser_ ? parser_(texts_[id]) : ActionList{});
  return *list;
}

std::span<const Clause> ActionPool::clauses(std::uint32_t id) const {
  const auto [at, fresh] = clauses_.try_emplace(id);
  if (!fresh) return at->second;
  for (const Action& a : parsed(id)) {
    const auto* c = std::get_if<Conjunction>(&a.kind);
    if (c == nullptr) continue;
    const std::uint32_t next = static_cast<std::uint32_t>(conjunctions_.size());
    const bool sound = c->clause >= 1 && c->clause <= c->n_clauses && c->n_clauses <= kMaxClauses;
    at->second.push_back({conjunctions_.try_emplace(c->id, next).first->second, c->id,
                          sound ? std::uint64_t{1} << (c->clause - 1) : 0, c->n_clauses});
  }
  return at->second;
}

bool ActionPool::is_conjunctive(std::string_view text) const {
  if (!parser_ || text.find("conjunction(") == std::string_view::npos) return false;
  const ActionList list = parser_(text);
  return std::any_of(list.begin(), list.end(),
                     [](const Action& a) { return std::holds_alternative<Conjunction>(a.kind); });
}

const MatchWord* WordArena::keep(MatchView words) {
  if (words.empty()) return nullptr;
  if (left_ < words.size()) {
    left_ = std::max(kBlock, words.size());
    next_ = blocks_.emplace_back(std::make_unique<MatchWord[]>(left_)).get();
  }
  MatchWord* const at = next_;
  std::copy(words.begin(), words.end(), at);
  next_ += words.size();
  left_ -= words.size();
  return at;
}

FlowStore::FlowStore(const FlowStore& other)
    : actions(other.actions.parser()),
      refs_(other.refs_),
      own_(other.own_),
      prefixes_(other.prefixes_),
      prefixes_unchecked_(other.prefixes_unchecked_),
      without_text_(other.without_text_),
      check_(other.check_),
      unchecked_(other.unchecked_),
      shapes_(other.shapes_),
      shape_ids_(other.shape_ids_),
      texts_(other.texts_) {
  if (without_text_) keep_again(other);
}

// Flows that came without a text cannot be read a second time.
void FlowStore::keep_again(const FlowStore& other) {
  for (FlowIndex i = 0; i < other.size(); ++i) {
    const FlowEntry* known = other.known(i);
    if (known == nullptr) continue;
    FlowEntry e = *known;
    e.match = words_.keep({known->match, known->match_words});
    e.actions = actions.intern(other.actions.text(known->actions));
    place_of(i) = &entries_.emplace_back(e);
  }
}

std::uint32_t FlowStore::intern(const MatchShape& shape) {
  std::vector<std::uint32_t>& same_hash = shape_ids_[hash_of_shape(shape)];
  for (const std::uint32_t id : same_hash)
    if (shapes_[id] == shape) return id;
  if (shapes_.size() >= kMaxShapes)
    throw std::length_error("flows look at more kinds of fields than can be told apart");
  same_hash.push_back(static_cast<std::uint32_t>(shapes_.size()));
  shapes_.push_back(shape);
  return same_hash.back();
}

const FlowEntry*& FlowStore::place_of(FlowIndex i) const {
  const std::size_t page = i / kPage;
  if (pages_.size() <= page) pages_.resize(page + 1);
  if (!pages_[page]) pages_[page] = std::make_unique<Page>();
  return (*pages_[page])[i % kPage];
}

void FlowStore::add(FlowEntry entry, MatchView match, std::string_view action_text) {
  MatchShape shape;
  MatchHash hash;
  FlowRef ref;
  for (const MatchWord& w : match) {
    shape.push_back({w.word, w.mask});
    hash.add(w.value);
    if (w.word < kHeaderWords) ref.pipeline_hash = hash.get();
  }
  ref.table = entry.table;
  ref.priority = entry.priority;
  ref.line = entry.from.line;
  ref.hash = hash.get();
  ref.shape = intern(shape) & (kMaxShapes - 1);
  ref.conjunctive = actions.is_conjunctive(action_text);
  entry.match = words_.keep(match);
  entry.match_words = static_cast<std::uint8_t>(match.size());
  entry.actions = actions.intern(action_text);
  Owned& owned = own();
  PrefixCollector prefixes;
  prefixes.add(entry.table, match);
  add(prefixes.take());
  without_text_ = true;
  place_of(static_cast<FlowIndex>(owned.flows.size())) = &entries_.emplace_back(entry);
  owned.flows.push_back(ref);
  refs_ = owned.flows;
}

void FlowStore::add(FlowBatch batch) {
  std::vector<std::uint32_t> ids;
  for (const MatchShape& shape : batch.shapes) ids.push_back(intern(shape));
  for (FlowRef& ref : batch.flows) ref.shape = ids[ref.shape] & (kMaxShapes - 1);
  Owned& owned = own();
  add(std::move(batch.prefixes));
  texts_.push_back({static_cast<FlowIndex>(owned.flows.size()), std::move(batch.text)});
  if (owned.flows.empty()) {
    owned.flows = std::move(batch.flows);
  } else {
    owned.flows.insert(owned.flows.end(), batch.flows.begin(), batch.flows.end());
  }
  refs_ = owned.flows;
}

void FlowStore::add(OwnedPrefixes prefixes) {
  OwnedPrefixes& owned = own_->prefixes;
  if (owned.ipv4.empty() && owned.ipv6.empty()) {
    owned = std::move(prefixes);
  } else {
    owned.merge(prefixes);
  }
  prefixes_ = owned.view();
}

FlowStore::Owned& FlowStore::own() {
  if (own_->flows.size() != refs_.size()) {  // they lie in a file
    for (std::size_t page = 0; page < unchecked_.size(); ++page) check_page(page);
    unchecked_.clear();
    own_ = std::make_shared<Owned>(
        Owned{{refs_.begin(), refs_.end()},
              {{prefixes().ipv4.begin(), prefixes_.ipv4.end()}, {prefixes_.ipv6.begin(), prefixes_.ipv6.end()}}});
  } else if (own_.use_count() > 1) {
    own_ = std::make_shared<Owned>(*own_);
  }
  return *own_;
}

void FlowStore::refer_to(CompiledFlows flows) {
  shapes_ = std::move(flows.shapes);
  for (std::size_t i = 0; i < shapes_.size(); ++i)
    shape_ids_[hash_of_shape(shapes_[i])].push_back(static_cast<std::uint32_t>(i));
  texts_.push_back({0, std::move(flows.text)});
  refs_ = flows.flows;
  prefixes_ = flows.prefixes;
  check_ = std::move(flows.check);
  prefixes_unchecked_ = static_cast<bool>(check_);
  if (check_) unchecked_.assign(refs_.size() / kPage + 1, true);
}

void FlowStore::check_page(std::size_t page) const {
  if (page >= unchecked_.size() || !unchecked_[page]) return;
  const std::span<const FlowRef> flows = refs_.subspan(page * kPage, std::min(kPage, refs_.size() - page * kPage));
  check_(flows.data(), flows.size_bytes());
  unchecked_[page] = false;
}

const AddressPrefixes& FlowStore::prefixes() const {
  if (prefixes_unchecked_) {
    if (!prefixes_.ipv4.empty()) check_(prefixes_.ipv4.data(), prefixes_.ipv4.size_bytes());
    if (!prefixes_.ipv6.empty()) check_(prefixes_.ipv6.data(), prefixes_.ipv6.size_bytes());
    prefixes_unchecked_ = false;
  }
  return prefixes_;
}

std::shared_ptr<const FlowText> FlowStore::only_text() const {
  return texts_.size() == 1 && !without_text_ ? texts_.front().text : nullptr;
}

// Null: its line was not read so far.
const FlowEntry* FlowStore::known(FlowIndex i) const {
  const std::size_t page = i / kPage;
  return page < pages_.size() && pages_[page] ? (*pages_[page])[i % kPage] : nullptr;
}

const FlowEntry& FlowStore::entry(FlowIndex i) const {
  const FlowEntry* e = known(i);
  return e != nullptr ? *e : read(i);
}

void FlowStore::read_match(FlowIndex i, std::vector<MatchWord>& out) const {
  if (const FlowEntry* e = known(i)) {
    out.assign(e->match, e->match + e->match_words);
  } else {
    text_of(i).match(ref(i), out);
  }
}

const FlowText& FlowStore::text_of(FlowIndex i) const {
  const auto behind = std::upper_bound(texts_.begin(), texts_.end(), i,
                                       [](FlowIndex wanted, const Text& t) { return wanted < t.first; });
  if (behind == texts_.begin()) throw_damaged();
  return *std::prev(behind)->text;
}

std::uint64_t FlowStore::cookie(FlowIndex i) const {
  if (const FlowEntry* e = known(i)) return e->cookie;
  return text_of(i).cookie(ref(i));
}

const FlowEntry& FlowStore::read(FlowIndex i) const {
  const FlowText& text = text_of(i);
  const FlowRef& ref = this->ref(i);
  text.read(ref, content_);
  FlowEntry e;
  e.cookie = content_.cookie;
  e.use = content_.use;
  e.from = {text.source(), ref.line};
  e.match = words_.keep(content_.match);
  e.match_words = static_cast<std::uint8_t>(content_.match.size());
  e.actions = actions.intern(content_.actions);
  e.priority = ref.priority;
  e.table = static_cast<std::uint8_t>(ref.table);
  const FlowEntry& kept = entries_.emplace_back(e);
  place_of(i) = &kept;
  return kept;
}

}  // namespace egt::openflow
