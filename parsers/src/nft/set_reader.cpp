#include "nft/set_reader.h"

#include <algorithm>

#include "egtrace/base/text.h"
#include "nft/grammar.h"

namespace egt::parsers::nft {
namespace {

bool is_set_property(const ListingLines& lines) {
  static constexpr std::string_view kWords[] = {"size",    "timeout", "gc-interval", "policy", "comment",
                                                "counter", "quota",   "limit",       "ct",     "last"};
  const std::string_view text = lines.line().text;
  return text == "auto-merge" || text == "counter" || text == "last" ||
         std::any_of(std::begin(kWords), std::end(kWords), [&](std::string_view w) { return lines.begins_with(w); });
}

// At " . " outside of fib's inputs, which nft cannot distinguish either.
void split_types(std::string_view text, std::vector<std::string>& out) {
  text = trim(text);
  while (!text.empty()) {
    const std::size_t dot = text.find(" . ");
    out.emplace_back(trim(text.substr(0, dot)));
    if (dot == std::string_view::npos) return;
    text = text.substr(dot + 3);
  }
}

void read_type(std::string_view text, Set& s) {
  s.type.by_expression = consume(text, "typeof");
  if (!s.type.by_expression) consume(text, "type");
  const std::size_t colon = text.find(" : ");
  const std::string_view key = text.substr(0, colon);
  split_types(key, s.type.key);
  if (colon == std::string_view::npos) return;
  std::string_view data = trim(text.substr(colon + 3));
  s.type.interval_data = consume(data, "interval ");
  split_types(data, s.type.data);
}

bool store_elements(Set& s, std::string_view whole, std::uint32_t line) {
  if (s.elements_present || !nesting_is_sane(whole)) return false;
  Expression list;
  Position at = whole.data();
  const Position last = at + whole.size();
  if (!parse_set(at, last, list) || !trim({at, static_cast<std::size_t>(last - at)}).empty()) return false;
  s.elements = std::move(std::get<SetExpr>(list.node).elements);
  s.elements_present = true;
  s.elements_line = line;
  for (Element& e : s.elements) e.line += line;
  return true;
}

void keep_elements(ListingLines& lines, Set& s, const ListingLines::Line& start, const std::vector<std::string_view>& more) {
  lines.misread({start.number, 0, "elements of set " + s.name + " not understood"});
  s.opaque.push_back({std::string(start.raw), start.number});
  std::uint32_t number = start.number;
  for (std::string_view raw : more) s.opaque.push_back({std::string(raw), ++number});
  if (!more.empty() && trim(more.back()) == "}") {
    s.opaque.pop_back();  // it was the brace of the set
    lines.back();
  }
}

// From "elements = {" to the brace that closes it, on this line or a later one.
void read_elements(ListingLines& lines, Set& s) {
  const ListingLines::Line start = lines.line();
  const char* const begin = lines.line().text.data() + 10;
  std::size_t closing = lines.line().text.find_last_of('}');
  std::string_view whole(begin, static_cast<std::size_t>(lines.line().text.data() + lines.line().text.size() - begin));
  std::vector<std::string_view> more;
  lines.set_in_list(true);
  while (closing == std::string_view::npos && lines.next()) {
    if (lines.line().text.empty() || lines.starts_block()) {
      lines.back();
      break;
    }
    more.push_back(lines.line().raw);
    closing = lines.line().text.find_last_of('}');
    whole = {begin, static_cast<std::size_t>(lines.line().raw.data() + lines.line().raw.size() - begin)};
    // A chain that follows at once: the list is cut.
    if (lines.line().text == "}") break;
  }
  lines.set_in_list(false);
  if (!store_elements(s, whole, start.number)) keep_elements(lines, s, start, more);
}

void read_set_line(ListingLines& lines, Set& s) {
  if (lines.line().text.substr(0, 10) == "elements =") return read_elements(lines, s);
  if (lines.begins_with("type") || lines.begins_with("typeof")) {
    if (s.type.key.empty()) return read_type(lines.line().text, s);
  }
  if (lines.line().text.front() == '#') {
    lines.ignore();
    s.opaque.push_back(lines.opaque());
    return;
  }
  if (lines.begins_with("flags")) {
    for (std::string_view f : split(trim(lines.line().text.substr(6)), ',')) s.flags.emplace_back(trim(f));
  } else if (!is_set_property(lines)) {
    lines.misread(1, "property of a set not understood");
  }
  s.properties.emplace_back(lines.line().text);
}

}  // namespace

Set read_set(ListingLines& lines, const Opening& o, bool gap) {
  Set s;
  s.is_map = o.words[0] == "map";
  s.name = std::string(o.words[1]);
  s.handle = o.handle;
  s.line = lines.line().number;
  s.empty_line_before = gap;
  while (lines.next_in_block(s.closed)) read_set_line(lines, s);
  if (!s.closed) lines.truncated("set " + s.name, s.line);
  return s;
}

bool is_object_kind(std::string_view word) {
  return word == "counter" || word == "quota" || word == "limit" || word == "secmark" || word == "synproxy" ||
         word == "flowtable" || word == "tunnel";
}

Object read_object(ListingLines& lines, const Opening& o, bool gap) {
  Object object;
  object.kind = std::string(o.words[0]);
  for (std::size_t i = 1; i + 1 < o.words.size(); ++i) object.kind += " " + std::string(o.words[i]);
  object.known = is_object_kind(object.kind) || (o.words.size() == 3 && o.words[0] == "ct");
  object.name = std::string(o.words.back());
  object.handle = o.handle;
  object.line = lines.line().number;
  object.empty_line_before = gap;
  while (lines.next_in_block(object.closed)) {
    std::string_view raw = lines.line().raw;
    object.lines.emplace_back(consume(raw, "\t\t") ? raw : lines.line().text);
  }
  if (!object.closed) lines.truncated(object.kind + " " + object.name, object.line);
  return object;
}

}  // namespace egt::parsers::nft
