// The flows whose lines were read so far. Any number of threads may look and add; what one of them has added stays where
// it is.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "egtrace/base/published.h"
#include "openflow/action_pool.h"

namespace egt::openflow {

// Memory for match words that stay where they are.
class WordArena {
 public:
  const MatchWord* keep(MatchView words);

 private:
  static constexpr std::size_t kBlock = 1024;
  std::vector<std::unique_ptr<MatchWord[]>> blocks_;
  std::size_t left_ = 0;
  MatchWord* next_ = nullptr;
};

class ReadFlows {
 public:
  explicit ReadFlows(ActionParser parser) : actions(std::move(parser)) {}

  // Before flows below `count` are looked for; no other thread may look meanwhile.
  void make_room(std::size_t count) { pages_.resize(count / kPage + 1); }
  // Null: its line was not read so far.
  const FlowEntry* find(FlowIndex i) const {
    const std::size_t page = i / kPage;
    const Page* in = page < pages_.size() ? pages_[page].get() : nullptr;
    return in != nullptr ? (*in)[i % kPage].load(std::memory_order_acquire) : nullptr;
  }
  // With that match and those actions. Where another thread has kept the same flow, that one counts.
  const FlowEntry& keep(FlowIndex i, FlowEntry entry, MatchView match, std::string_view action_text);

  ActionPool actions;

 private:
  static constexpr std::size_t kPage = 1024;  // flows
  using Page = std::array<std::atomic<const FlowEntry*>, kPage>;

  std::vector<Published<Page>> pages_;
  std::mutex guard_;  // of what follows, and ActionPool::intern()
  std::deque<FlowEntry> entries_;
  WordArena words_;
};

}  // namespace egt::openflow
