// Reads lines of dump-flows that have exactly the form in which Open vSwitch prints them, quickly and without building a
// tree. It accepts a line only where read_flow_line() would understand it and its tree would print the same text again;
// any other line is left to that.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "egtrace/openflow/address_prefixes.h"
#include "egtrace/openflow/flow_table.h"

namespace egt::parsers::ofctl {

// What is known of texts that come again and again, by the text itself.
template <class Value>
class TextMemo {
 public:
  // Null when it is not known.
  const Value* find(std::string_view text, std::uint64_t hash) const {
    for (std::size_t i = hash & (slots_.size() - 1); slots_[i].used; i = (i + 1) & (slots_.size() - 1))
      if (slots_[i].hash == hash && text_of(slots_[i]) == text) return &slots_[i].value;
    return nullptr;
  }
  // Keeps a copy of the text. Beyond kMost texts nothing more is kept.
  void put(std::string_view text, std::uint64_t hash, const Value& value) {
    if (count_ >= kMost || text.size() > kLongest) return;
    if (++count_ * 2 > slots_.size()) grow();
    place({hash, kept_.size(), static_cast<std::uint32_t>(text.size()), true, value});
    kept_.insert(kept_.end(), text.begin(), text.end());
  }

 private:
  static constexpr std::size_t kMost = std::size_t{1} << 20, kLongest = 1 << 16;
  struct TextSlot {
    std::uint64_t hash = 0, at = 0;
    std::uint32_t size = 0;
    bool used = false;
    Value value{};
  };
  std::string_view text_of(const TextSlot& s) const { return {kept_.data() + s.at, s.size}; }
  void place(const TextSlot& s) {
    std::size_t i = s.hash & (slots_.size() - 1);
    while (slots_[i].used) i = (i + 1) & (slots_.size() - 1);
    slots_[i] = s;
  }
  void grow() {
    std::vector<TextSlot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const TextSlot& s : old)
      if (s.used) place(s);
  }

  std::vector<TextSlot> slots_ = std::vector<TextSlot>(256);
  std::vector<char> kept_;
  std::size_t count_ = 0;
};

// How much of the actions is looked at.
enum class ActionCheck : std::uint8_t {
  understood,  // texts that differ in digits only are taken to be understood or not alike
  printed,     // each text is known to print as itself
};

struct ActionVerdict {
  bool good = false, conjunctive = false;
};

// Lists of actions that were understood, by their hashes alone: a megabyte for the texts of a million flows.
class UnderstoodLists {
 public:
  std::optional<ActionVerdict> find(std::uint64_t hash) const {
    for (std::size_t i = slot_of(hash); slots_[i] != 0; i = (i + 1) & (slots_.size() - 1))
      if ((slots_[i] ^ hash) < kLowBits) return ActionVerdict{true, (slots_[i] & kConjunctive) != 0};
    return std::nullopt;
  }
  void put(std::uint64_t hash, bool conjunctive) {
    if (count_ >= kMost) return;
    if (++count_ * 2 > slots_.size()) grow();
    place((hash & ~(kLowBits - 1)) | kUsed | (conjunctive ? kConjunctive : 0));
  }

 private:
  static constexpr std::size_t kMost = std::size_t{1} << 20;
  static constexpr std::uint64_t kUsed = 1, kConjunctive = 2, kLowBits = 4;  // the others are the hash's
  std::size_t slot_of(std::uint64_t hash) const { return static_cast<std::size_t>(hash >> 2) & (slots_.size() - 1); }
  void place(std::uint64_t entry) {
    std::size_t i = slot_of(entry);
    while (slots_[i] != 0) i = (i + 1) & (slots_.size() - 1);
    slots_[i] = entry;
  }
  void grow() {
    std::vector<std::uint64_t> old(slots_.size() * 2);
    old.swap(slots_);
    for (const std::uint64_t entry : old)
      if (entry != 0) place(entry);
  }

  std::vector<std::uint64_t> slots_ = std::vector<std::uint64_t>(1024);
  std::size_t count_ = 0;
};

class ActionMemo {
 public:
  explicit ActionMemo(ActionCheck check) : check_(check) {}
  ActionVerdict look_at(std::string_view actions);

 private:
  ActionVerdict understand(std::string_view actions);
  bool prints_as_itself(std::string_view actions);

  ActionCheck check_;
  // What is understood.
  UnderstoodLists lists_;
  std::unordered_map<std::uint64_t, ActionVerdict> forms_;  // by form_of()
  // What prints as itself.
  TextMemo<ActionVerdict> texts_;  // whole lists
  TextMemo<bool> single_;          // single actions
};

// Distinct shapes, numbered.
class ShapeSet {
 public:
  std::uint32_t intern(const openflow::MaskWord* words, std::size_t n);
  const std::vector<openflow::MatchShape>& all() const { return shapes_; }

 private:
  std::vector<openflow::MatchShape> shapes_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> by_hash_;
  std::array<std::uint32_t, 256> recent_{};  // by hash: most flows are of a few shapes
};

class FlowScanner {
 public:
  explicit FlowScanner(ActionCheck check) : collects_(check == ActionCheck::understood), actions_(check) {}

  // False when the line must be read by read_flow_line(). Bytes behind the line up to kOverread are looked at. Of `out`
  // all but offset and line is set.
  static constexpr std::size_t kOverread = 32;
  bool scan(const char* begin, const char* end, openflow::FlowRef& out);
  // The match alone, for less.
  bool match(const char* begin, const char* end, std::vector<openflow::MatchWord>& out);

  const ShapeSet& shapes() const { return shapes_; }
  // The prefixes of all lines that scan() took; none where only printing was checked.
  openflow::PrefixCollector& prefixes() { return prefixes_; }

 private:
  // What one term asks for, where it is not read each time anew.
  struct Term {
    bool good = false;
    std::uint8_t n = 0;
    std::array<openflow::MatchWord, 3> words{};
  };

  // What masks the flows of one shape have that are prefixes, and where their values lie.
  struct PrefixPlace {
    openflow::PrefixMask mask;
    std::uint8_t word = 0, shift = 0;
  };

  const char* head(const char* at, const char* end, openflow::FlowRef& out);
  const char* term(const char* at, const char* end);
  const char* remembered_term(const char* at, const char* end);
  bool require(std::uint8_t word, std::uint64_t value, std::uint64_t mask);
  void finish_match(openflow::FlowRef& out);
  void collect_prefixes(const openflow::FlowRef& flow);
  void forget_match();
  template <class Do>
  void each_used_word(Do what);

  bool collects_;
  ActionMemo actions_;
  ShapeSet shapes_;
  std::vector<std::vector<PrefixPlace>> prefix_places_;  // by shape
  openflow::PrefixCollector prefixes_;
  TextMemo<Term> terms_;
  std::array<std::uint64_t, kFlowKeyWords> value_{}, mask_{};
  std::array<std::uint64_t, 2> used_{};  // words that the match looks at, as bits
};

}  // namespace egt::parsers::ofctl
