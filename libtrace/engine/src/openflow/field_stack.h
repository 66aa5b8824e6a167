// The stack of push and pop as the switch keeps it: the bytes of each value, and behind them how many they are.
#pragma once

#include <cstdint>
#include <vector>

#include "egtrace/base/u128.h"

namespace egt::engine::ofproto {

class FieldStack {
 public:
  void push(U128 value, unsigned bits) {
    const unsigned bytes = (bits + 7) / 8;
    for (unsigned i = bytes; i-- > 0;) bytes_.push_back(static_cast<std::uint8_t>(value >> (i * 8)));
    bytes_.push_back(static_cast<std::uint8_t>(bytes));
  }
  // Of a stack that is not empty.
  U128 pop() {
    const std::size_t begin = bytes_.size() - 1 - bytes_.back();
    U128 value = 0;
    for (std::size_t i = begin; i + 1 < bytes_.size(); ++i) value = value << 8 | bytes_[i];
    bytes_.resize(begin);
    return value;
  }
  bool empty() const { return bytes_.empty(); }
  void clear() { bytes_.clear(); }
  std::size_t size() const { return bytes_.size(); }  // in bytes
  friend bool operator==(const FieldStack&, const FieldStack&) = default;

 private:
  std::vector<std::uint8_t> bytes_;
};

}  // namespace egt::engine::ofproto
