#include "openflow/flow_store.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "egtrace/base/find_words.h"

namespace egt::openflow {
namespace {

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

FlowStore::FlowStore(const FlowStore& other)
    : refs_(other.refs_),
      own_(other.own_),
      prefixes_(other.prefixes_),
      without_text_(other.without_text_),
      checks_(other.checks_),
      shapes_(other.shapes_),
      shape_ids_(other.shape_ids_),
      texts_(other.texts_),
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

std::uint32_t FlowStore::intern(const MatchShape& shape) {
  std::vector<std::uint32_t>& same_hash = shape_ids_[hash_of_shape(shape)];
  for (const std::uint32_t id : same_hash)
    if (shapes_[id] == shape) return id;
  if (shapes_.size() >= kMaxShapes) throw std::length_error("flows look at more kinds of fields than can be distinguished");
  same_hash.push_back(static_cast<std::uint32_t>(shapes_.size()));
  shapes_.push_back(shape);
  return same_hash.back();
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
  ref.conjunctive = read_->actions.is_conjunctive(action_text);
  Owned& owned = own();
  PrefixCollector prefixes;
  prefixes.add(entry.table, match);
  add(prefixes.take());
  without_text_ = true;
  owned.flows.push_back(ref);
  refs_ = owned.flows;
  read_->make_room(size());
  read_->keep(static_cast<FlowIndex>(size() - 1), entry, match, action_text);
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
  read_->make_room(size());
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
    if (checks_) {
      checks_->check_flows();
      checks_->check_prefixes();
      checks_.reset();
    }
    own_ = std::make_shared<Owned>(
        Owned{{refs_.begin(), refs_.end()},
              {{prefixes_.ipv4.begin(), prefixes_.ipv4.end()}, {prefixes_.ipv6.begin(), prefixes_.ipv6.end()}}});
  } else if (own_.use_count() > 1) {
    own_ = std::make_shared<Owned>(*own_);
  }
  return *own_;
}

void FlowStore::refer_to(CompiledFlows flows) {
  shapes_ = std::move(flows.shapes);
  for (std::size_t i = 0; i < shapes_.size(); ++i) shape_ids_[hash_of_shape(shapes_[i])].push_back(static_cast<std::uint32_t>(i));
  texts_.push_back({0, std::move(flows.text)});
  refs_ = flows.flows;
  prefixes_ = flows.prefixes;
  if (flows.check) checks_ = std::make_shared<PageChecks>(std::move(flows.check), refs_, prefixes_);
  read_->make_room(size());
}

std::shared_ptr<const FlowText> FlowStore::only_text() const {
  return texts_.size() == 1 && !without_text_ ? texts_.front().text : nullptr;
}

void FlowStore::read_match(FlowIndex i, std::vector<MatchWord>& out) const {
  if (const FlowEntry* e = read_->find(i)) {
    out.assign(e->match, e->match + e->match_words);
  } else {
    text_of(i).match(ref(i), out);
  }
}

const FlowText& FlowStore::text_of(FlowIndex i) const {
  const auto behind =
      std::upper_bound(texts_.begin(), texts_.end(), i, [](FlowIndex wanted, const Text& t) { return wanted < t.first; });
  if (behind == texts_.begin()) throw_damaged();
  return *std::prev(behind)->text;
}

std::uint64_t FlowStore::cookie(FlowIndex i) const {
  if (const FlowEntry* e = read_->find(i)) return e->cookie;
  return text_of(i).cookie(ref(i));
}

std::optional<std::uint64_t> FlowStore::packets(FlowIndex i) const {
  const FlowEntry* e = read_->find(i);
  return e != nullptr ? e->use.n_packets : text_of(i).packets(ref(i));
}

std::string_view FlowStore::line(FlowIndex i, std::string& buffer) const {
  const FlowEntry* e = read_->find(i);
  return e != nullptr && without_text_ ? std::string_view(e->actions->text) : text_of(i).line(ref(i), buffer);
}

std::string_view FlowStore::lines(FlowIndex begin, FlowIndex end) const {
  if (&text_of(begin) != &text_of(end - 1)) return {};
  for (FlowIndex i = begin + 1; i < end; ++i)
    if (ref(i).offset <= ref(i - 1).offset) return {};
  return text_of(begin).contiguous_lines(ref(begin), ref(end - 1));
}

void FlowStore::read_for_words(FlowIndex begin, FlowIndex end, std::span<const std::string_view> words,
                               std::vector<FlowIndex>& found) const {
  std::string buffer;
  for (FlowIndex i = begin; i < end; ++i)
    if (without_text_ || has_any_word(line(i, buffer), words)) found.push_back(i);
}

void FlowStore::find_words(FlowIndex begin, FlowIndex end, std::span<const std::string_view> words,
                           std::vector<FlowIndex>& found) const {
  if (begin >= end) return;
  const std::string_view text = without_text_ ? std::string_view() : lines(begin, end);
  if (text.empty()) return read_for_words(begin, end, words, found);
  const auto first_found = static_cast<std::ptrdiff_t>(found.size());
  const std::uint64_t origin = ref(begin).offset;
  const auto begin_of = [&](FlowIndex i) { return i == end ? text.size() : static_cast<std::size_t>(ref(i).offset - origin); };
  for (const std::string_view word : words) {
    FlowIndex from = begin;
    for (std::size_t at = egt::find_word(text, word); at < text.size(); at = egt::find_word(text, word, begin_of(from))) {
      const auto behind =
          std::upper_bound(refs_.begin() + from, refs_.begin() + end, at,
                           [origin](std::size_t place, const FlowRef& flow) { return place < flow.offset - origin; });
      from = static_cast<FlowIndex>(behind - refs_.begin());
      const std::size_t line = begin_of(from - 1);
      if (text.substr(line, at - line).find('\n') == std::string_view::npos) found.push_back(from - 1);
    }
  }
  std::sort(found.begin() + first_found, found.end());
  found.erase(std::unique(found.begin() + first_found, found.end()), found.end());
}

void FlowStore::memberships(FlowIndex i, std::vector<Conjunction>& out) const {
  out.clear();
  const FlowEntry* e = read_->find(i);
  if (e == nullptr) return text_of(i).memberships(ref(i), out);
  for (const Action& a : actions(*e))
    if (const auto* one = std::get_if<Conjunction>(&a.kind)) out.push_back(*one);
}

const FlowEntry& FlowStore::read(FlowIndex i) const {
  thread_local FlowContent content;  // kept for its memory
  const FlowText& text = text_of(i);
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
