// Words with places for what they name: the language of tables of phrases.
//
// {0} stands for the first thing that is named, {-1} for the last one, {NAME} for one with a name of its own, {0x} for a number in
// hexadecimal, {2..} for all from the third on. {1|no|yes} is one of the words by number, {1:is|are} one of two by whether it is
// one. What stands in [ ] is left out where something that it names is absent; then what stands behind || in it is printed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace egt {

// What words name.
class Named {
 public:
  virtual ~Named() = default;
  virtual std::size_t size() const = 0;
  virtual std::string text(std::size_t index) const = 0;
  virtual std::uint64_t number(std::size_t index) const = 0;  // of a list: how many it has
  virtual bool is_absent(std::size_t) const { return false; }
  virtual std::optional<std::size_t> find(std::string_view) const { return std::nullopt; }  // by name
};

std::string fill(std::string_view words, const Named& named);

// A row of a table that is indexed by value.
template <class Kind>
struct Wording {
  Kind kind;
  std::string_view words;
};

// Whether a table has a row for each value up to its last one.
template <class Kind, std::size_t N>
constexpr bool is_complete(const Wording<Kind> (&table)[N]) {
  for (std::size_t i = 0; i < N; ++i)
    if (table[i].kind != static_cast<Kind>(i)) return false;
  return true;
}

template <class Kind, std::size_t N>
std::string_view words_of(const Wording<Kind> (&table)[N], Kind kind) {
  return table[static_cast<std::size_t>(kind)].words;
}

}  // namespace egt
