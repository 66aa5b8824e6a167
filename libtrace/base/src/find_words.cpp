#include "egtrace/base/find_words.h"

#include <algorithm>
#include <array>
#include <bit>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace egt {
namespace {

#ifdef __SSE2__
constexpr std::size_t kBlock = 16, kBlocks = 4, kAtOnce = kBlock * kBlocks;

// Where the first, the last and the middle character of a word fit.
class WordProbe {
 public:
  WordProbe() = default;
  explicit WordProbe(std::string_view word)
      : middle_at_(word.size() / 2),
        last_at_(word.size() - 1),
        first_(_mm_set1_epi8(word.front())),
        middle_(_mm_set1_epi8(word[word.size() / 2])),
        last_(_mm_set1_epi8(word.back())) {}

  // At any of kAtOnce places.
  bool any_at(const char* text) const {
    const __m128i all =
        _mm_or_si128(_mm_or_si128(at(text), at(text + kBlock)), _mm_or_si128(at(text + 2 * kBlock), at(text + 3 * kBlock)));
    return _mm_movemask_epi8(all) != 0;
  }
  // At which of kBlock places.
  unsigned places_at(const char* text) const { return static_cast<unsigned>(_mm_movemask_epi8(at(text))); }

 private:
  static __m128i load(const char* text) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(text)); }
  __m128i at(const char* text) const {
    const __m128i outer = _mm_and_si128(_mm_cmpeq_epi8(load(text), first_), _mm_cmpeq_epi8(load(text + last_at_), last_));
    return _mm_and_si128(outer, _mm_cmpeq_epi8(load(text + middle_at_), middle_));
  }

  std::size_t middle_at_ = 0, last_at_ = 0;
  __m128i first_{}, middle_{}, last_{};
};

// Of the places from `at` on, whole blocks of them; npos: at none of them.
std::size_t find_among(std::string_view text, std::size_t at, std::string_view word, const WordProbe& probe, std::size_t blocks) {
  for (const std::size_t end = at + blocks * kBlock; at < end; at += kBlock)
    for (unsigned places = probe.places_at(text.data() + at); places != 0; places &= places - 1) {
      const std::size_t place = at + static_cast<std::size_t>(std::countr_zero(places));
      if (text.compare(place, word.size(), word) == 0) return place;
    }
  return std::string_view::npos;
}
#endif

}  // namespace

std::size_t find_word(std::string_view text, std::string_view word, std::size_t from) {
#ifdef __SSE2__
  if (!word.empty()) {
    const WordProbe probe(word);
    for (; from < text.size() && text.size() - from >= word.size() + kAtOnce; from += kAtOnce) {
      if (!probe.any_at(text.data() + from)) continue;
      if (const std::size_t at = find_among(text, from, word, probe, kBlocks); at != std::string_view::npos) return at;
    }
    const std::size_t places = text.size() - std::min(text.size(), word.size() - 1);
    if (places >= kBlock && from < places) {
      const std::size_t blocks = (places - from) / kBlock;
      if (const std::size_t at = find_among(text, from, word, probe, blocks); at != std::string_view::npos) return at;
      from += blocks * kBlock;
      // The last block begins before those that are left.
      if (const std::size_t at = find_among(text, places - kBlock, word, probe, 1); at >= from) return at;
    }
  }
#endif
  return text.find(word, from);
}

bool has_any_word(std::string_view text, std::span<const std::string_view> words) {
  std::size_t from = 0;
#ifdef __SSE2__
  constexpr std::size_t kMost = 16;
  std::size_t longest = 0;
  for (const std::string_view word : words)
    longest = word.empty() || words.size() > kMost ? text.size() : std::max(longest, word.size());
  if (text.size() >= longest + kAtOnce) {
    std::array<WordProbe, kMost> probes;
    for (std::size_t i = 0; i < words.size(); ++i) probes[i] = WordProbe(words[i]);
    for (; text.size() - from >= longest + kAtOnce; from += kAtOnce)
      for (std::size_t i = 0; i < words.size(); ++i)
        if (probes[i].any_at(text.data() + from) &&
            find_among(text, from, words[i], probes[i], kBlocks) != std::string_view::npos)
          return true;
  }
#endif
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return find_word(text, word, from) != std::string_view::npos; });
}

}  // namespace egt
