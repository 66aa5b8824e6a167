// Small pieces of text handling that every parser needs: no allocation, no locale.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "egtrace/base/u128.h"

namespace egt {

constexpr bool is_blank(char c) { return c == ' ' || c == '\t'; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_hex_digit(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

std::string_view trim(std::string_view s);  // blanks, tabs, CR and LF at both ends
std::string_view trim_left(std::string_view s);
std::string_view trim_right(std::string_view s);

// Splits at every `separator`; "a,,b" gives three parts, "" gives none.
std::vector<std::string_view> split(std::string_view s, char separator);
// Splits at runs of blanks and tabs; no empty parts.
std::vector<std::string_view> words(std::string_view s);
// Splits at `separator` outside (), [], {} and "…".
std::vector<std::string_view> split_outside(std::string_view s, char separator);

// Cuts off the part before `separator` and leaves `s` behind it; the whole when there is none.
std::string_view take_until(std::string_view& s, char separator);
bool consume(std::string_view& s, std::string_view prefix);

// Whole text as a number: decimal, or hexadecimal with 0x (64-bit resp. 128-bit).
std::optional<std::uint64_t> parse_u64(std::string_view s);
std::optional<U128> parse_u128(std::string_view s);
std::optional<std::uint64_t> parse_decimal(std::string_view s);
std::optional<std::uint64_t> parse_hex(std::string_view s);  // digits without 0x

// Those of a text whose last may lack its end.
std::uint32_t count_lines(std::string_view text);
// ASCII letters alone.
std::string lower(std::string_view s);
std::string upper(std::string_view s);
// The next line without its '\n' (a '\r' before it stays), advancing `rest`.
std::string_view next_line(std::string_view& rest);

}  // namespace egt
