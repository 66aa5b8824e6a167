#include "openflow/flow_store.h"

#include <utility>

namespace egt::openflow {

FlowStore::FlowStore(const FlowStore& other)
    : refs_(other.refs_),
      texts_(other.texts_),
      without_text_(other.without_text_),
      shapes_(other.shapes_),
      read_(std::make_unique<ReadFlows>(other.read_->actions.parser())) {
  read_->make_room(size());
  if (without_text_) keep_again(other);
}

// Flows that came without a text cannot be read a second time.
void FlowStore::keep_again(const FlowStore& other) {
  for (FlowIndex i = 0; i < other.size(); ++i)
    if (const FlowEntry* known = other.read_->find(i))
      read_->keep(i, *known, {known->match, known->match_words}, known->actions->text);
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
  ref.shape = shapes_.intern(shape) & (kMaxShapes - 1);
  ref.conjunctive = read_->actions.is_conjunctive(action_text);
  PrefixCollector prefixes;
  prefixes.add(entry.table, match);
  refs_.add(ref, prefixes.take());
  without_text_ = true;
  read_->make_room(size());
  read_->keep(static_cast<FlowIndex>(size() - 1), entry, match, action_text);
}

void FlowStore::add(FlowBatch batch) {
  std::vector<std::uint32_t> ids;
  for (const MatchShape& shape : batch.shapes) ids.push_back(shapes_.intern(shape));
  for (FlowRef& ref : batch.flows) ref.shape = ids[ref.shape] & (kMaxShapes - 1);
  const auto first = static_cast<FlowIndex>(size());
  refs_.add(std::move(batch.flows), std::move(batch.prefixes));
  texts_.add(first, std::move(batch.text));
  read_->make_room(size());
}

void FlowStore::refer_to(CompiledFlows flows) {
  shapes_ = FlowShapes(std::move(flows.shapes));
  texts_.add(0, std::move(flows.text));
  refs_.refer_to(flows.flows, flows.prefixes, std::move(flows.check));
  read_->make_room(size());
}

void FlowStore::read_match(FlowIndex i, std::vector<MatchWord>& out) const {
  if (const FlowEntry* e = read_->find(i)) {
    out.assign(e->match, e->match + e->match_words);
  } else {
    texts_.of(i).match(ref(i), out);
  }
}

std::uint64_t FlowStore::cookie(FlowIndex i) const {
  if (const FlowEntry* e = read_->find(i)) return e->cookie;
  return texts_.of(i).cookie(ref(i));
}

std::optional<std::uint64_t> FlowStore::packets(FlowIndex i) const {
  const FlowEntry* e = read_->find(i);
  return e != nullptr ? e->use.n_packets : texts_.of(i).packets(ref(i));
}

std::string_view FlowStore::line(FlowIndex i, std::string& buffer) const {
  const FlowEntry* e = read_->find(i);
  return e != nullptr && without_text_ ? std::string_view(e->actions->text) : texts_.of(i).line(ref(i), buffer);
}

void FlowStore::find_words(FlowIndex begin, FlowIndex end, std::span<const std::string_view> words,
                           std::vector<FlowIndex>& found) const {
  if (!without_text_) return texts_.find_words(refs_, begin, end, words, found);
  for (FlowIndex i = begin; i < end; ++i) found.push_back(i);
}

void FlowStore::memberships(FlowIndex i, std::vector<Conjunction>& out) const {
  out.clear();
  const FlowEntry* e = read_->find(i);
  if (e == nullptr) return texts_.of(i).memberships(ref(i), out);
  for (const Action& a : actions(*e))
    if (const auto* one = std::get_if<Conjunction>(&a.kind)) out.push_back(*one);
}

const FlowEntry& FlowStore::read(FlowIndex i) const {
  thread_local FlowContent content;  // kept for its memory
  const FlowText& text = texts_.of(i);
  const FlowRef& ref = this->ref(i);
  text.read(ref, content);
  FlowEntry e;
  e.cookie = content.cookie;
  e.use = content.use;
  e.from = {text.source(), ref.line};
  e.priority = ref.priority;
  e.table = static_cast<std::uint8_t>(ref.table);
  return read_->keep(i, e, content.match, content.actions);
}

}  // namespace egt::openflow
