// A place in a piece of text, for hand-written parsers of line formats: no allocation, every position can be shown.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "egtrace/base/text.h"

namespace egt::parsers {

class Cursor {
 public:
  explicit Cursor(std::string_view text) : begin_(text.data()), at_(text.data()), end_(text.data() + text.size()) {}

  bool done() const { return at_ == end_; }
  char peek() const { return at_ == end_ ? '\0' : *at_; }
  std::string_view rest() const { return {at_, static_cast<std::size_t>(end_ - at_)}; }
  std::uint32_t column() const { return static_cast<std::uint32_t>(at_ - begin_) + 1; }

  void skip(std::size_t n = 1) { at_ += n; }
  void skip_blanks() {
    while (at_ != end_ && is_blank(*at_)) ++at_;
  }
  bool take(char c) {
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }
  bool take(std::string_view word) {
    if (!rest().starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  // Characters as long as `keep` accepts them.
  template <class Keep>
  std::string_view take_while(Keep keep) {
    const char* from = at_;
    while (at_ != end_ && keep(*at_)) ++at_;
    return {from, static_cast<std::size_t>(at_ - from)};
  }
  std::string_view take_until(char c) {
    const char* from = at_;
    const void* found = at_ == end_ ? nullptr : std::memchr(at_, c, static_cast<std::size_t>(end_ - at_));
    at_ = found ? static_cast<const char*>(found) : end_;
    return {from, static_cast<std::size_t>(at_ - from)};
  }

 private:
  const char* begin_;
  const char* at_;
  const char* end_;
};

// Where `part`, a view into `whole`, begins: 1 for its first character.
inline std::uint32_t column_of(std::string_view part, std::string_view whole) {
  return static_cast<std::uint32_t>(part.data() - whole.data()) + 1;
}

}  // namespace egt::parsers
