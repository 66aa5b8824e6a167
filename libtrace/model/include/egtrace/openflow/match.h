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

// What an exact match of a field takes of its word beyond the field: a flow label lies in a header field of 32 bits, an
// option type of neighbour discovery in one of 16. Only an exact match takes all of them, and only it is shown without a
// mask (match_set_ipv6_label(), match_set_nd_options_type() and match_format() of lib/match.c).
constexpr std::uint64_t beyond_field(FieldId f) {
  if (f == FieldId::ipv6_label) return 0xfff00000;
  return f == FieldId::nd_options_type ? 0xff00000000000000 : 0;
}

using MatchView = std::span<const MatchWord>;  // ascending by word, one entry a word

// Whether what a match looks at makes it one of Ethernet packets only: any field of a header does, unless the match
// gives the packet's type (match_add_ethernet_prereq() of lib/match.c).
template <class Words>
bool implies_ethernet(const Words& words) {
  constexpr std::size_t kFirst = 49, kType = 20, kBehind = 77;  // of connections' addresses; packet_type; the last header
  bool implied = false;
  for (const auto& w : words) {
    if (w.word == kType && (w.mask & 0xffffffff) != 0) return false;
    implied |= w.word >= kFirst && w.word < kBehind;
  }
  return implied;
}

inline bool matches(MatchView m, const FlowKey& k) {
  for (const MatchWord& w : m)
    if ((k.word(w.word) & w.mask) != w.value) return false;
  return k.u64(FieldId::packet_type) == 0 || !implies_ethernet(m);
}
// Bits of `f` that the match looks at, and their value.
U128 mask_of(MatchView m, FieldId f);
U128 value_of(MatchView m, FieldId f);

// A match while it is built by a parser or by learn.
class Match {
 public:
  void require(FieldId f, U128 value);             // exact
  void require(FieldId f, U128 value, U128 mask);  // value's bits outside mask are dropped
  void require(const Subfield& s, U128 value);
  void require(const MatchWord& w);  // bits of one word of the key
  MatchView view() const { return words_; }
  bool empty() const { return words_.empty(); }
  friend bool operator==(const Match&, const Match&) = default;

 private:
  std::vector<MatchWord> words_;
};

}  // namespace egt::openflow
