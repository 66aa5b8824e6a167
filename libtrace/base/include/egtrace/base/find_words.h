// Words in long texts, of which hardly one holds any: several are looked for in one pass, many places at a time.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace egt {

// Where the word begins that stands first at or behind `from`; npos: nowhere. An empty word stands everywhere.
std::size_t find_word(std::string_view text, std::string_view word, std::size_t from = 0);
bool has_any_word(std::string_view text, std::span<const std::string_view> words);

}  // namespace egt
