// What a flow entry matches: value and mask over a FlowKey, kept as the few 64-bit words that matter.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "egtrace/packet/flow_key.h"

namespace egt::openflow {

struct MatchWord {
  std::uint8_t word = 0;  // index into FlowKey
  std::uint64_t value = 0, mask = 0;
  friend bool operator==(const MatchWord&, const MatchWord&) = default;
};

// What an exact match of ipv6_label takes of the label's word: all 32 bits of the header field that holds it, more than
// a label has. Only so is it told without a mask (match_set_ipv6_label() and match_format() of lib/match.c).
constexpr std::uint64_t kExactFlowLabel = 0xffffffff;

using MatchView = std::span<const MatchWord>;  // ascending by word, one entry a word

inline bool matches(MatchView m, const FlowKey& k) {
  for (const MatchWord& w : m)
    if ((k.word(w.word) & w.mask) != w.value) return false;
  return true;
}
// Bits of `f` that the match looks at, and their value.
U128 mask_of(MatchView m, FieldId f);
U128 value_of(MatchView m, FieldId f);

// A match while it is built by a parser or by learn.
class Match {
 public:
  void require(FieldId f, U128 value);               // exact
  void require(FieldId f, U128 value, U128 mask);    // value's bits outside mask are dropped
  void require(const Subfield& s, U128 value);
  void require(const MatchWord& w);                  // bits of one word of the key
  MatchView view() const { return words_; }
  bool empty() const { return words_.empty(); }
  friend bool operator==(const Match&, const Match&) = default;

 private:
  std::vector<MatchWord> words_;
};

}  // namespace egt::openflow
