// Room in the list of a long dump's entries, judged by how many its lines gave so far. A list that doubles is there twice
// while it is copied, which is the most memory that reading takes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace egt::parsers {

class Room {
 public:
  Room(std::string_view text, std::uint32_t first_line) : text_(text), first_line_(first_line) {}

  // For one more entry, which stands in `line`.
  template <class Entry>
  void make(std::vector<Entry>& list, std::uint32_t line) {
    if (list.size() == list.capacity() && list.size() >= kLong) list.reserve(enough(list.size(), line));
  }

 private:
  static constexpr std::size_t kLong = 4096, kMostGrowth = 256;

  std::size_t enough(std::size_t entries, std::uint32_t line) {
    if (lines_ == 0) lines_ = 1 + static_cast<std::uint64_t>(std::count(text_.begin(), text_.end(), '\n'));
    const std::uint64_t done = std::min<std::uint64_t>(line < first_line_ ? 1 : line - first_line_ + 1, lines_);
    const auto expected =
        static_cast<std::size_t>(static_cast<double>(entries) * static_cast<double>(lines_) / static_cast<double>(done));
    const bool known = done > 1;  // JSON may be one line
    return known ? std::clamp(expected + entries / 16, entries + entries / 8, kMostGrowth * entries) : 2 * entries;
  }

  std::string_view text_;
  std::uint32_t first_line_;
  std::uint64_t lines_ = 0;  // 0: not counted
};

}  // namespace egt::parsers
