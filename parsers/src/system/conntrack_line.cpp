#include "system/conntrack_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

#include "egtrace/base/text.h"
#include "support/cursor.h"

namespace egt::parsers::system {
namespace {

using Json = nlohmann::ordered_json;
using Kind = ConntrackLine::Kind;

constexpr std::string_view kTool = "conntrack v";
constexpr std::string_view kToolEnd = " (conntrack-tools): ";
constexpr std::string_view kShown = " flow entries have been shown.";

bool is_plain_decimal(std::string_view word) {
  return !word.empty() && word.size() <= 20 && std::all_of(word.begin(), word.end(), is_digit) &&
         (word.size() == 1 || word.front() != '0');
}

bool is_name(std::string_view word) {
  const auto is_part = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '-';
  };
  return !word.empty() && !is_digit(word.front()) && std::all_of(word.begin(), word.end(), is_part);
}

bool is_tuple_key(std::string_view key) {
  static constexpr std::array<std::string_view, 13> kKeys = {
      "src", "dst", "sport", "dport", "type", "code", "id", "srckey", "dstkey", "packets", "bytes", "zone-orig", "zone-reply"};
  return std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end();
}

bool read_summary(std::string_view text, ConntrackLine& line) {
  std::string_view s = trim_right(text);
  if (!consume(s, kTool)) return false;
  const std::size_t end = s.find(kToolEnd);
  if (end == std::string_view::npos) return false;
  line.version = s.substr(0, end);
  s.remove_prefix(end + kToolEnd.size());
  line.kind = Kind::aside;  // what was created, deleted or flushed
  if (!s.ends_with(kShown)) return true;
  const std::string_view count = s.substr(0, s.size() - kShown.size());
  const auto shown = parse_decimal(count);
  if (!is_plain_decimal(count) || !shown) return false;
  line.kind = Kind::summary;
  line.shown = *shown;
  return true;
}

class EntryParser {
 public:
  EntryParser(std::string_view text, ConntrackLine& line) : text_(text), at_(text), line_(line) {}

  void parse() {
    event();
    if (header() && tuples() && settle(line_.connection, text_, line_.problem)) line_.kind = Kind::entry;
  }

 private:
  bool fail(std::string message) {
    line_.problem = {std::move(message), at_.column()};
    return false;
  }

  std::string_view word() {
    at_.skip_blanks();
    return at_.take_while([](char c) { return !is_blank(c); });
  }

  // The word number `skip` from here, which stays there.
  std::string_view ahead(int skip) const {
    Cursor probe = at_;
    std::string_view found;
    for (int i = 0; i <= skip; ++i) {
      probe.skip_blanks();
      found = probe.take_while([](char c) { return !is_blank(c); });
    }
    return found;
  }

  void event() {
    at_.skip_blanks();
    if (at_.peek() == '[' && at_.rest().size() > 1 && is_digit(at_.rest()[1])) {
      line_.stamp = at_.take_until(']');
      if (at_.take(']')) line_.stamp = {line_.stamp.data(), line_.stamp.size() + 1};
      at_.skip_blanks();
    }
    for (const std::string_view name : {"[NEW]", "[UPDATE]", "[DESTROY]"})
      if (at_.take(name)) line_.event = name.substr(1, name.size() - 2);
  }

  bool name_and_number(std::string_view what, std::string_view& name, std::uint64_t most, std::uint64_t& number) {
    name = word();
    if (!is_name(name)) return fail(fmt::format("the name of a {} was expected", what));
    const std::string_view digits = word();
    const auto value = parse_decimal(digits);
    if (!is_plain_decimal(digits) || !value || *value > most) return fail(fmt::format("the number of a {} was expected", what));
    number = *value;
    return true;
  }

  // [family number] protocol number [timeout] [what the protocol shows] [state]
  bool header() {
    std::uint64_t number = 0;
    if (is_name(ahead(2)) && is_plain_decimal(ahead(3))) {
      if (!name_and_number("family", line_.family, 0xffff, number)) return false;
      line_.family_number = static_cast<std::uint32_t>(number);
    }
    if (!name_and_number("protocol", line_.proto_name, 0xff, number)) return false;
    line_.connection.proto = static_cast<std::uint8_t>(number);
    if (is_plain_decimal(ahead(0))) line_.timeout = parse_decimal(word());
    while (ahead(0).find('=') != std::string_view::npos && !ahead(0).starts_with("src=") && !ahead(0).starts_with("[")) {
      if (!item(line_.info)) return false;
      if (line_.info.size() > kMostItems) return fail("more words than a connection has");
    }
    if (is_name(ahead(0))) line_.state = word();
    if (!ahead(0).starts_with("src=")) return word(), fail("src= was expected");
    return true;
  }

  bool bracketed(std::vector<Item>& items) {
    const std::string_view inside = at_.take_until(']');
    Item item;
    if (!at_.take(']')) return fail("a bracket is not closed");
    if (inside.find('=') == std::string_view::npos) {
      item.key = inside;
    } else if (!read_item(inside, item)) {
      return fail("what stands in brackets is not understood");
    }
    item.form = inside.find('=') == std::string_view::npos ? Item::Form::flag : Item::Form::bracketed;
    items.push_back(std::move(item));
    return true;
  }

  bool item(std::vector<Item>& items) {
    at_.skip_blanks();
    if (at_.take('[')) return bracketed(items);
    std::string_view text = word();
    const bool comma = text.ends_with(',') && &items == &line_.info;
    if (comma) text.remove_suffix(1);
    Item item;
    if (!read_item(text, item)) return fail(fmt::format("`{}` is not understood", text));
    item.comma = comma;
    items.push_back(std::move(item));
    return true;
  }

  bool tuples() {
    Connection& c = line_.connection;
    std::vector<Item>* target = &c.original;
    for (at_.skip_blanks(); !at_.done(); at_.skip_blanks()) {
      const std::string_view next = ahead(0);
      if (target == &c.original && !c.original.empty() && next.starts_with("src=")) target = &c.reply;
      if (target == &c.reply && !is_tuple_key(next.substr(0, next.find('=')))) target = &c.rest;
      if (!item(*target)) return false;
      if (target->size() > kMostItems) return fail("more words than a connection has");
    }
    return !c.reply.empty() || fail("the reply tuple is missing");
  }

  std::string_view text_;
  Cursor at_;
  ConntrackLine& line_;
};

void print_list(const std::vector<Item>& items, std::string& out) {
  if (items.empty()) return;
  if (!out.empty() && out.back() != ' ') out += ' ';
  print_items(items, ' ', out);
}

void print_entry(const ConntrackLine& line, std::string& out) {
  if (!line.stamp.empty()) (out += line.stamp) += '\t';
  if (!line.event.empty()) out += fmt::format("{:>9} ", fmt::format("[{}]", line.event));
  if (!line.family.empty()) out += fmt::format("{:<8} {} ", line.family, line.family_number);
  out += fmt::format("{:<8} {} ", line.proto_name, line.connection.proto);
  if (line.timeout) out += fmt::format("{} ", *line.timeout);
  if (!line.info.empty()) {
    print_items(line.info, ' ', out);
    out += ' ';
  }
  if (!line.state.empty()) (out += line.state) += ' ';
  print_list(line.connection.original, out);
  print_list(line.connection.reply, out);
  print_list(line.connection.rest, out);
}

}  // namespace

ConntrackLine parse_conntrack_line(std::string_view text) {
  ConntrackLine line;
  if (trim(text).empty()) {
    line.kind = Kind::blank;
  } else if (trim_left(text).starts_with('#')) {
    line.kind = Kind::aside;
  } else if (!read_summary(text, line)) {
    line.problem = {"no connection", 1};
    EntryParser(text, line).parse();
  }
  return line;
}

void print_conntrack_line(const ConntrackLine& line, std::string& out) {
  if (line.kind == Kind::entry) print_entry(line, out);
  if (line.kind == Kind::summary) out += fmt::format("{}{}{}{}{}", kTool, line.version, kToolEnd, line.shown, kShown);
}

Json json_of(const ConntrackLine& line) {
  Json j = Json::object();
  if (line.kind == Kind::summary) {
    j["version"] = std::string(line.version);
    j["shown"] = line.shown;
    return j;
  }
  if (!line.stamp.empty()) j["stamp"] = std::string(line.stamp);
  if (!line.event.empty()) j["event"] = std::string(line.event);
  if (!line.family.empty()) j["family"] = std::string(line.family);
  j["protocol"] = Json{{"name", std::string(line.proto_name)}, {"number", line.connection.proto}};
  if (line.timeout) j["timeout"] = *line.timeout;
  if (!line.info.empty()) j["info"] = json_of(line.info);
  if (!line.state.empty()) j["state"] = std::string(line.state);
  j["original"] = json_of(line.connection.original);
  j["reply"] = json_of(line.connection.reply);
  j["attributes"] = json_of(line.connection.rest);
  return j;
}

}  // namespace egt::parsers::system
