// Terms of a flow line in the very form in which Open vSwitch prints them: no leading zeros, lower case, one spelling.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "egtrace/openflow/match.h"

namespace egt::parsers::ofctl {

// `behind` is null where there is no number of this form.
struct QuickNumber {
  std::uint64_t value = 0;
  const char* behind = nullptr;
};
QuickNumber quick_decimal(const char* at, const char* end);  // at most 19 digits
QuickNumber quick_hex(const char* at, const char* end);      // behind "0x", at most 16 digits

// Goes past "cookie=0x1, duration=6.6s, table=3, n_packets=5, " and the like, each of which ends in ", " (flags in a
// blank). Null: one of them has some other form. `table` is left as it is where none is shown. Looks at 32 bytes.
const char* quick_statistics(const char* at, std::uint64_t& table);

constexpr std::size_t kLongestQuickName = 16;
// Bytes before the next '=', ',' or blank; more than kLongestQuickName when there is none among so many. Looks at 32 bytes.
std::size_t name_length(const char* at);

// How the value of a field is written, or what a protocol word stands for.
struct QuickField {
  enum class Form : std::uint8_t { integer, port, ethernet, ipv4, protocol };
  std::array<std::uint64_t, 2> name{};  // its bytes
  Form form = Form::integer;
  std::uint8_t words = 0;  // 0: a free place of the table, unless it is a protocol
  std::uint8_t shift = 0, bits = 0;
  bool maskable = false, used = false;
  std::array<std::uint8_t, 2> word{};
  std::array<std::uint64_t, 2> value{}, mask{};  // of a protocol
};
// Null for names that are read as a whole term. Looks at 16 bytes.
const QuickField* quick_field(const char* name, std::size_t length);

struct QuickValue {
  std::uint64_t value = 0, mask = 0;
  const char* behind = nullptr;  // at ',' or a blank
};
bool quick_value(const QuickField& field, const char* at, const char* end, QuickValue& out);

// Any single term, through the tree. False where it is not understood, does not print as itself, or stands for
// something that is not in it (the name of a port).
struct QuickTerm {
  std::vector<openflow::MatchWord> words;
};
bool read_term(std::string_view text, QuickTerm& out);

}  // namespace egt::parsers::ofctl
