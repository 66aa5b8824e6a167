// The devices that a tracer names, each once: by name, index and network namespace.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "egtrace/capture/frame.h"

namespace egt::parsers::kernel_events {

class Interfaces {
 public:
  Interfaces() { list_.push_back({}); }

  // 0, which has no name, where there are too many.
  std::uint32_t index_of(std::string_view name, std::uint32_t ifindex, std::uint32_t netns) {
    const capture::Interface& last = list_[last_];
    if (last.name == name && last.ifindex == ifindex && last.netns == netns) return last_;
    const auto [from, to] = by_place_.equal_range(static_cast<std::uint64_t>(netns) << 32 | ifindex);
    for (auto at = from; at != to; ++at)
      if (list_[at->second].name == name) return last_ = at->second;
    if (list_.size() == kMost) return 0;
    last_ = static_cast<std::uint32_t>(list_.size());
    list_.push_back({std::string(name), false, ifindex, netns});
    by_place_.emplace(static_cast<std::uint64_t>(netns) << 32 | ifindex, last_);
    return last_;
  }
  std::vector<capture::Interface>& list() { return list_; }

 private:
  static constexpr std::size_t kMost = 4096;
  std::vector<capture::Interface> list_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_place_;
  std::uint32_t last_ = 0;
};

}  // namespace egt::parsers::kernel_events
