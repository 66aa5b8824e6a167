// Text of ip(8) as lines of attributes: what the formats of rules, routes, neighbours and links have in common.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/base/ip.h"
#include "egtrace/parsers/format.h"
#include "words/attributes.h"

namespace egt::parsers::iproute2 {

using words_of::Attribute;
using words_of::Attributes;
using words_of::KeySpec;
using words_of::ValueKind;

enum class LineKind : std::uint8_t {
  entry,         // begins something: a rule, a route, a device
  continuation,  // belongs to the entry above
  ignored,       // blank lines, comments, messages
  unknown,
};

struct TextLine {
  LineKind kind = LineKind::unknown;
  std::optional<std::uint64_t> head;  // "100:" in front: a rule's priority, a device's index
  Attributes words;
  std::optional<std::string> raw;  // printed in place of the words, where those would not print as they were read
  std::string end;                 // "\n", "\r\n", "", or "\\" where ip -o joins lines
  std::uint32_t number = 0;
  std::string problem;
};

// "0x10", "AF11": as /etc/iproute2/rt_dsfield names them.
std::optional<std::uint8_t> dsfield_value(std::string_view text);

struct TextDocument {
  std::vector<TextLine> lines;
};

// One thing that was shown: its line with the words of the lines that continue it.
struct Entry {
  std::uint32_t line = 0;
  std::optional<std::uint64_t> head;
  Attributes words;
  std::vector<Attributes> more;
};

// Fills kind, head and words of a line, or leaves kind unknown.
using LineParser = void (*)(std::string_view text, TextLine& out);

// Only what is to be printed is compared with what its words would print as (TextLine::raw).
enum class Purpose : std::uint8_t { loading, printing };

// `joined`: lines are cut at backslashes first (ip -o).
using LineSink = std::function<void(TextLine&&)>;
void read_lines(const Dump& dump, LineParser parser, bool joined, Purpose purpose, Report& report, const LineSink& sink);
TextDocument parse_text(const Dump& dump, LineParser parser, bool joined, Report& report);
void print_text(const TextDocument& document, std::string& out);

// Takes the entries of a dump one after the other: a tree of all of a large dump takes ten times the memory of its text.
using EntrySink = std::function<void(const Entry&)>;
void read_entries(const Dump& dump, LineParser parser, Report& report, const EntrySink& sink);

// "100:" at the begin of a line, taken off.
std::optional<std::uint64_t> take_head(std::string_view& text);

// Words of the command that narrow what it prints ("dev", "br-ex", "7" of "table 7", "|"): then absence proves nothing.
std::vector<std::string> narrowing_words(const Dump& dump);
bool command_is_v6(const Dump& dump);
bool command_is_v4(const Dump& dump);

// The first lines that are neither blank nor comments.
std::vector<std::string_view> first_lines(const Dump& dump, std::size_t count);

}  // namespace egt::parsers::iproute2
