// Whether a file is worth reading whole, shown by its name and its beginning. A must-gather is mostly logs: they are
// listed, but neither kept in memory nor searched line by line.
#pragma once

#include <cstdint>
#include <string_view>

namespace egt::parsers {

constexpr std::size_t kPreview = std::size_t{64} << 10;  // bytes that show what a file is

// `size`: of the whole, 0 where it is not known. Small files are always worth it, unless they are a container's or
// service's log.
bool worth_reading(std::string_view path, std::uint64_t size, std::string_view beginning);

}  // namespace egt::parsers
