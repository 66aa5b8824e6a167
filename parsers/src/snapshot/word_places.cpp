#include "snapshot/word_places.h"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

namespace egt::parsers {
namespace {

constexpr std::size_t kShortestWord = 6, kLongestWord = 4096;

constexpr std::array<bool, 256> kWordChars = [] {
  std::array<bool, 256> is{};
  for (char c = '0'; c <= '9'; ++c) is[static_cast<unsigned char>(c)] = true;
  for (char c = 'a'; c <= 'z'; ++c) is[static_cast<unsigned char>(c)] = true;
  for (char c = 'A'; c <= 'Z'; ++c) is[static_cast<unsigned char>(c)] = true;
  for (const char c : {'_', '.', ':', '/', '-'}) is[static_cast<unsigned char>(c)] = true;
  return is;
}();

}  // namespace

bool is_in_word(char c) { return kWordChars[static_cast<unsigned char>(c)]; }

void append_unescaped(std::string& to, std::string_view escaped) {
  while (true) {
    const std::size_t at = std::min(escaped.find('\\'), escaped.size());
    to += escaped.substr(0, at);
    if (at + 1 >= escaped.size()) return;
    to += escaped[at + 1];
    escaped.remove_prefix(at + 2);
  }
}

WordPlaces::WordPlaces(const std::vector<std::string_view>& dumps) : dumps_(dumps), slots_(1024) {
  for (std::uint32_t d = 0; d < dumps_.size(); ++d) {
    const std::string_view text = dumps_[d];
    for (std::uint64_t at = 0; at < text.size();) {
      const std::size_t quote = std::min(text.find('"', at), text.size());
      add_words(d, at, quote);
      if (quote == text.size()) break;
      at = add_quoted(d, quote + 1);
    }
  }
}

// Says where to go on: behind what is quoted, or where it begins if nothing ends it on its line.
std::uint64_t WordPlaces::add_quoted(std::uint32_t dump, std::uint64_t at) {
  const std::string_view text = dumps_[dump].substr(0, at + kLongestWord);
  bool is_escaped = false, others = false;
  std::size_t end = text.find_first_of("\"\\\n", at);
  for (; end != text.npos && end + 1 < text.size() && text[end] == '\\'; end = text.find_first_of("\"\\\n", end + 2)) {
    is_escaped = true;
    others = others || (text[end + 1] != '"' && text[end + 1] != '\\');
  }
  if (end >= text.size() || text[end] != '"') return at;
  if (!others) add(dump, at, end - at, is_escaped);
  add_words(dump, at, end);
  return end + 1;
}

std::optional<WordPlaces::Place> WordPlaces::find(std::string_view word) const {
  if (word.size() < kShortestWord || word.size() > kLongestWord) return std::nullopt;
  const Place& found = slots_[slot_of(word)];
  return found.size == 0 ? std::nullopt : std::optional(found);
}

bool WordPlaces::has(const Place& place, std::string_view word) const {
  const std::string_view text = text_of(place);
  if (!place.is_escaped) return text == word;
  std::size_t at = 0;
  for (std::size_t i = 0; i < text.size(); ++i, ++at) {
    if (text[i] == '\\') ++i;
    if (at == word.size() || text[i] != word[at]) return false;
  }
  return at == word.size();
}

std::size_t WordPlaces::slot_of(std::string_view word) const {
  std::size_t i = std::hash<std::string_view>()(word) & (slots_.size() - 1);
  while (slots_[i].size != 0 && !has(slots_[i], word)) i = (i + 1) & (slots_.size() - 1);
  return i;
}

void WordPlaces::add(std::uint32_t dump, std::uint64_t at, std::size_t size, bool is_escaped) {
  if (size < kShortestWord || size > kLongestWord) return;
  const Place place{dump, at, size, is_escaped};
  std::string made;
  if (is_escaped) append_unescaped(made, text_of(place));
  Place& slot = slots_[slot_of(is_escaped ? std::string_view(made) : text_of(place))];
  if (slot.size != 0) return;
  slot = place;
  if (++used_ > slots_.size() / 2) grow();
}

void WordPlaces::add_words(std::uint32_t dump, std::uint64_t at, std::uint64_t end) {
  const std::string_view text = dumps_[dump];
  while (at < end) {
    const std::uint64_t begin = at;
    while (at < end && is_in_word(text[at])) ++at;
    add(dump, begin, at - begin);
    while (at < end && !is_in_word(text[at])) ++at;
  }
}

void WordPlaces::grow() {
  const std::vector<Place> before = std::exchange(slots_, std::vector<Place>(slots_.size() * 2));
  std::string made;
  for (const Place& place : before) {
    if (place.size == 0) continue;
    made.clear();
    if (place.is_escaped) append_unescaped(made, text_of(place));
    slots_[slot_of(place.is_escaped ? std::string_view(made) : text_of(place))] = place;
  }
}

}  // namespace egt::parsers
