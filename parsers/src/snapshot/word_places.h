// Where dumps have a text as a word or between quotes, so that what is kept of reading them (model_bytes.h) may name the place.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace egt::parsers {

// Of names, numbers, addresses and UUIDs.
bool is_in_word(char c);

class WordPlaces {
 public:
  struct Place {
    std::uint32_t dump = 0;
    std::uint64_t at = 0, size = 0;
    bool is_escaped = false;  // it stands there with the escapes of JSON
  };

  // The dumps outlive it. One that is not to be searched is empty.
  explicit WordPlaces(const std::vector<std::string_view>& dumps);

  // The first of them that has it. Short texts, of which a place would take no fewer bytes, are not looked for.
  std::optional<Place> find(std::string_view word) const;

 private:
  std::string_view text_of(const Place& place) const { return dumps_[place.dump].substr(place.at, place.size); }
  bool has(const Place& place, std::string_view word) const;
  std::size_t slot_of(std::string_view word) const;
  void add(std::uint32_t dump, std::uint64_t at, std::size_t size, bool is_escaped = false);
  std::uint64_t add_quoted(std::uint32_t dump, std::uint64_t at);
  void add_words(std::uint32_t dump, std::uint64_t at, std::uint64_t end);
  void grow();

  std::vector<std::string_view> dumps_;
  std::vector<Place> slots_;  // so many that some are empty (of no size); a power of two
  std::size_t used_ = 0;
};

// Without the escapes of JSON, of which a text has no others than those of quotes and of backslashes.
void append_unescaped(std::string& to, std::string_view escaped);

// Where places of a dump are counted from: the end of the place before.
struct DumpCursors {
  std::vector<std::uint64_t> ends;  // of each dump
  std::uint64_t last = UINT64_MAX;  // the dump of the last place
};

}  // namespace egt::parsers
