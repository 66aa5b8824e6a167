#include "openflow/read_flows.h"

#include <algorithm>

namespace egt::openflow {

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

const FlowEntry& ReadFlows::keep(FlowIndex i, FlowEntry entry, MatchView match, std::string_view action_text) {
  const Published<Page>& page = pages_.at(i / kPage);
  const std::lock_guard<std::mutex> lock(guard_);
  Page* in = page.get();
  if (in == nullptr) in = &page.publish(std::make_unique<Page>());
  std::atomic<const FlowEntry*>& place = (*in)[i % kPage];
  if (const FlowEntry* first = place.load(std::memory_order_relaxed)) return *first;
  entry.match = words_.keep(match);
  entry.match_words = static_cast<std::uint8_t>(match.size());
  entry.actions = actions.intern(action_text);
  const FlowEntry& kept = entries_.emplace_back(entry);
  place.store(&kept, std::memory_order_release);
  return kept;
}

}  // namespace egt::openflow
