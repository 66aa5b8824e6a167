// The words of a description of iptables -L, one after the other.
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "egtrace/base/text.h"

namespace egt::parsers::iptables {

class PhraseWords {
 public:
  explicit PhraseWords(std::string_view text) : words_(words(text)) {}

  bool done() const { return at_ >= words_.size(); }
  // Empty behind the last one.
  std::string_view word(std::size_t ahead = 0) const { return at_ + ahead < words_.size() ? words_[at_ + ahead] : ""; }
  std::string_view next() { return at_ < words_.size() ? words_[at_++] : std::string_view{}; }
  void skip() { ++at_; }
  void skip_all() { at_ = words_.size(); }

  bool take(std::initializer_list<std::string_view> expected) {
    std::size_t i = 0;
    for (const std::string_view e : expected)
      if (word(i++) != e) return false;
    at_ += expected.size();
    return true;
  }
  // A '!' in front of the value, glued to it or not.
  bool take_negation() {
    if (take({"!"})) return true;
    if (at_ < words_.size() && word().starts_with("!")) {
      words_[at_].remove_prefix(1);
      return true;
    }
    return false;
  }

  std::size_t place() const { return at_; }
  void go_back(std::size_t place) { at_ = place; }

 private:
  std::vector<std::string_view> words_;
  std::size_t at_ = 0;
};

}  // namespace egt::parsers::iptables
