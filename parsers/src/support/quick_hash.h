// Hashes of texts, for tables and against damage; not against forgery.
#pragma once

#include <cstdint>
#include <string_view>

namespace egt::parsers {

// The same on every host: compiled snapshots keep it.
std::uint64_t quick_hash(std::string_view text);
// A hash that texts share which differ in numbers only: runs of hexadecimal digits and dots count as one digit.
std::uint64_t form_of(std::string_view text);

}  // namespace egt::parsers
