// How much room of a terminal UTF-8 text takes. A character of East Asian scripts takes two columns, a combining mark
// none, a tab eight at most; a byte that belongs to no character takes the one of U+FFFD.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace egt {

std::size_t columns_of(std::string_view text);
// The bytes of the longest beginning, in whole characters, that takes no more than that.
std::size_t bytes_within(std::string_view text, std::size_t columns);
// Followed by blanks up to that.
std::string padded(std::string_view text, std::size_t columns);
// A path without some of its middle ("samples/.../master-01/ip_rule:4"), where it takes more than that.
std::string shortened_path(std::string_view path, std::size_t columns);

}  // namespace egt
