#include "iproute2/text.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "egtrace/base/text.h"
#include "support/lines.h"

namespace egt::parsers::iproute2 {
namespace {

// What ip writes to its error stream and people keep in the same file.
bool is_message(std::string_view text) {
  return text.starts_with("#") || text.starts_with("Error: ") || text == "Dump terminated" ||
         text.starts_with("Dump was interrupted") || text.starts_with("Device \"") || text.starts_with("RTNETLINK answers:");
}

void print_line(const TextLine& line, std::string& out) {
  if (line.raw) {
    out += *line.raw;
    return;
  }
  if (line.head) out += std::to_string(*line.head) + ":";
  words_of::print(line.words, out);
}

void parse_line(std::string_view text, LineParser parser, Purpose purpose, TextLine& out) {
  if (trim(text).empty() || is_message(trim(text))) {
    out.kind = LineKind::ignored;
    out.raw = std::string(text);
    return;
  }
  parser(text, out);
  if (out.kind == LineKind::unknown) {
    out.raw = std::string(text);
    return;
  }
  if (purpose == Purpose::printing) {
    std::string printed;
    print_line(out, printed);
    if (printed != text) out.raw = std::string(text);
  }
  if (out.problem.empty() && !out.words.all_known()) out.problem = "'" + out.words.first_unknown() + "' is not known here";
}

void account(LineReport& report, const Line& line, const TextLine& parsed) {
  if (parsed.kind == LineKind::unknown)
    report.not_understood(line, 1, parsed.problem.empty() ? "not a line of this command" : parsed.problem);
  else if (parsed.kind == LineKind::ignored)
    report.ignored();
  else if (!parsed.problem.empty())
    report.not_understood(line, 1, parsed.problem);
  else
    report.understood();
}

// The worst of the parts of a joined line counts for the line.
void parse_joined(const Line& line, LineParser parser, Purpose purpose, LineReport& report, const LineSink& sink) {
  std::vector<TextLine> parts;
  std::string_view rest = line.text;
  while (true) {
    const std::size_t cut = rest.find('\\');
    TextLine& part = parts.emplace_back();
    part.number = line.number;
    parse_line(rest.substr(0, cut), parser, purpose, part);
    part.end = cut == std::string_view::npos ? std::string(line.end) : "\\";
    if (cut == std::string_view::npos) break;
    rest.remove_prefix(cut + 1);
  }
  const TextLine* worst = nullptr;
  for (const TextLine& part : parts)
    if (!worst || part.kind == LineKind::unknown || (!part.problem.empty() && worst->kind != LineKind::unknown)) worst = &part;
  account(report, line, *worst);
  for (TextLine& part : parts) sink(std::move(part));
}

std::string_view without_suffix(std::string_view name) {
  for (const std::string_view suffix : {".gz", ".xz", ".zst", ".txt", ".out", ".log"})
    if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
  return name;
}

std::vector<std::string> command_words(const Dump& dump) {
  const std::string_view name = without_suffix(dump.command);
  const bool file_form = name.find(' ') == std::string_view::npos;
  std::vector<std::string> out;
  for (const std::string_view w : split(name, file_form ? '_' : ' '))
    if (!w.empty()) out.emplace_back(w);
  return out;
}

}  // namespace

void read_lines(const Dump& dump, LineParser parser, bool joined, Purpose purpose, Report& report, const LineSink& sink) {
  LineReader reader(dump);
  LineReport lines(dump, report);
  Line line;
  while (reader.next(line)) {
    if (joined && line.text.find('\\') != std::string_view::npos) {
      parse_joined(line, parser, purpose, lines, sink);
      continue;
    }
    TextLine parsed;
    parsed.number = line.number;
    parsed.end = std::string(line.end);
    parse_line(line.text, parser, purpose, parsed);
    account(lines, line, parsed);
    sink(std::move(parsed));
  }
}

TextDocument parse_text(const Dump& dump, LineParser parser, bool joined, Report& report) {
  TextDocument document;
  read_lines(dump, parser, joined, Purpose::printing, report,
             [&](TextLine&& line) { document.lines.push_back(std::move(line)); });
  return document;
}

void print_text(const TextDocument& document, std::string& out) {
  for (const TextLine& line : document.lines) {
    print_line(line, out);
    out += line.end;
  }
}

void read_entries(const Dump& dump, LineParser parser, Report& report, const EntrySink& sink) {
  std::optional<Entry> entry;  // none: what continues a line that was not understood is skipped
  const auto finish = [&] {
    if (entry) sink(*entry);
    entry.reset();
  };
  read_lines(dump, parser, false, Purpose::loading, report, [&](TextLine&& line) {
    if (line.kind == LineKind::entry || line.kind == LineKind::unknown) finish();
    if (line.kind == LineKind::entry) entry = Entry{line.number, line.head, std::move(line.words), {}};
    if (line.kind == LineKind::continuation && entry) entry->more.push_back(std::move(line.words));
  });
  finish();
}

std::optional<std::uint64_t> take_head(std::string_view& text) {
  const std::size_t colon = text.find(':');
  if (colon == 0 || colon == std::string_view::npos || colon > 10) return std::nullopt;
  const auto number = parse_decimal(text.substr(0, colon));
  if (!number || (text[0] == '0' && colon > 1)) return std::nullopt;
  text.remove_prefix(colon + 1);
  return number;
}

std::vector<std::string> narrowing_words(const Dump& dump) {
  static constexpr std::string_view kPlain[] = {
      "ip",    "sudo",  "addr", "a",        "address",   "link", "l",    "li", "route", "r",  "ro",  "rule",  "ru",
      "rules", "neigh", "n",    "neighbor", "neighbour", "show", "list", "ls", "s",     "sh", "lst", "table", "all"};
  std::vector<std::string> out;
  for (const std::string& w : command_words(dump)) {
    const bool tool = w.size() > 3 && w.ends_with("/ip");
    if (!w.starts_with("-") && !tool && std::find(std::begin(kPlain), std::end(kPlain), w) == std::end(kPlain)) out.push_back(w);
  }
  return out;
}

bool command_is_v6(const Dump& dump) {
  const auto words = command_words(dump);
  return std::find(words.begin(), words.end(), "-6") != words.end();
}

bool command_is_v4(const Dump& dump) {
  const auto words = command_words(dump);
  return std::find(words.begin(), words.end(), "-4") != words.end();
}

std::vector<std::string_view> first_lines(const Dump& dump, std::size_t count) {
  std::vector<std::string_view> out;
  std::string_view rest = dump.text;
  while (!rest.empty() && out.size() < count) {
    const std::string_view line = trim_right(next_line(rest));
    if (!line.empty() && !is_message(trim_left(line))) out.push_back(line);
  }
  return out;
}

std::optional<std::uint8_t> dsfield_value(std::string_view text) {
  static constexpr std::pair<std::string_view, std::uint8_t> kNames[] = {
      {"default", 0x00}, {"AF11", 0x28}, {"AF12", 0x30}, {"AF13", 0x38}, {"AF21", 0x48}, {"AF22", 0x50}, {"AF23", 0x58},
      {"AF31", 0x68},    {"AF32", 0x70}, {"AF33", 0x78}, {"AF41", 0x88}, {"AF42", 0x90}, {"AF43", 0x98}, {"CS1", 0x20},
      {"CS2", 0x40},     {"CS3", 0x60},  {"CS4", 0x80},  {"CS5", 0xa0},  {"CS6", 0xc0},  {"CS7", 0xe0},  {"EF", 0xb8}};
  for (const auto& [name, value] : kNames)
    if (name == text) return value;
  const auto n = parse_u64(text);
  return n && *n <= 0xff ? std::optional(static_cast<std::uint8_t>(*n)) : std::nullopt;
}

}  // namespace egt::parsers::iproute2
