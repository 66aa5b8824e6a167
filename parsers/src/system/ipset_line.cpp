#include "system/ipset_line.h"

#include <algorithm>
#include <array>

#include "egtrace/base/text.h"

namespace egt::parsers::system {
namespace {

using LineKind = IpsetLine::Kind;

constexpr std::string_view kWithValue[] = {
    "family", "hashsize",   "maxelem", "netmask", "bitmask", "timeout", "probes",  "resize",  "gc",       "markmask", "size",
    "range",  "bucketsize", "initval", "packets", "bytes",   "comment", "skbmark", "skbprio", "skbqueue", "before",   "after"};
constexpr std::string_view kFlags[] = {"counters", "comment", "skbinfo", "forceadd", "nomatch", "wildcard"};
constexpr std::string_view kHeadings[] = {"Name",           "Type",       "Revision", "Header",
                                          "Size in memory", "References", "Members",  "Number of entries"};
constexpr std::size_t kMostOptions = 64;  // what a real line never reaches

template <std::size_t n>
bool is_among(const std::string_view (&names)[n], std::string_view word) {
  return std::find(std::begin(names), std::end(names), word) != std::end(names);
}

// Cuts off the next word; words are separated by blanks.
std::string_view take_word(std::string_view& rest) {
  rest = trim_left(rest);
  const std::size_t end = std::min(rest.find(' '), rest.size());
  const std::string_view word = rest.substr(0, end);
  rest.remove_prefix(end);
  return word;
}

// `comment "…"` of a member; of a set that has comments the word stands alone.
bool take_comment(std::string_view& rest, IpsetOption& option) {
  const std::string_view behind = trim_left(rest);
  if (!behind.starts_with('"')) return true;
  const std::size_t end = behind.find('"', 1);
  if (end == std::string_view::npos) return false;
  option.value = behind.substr(1, end - 1);
  option.has_value = option.quoted = true;
  rest = behind.substr(end + 1);
  return true;
}

bool take_options(std::string_view rest, IpsetLine& line) {
  while (!trim_left(rest).empty()) {
    IpsetOption option;
    option.name = take_word(rest);
    if (option.name == "comment") {
      if (!take_comment(rest, option)) return line.problem = "a comment without an end", false;
    } else if (is_among(kWithValue, option.name)) {
      option.value = take_word(rest);
      option.has_value = true;
      if (option.value.empty()) return line.problem = "an option without its value", false;
    } else if (!is_among(kFlags, option.name)) {
      return line.problem = "an option that is not known", false;
    }
    if (line.options.size() == kMostOptions) return line.problem = "too many options", false;
    line.options.push_back(option);
  }
  return true;
}

bool is_heading(std::string_view text, IpsetLine& line) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || !is_among(kHeadings, text.substr(0, colon))) return false;
  line.key = text.substr(0, colon);
  line.value = text.substr(colon + 1);
  if (!line.value.empty() && line.value.front() != ' ') return false;
  if (!line.value.empty()) line.value.remove_prefix(1);
  line.kind = LineKind::heading;
  if (line.key == "Header" && !take_options(line.value, line)) line.kind = LineKind::unknown;
  return true;
}

void read_command(std::string_view rest, LineKind kind, IpsetLine& line) {
  line.set = take_word(rest);
  std::string_view& second = kind == LineKind::create ? line.type : line.element;
  second = take_word(rest);
  if (second.empty())
    line.problem = "a command that is cut off";
  else if (take_options(rest, line))
    line.kind = kind;
}

void print_options(const std::vector<IpsetOption>& options, std::string& out) {
  for (const IpsetOption& o : options) {
    (out += ' ') += o.name;
    if (!o.has_value) continue;
    out += o.quoted ? " \"" : " ";
    out += o.value;
    if (o.quoted) out += '"';
  }
}

}  // namespace

IpsetLine parse_ipset_line(std::string_view text) {
  IpsetLine line;
  std::string_view rest = text;
  if (trim(text).empty()) {
    line.kind = LineKind::blank;
  } else if (text.starts_with("create ") || text.starts_with("add ")) {
    const bool create = take_word(rest) == "create";
    read_command(rest, create ? LineKind::create : LineKind::add, line);
  } else if (!is_heading(text, line)) {
    line.element = take_word(rest);
    if (take_options(rest, line)) line.kind = LineKind::member;
  }
  return line;
}

void print_ipset_line(const IpsetLine& line, std::string& out) {
  switch (line.kind) {
    case LineKind::create:
    case LineKind::add:
      out += line.kind == LineKind::create ? "create " : "add ";
      out += line.set;
      out += ' ';
      out += line.kind == LineKind::create ? line.type : line.element;
      return print_options(line.options, out);
    case LineKind::heading:
      out += line.key;
      out += ':';
      if (line.key == "Header") return print_options(line.options, out);
      if (!line.value.empty()) (out += ' ') += line.value;
      return;
    case LineKind::member: out += line.element; return print_options(line.options, out);
    case LineKind::blank:
    case LineKind::unknown: return;
  }
}

}  // namespace egt::parsers::system
