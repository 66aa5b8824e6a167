#include "ovsdb/show.h"

#include <fmt/format.h>

#include <iterator>

#include "egtrace/base/text.h"

namespace egt::parsers::ovsdb {
namespace {

bool is_word_char(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '-'; }

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

Datum plain_datum(std::string_view text) { return atom_datum({AtomKind::string, false, std::string(text)}); }

// "KEY: VALUE"; `body` is the line without its indent.
std::optional<ShowItem> parse_attribute(std::string_view body, bool plain_allowed) {
  const std::size_t colon = body.find(": ");
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  ShowItem item;
  item.word = std::string(body.substr(0, colon));
  const std::string_view text = body.substr(colon + 2);
  if (auto value = parse_datum(text)) {
    item.value = std::move(*value);
    if (!plain_allowed || to_text(item.value) == text) return item;
  }
  if (!plain_allowed) return std::nullopt;
  item.value = plain_datum(text);
  item.plain = true;
  return item;
}

std::optional<ShowItem> parse_database_line(std::string_view body) {
  ShowItem item;
  if (is_uuid(body)) {
    item.kind = ShowItem::Kind::uuid;
    item.uuid = std::string(body);
    return item;
  }
  Cursor c(body);
  const std::string_view word = c.take_while(is_word_char);
  if (word.empty()) return std::nullopt;
  if (c.peek() == ':') return parse_attribute(body, false);
  if (!is_upper(word.front()) || !c.take(' ')) return std::nullopt;
  auto name = parse_datum(c);
  if (!name) return std::nullopt;
  item.kind = ShowItem::Kind::entity;
  item.word = std::string(word);
  item.value = std::move(*name);
  return item;
}

// Takes " (aka ALIAS)" off the end.
std::optional<std::string> take_alias(std::string_view& body) {
  const std::size_t at = body.rfind(" (aka ");
  if (at == std::string_view::npos || !body.ends_with(")")) return std::nullopt;
  std::string alias(body.substr(at + 6, body.size() - at - 7));
  body = body.substr(0, at);
  return alias;
}

// "switch UUID (NAME)[ (aka ALIAS)]", behind the word.
std::optional<ShowItem> parse_datapath(std::string_view word, std::string_view rest) {
  ShowItem item;
  item.kind = ShowItem::Kind::entity;
  item.word = std::string(word);
  item.alias = take_alias(rest);
  if (rest.size() < 39 || !is_uuid(rest.substr(0, 36))) return std::nullopt;
  item.uuid = std::string(rest.substr(0, 36));
  rest.remove_prefix(36);
  if (!consume(rest, " (") || !rest.ends_with(")")) return std::nullopt;
  item.value = plain_datum(rest.substr(0, rest.size() - 1));
  return item;
}

std::optional<ShowItem> parse_northbound_line(std::string_view body) {
  const std::string_view whole = body;
  const std::string_view word = take_until(body, ' ');
  if (word == "switch" || word == "router") return parse_datapath(word, body);
  if (word == "port" && !body.empty()) {
    ShowItem item;
    item.kind = ShowItem::Kind::entity;
    item.word = "port";
    item.alias = take_alias(body);
    item.value = plain_datum(body);
    return item;
  }
  if (word == "nat" && is_uuid(body)) {
    ShowItem item;
    item.kind = ShowItem::Kind::entity;
    item.word = "nat";
    item.uuid = std::string(body);
    return item;
  }
  return parse_attribute(whole, true);
}

void print_northbound_entity(const ShowItem& item, std::string& out) {
  out += item.word;
  out.push_back(' ');
  out += item.uuid;
  if (!item.uuid.empty() && !item.value.empty()) fmt::format_to(std::back_inserter(out), " ({})", item.name());
  if (item.uuid.empty()) out += item.name();
  if (item.alias) fmt::format_to(std::back_inserter(out), " (aka {})", *item.alias);
}

bool is_skipped(std::string_view text) {
  const std::string_view trimmed = trim(text);
  return trimmed.empty() || trimmed.front() == '#' || trimmed == "--";
}

// Entities that are still open: their indents grow from bottom to top.
std::size_t parent_of(const std::vector<ShowItem>& items, std::vector<std::size_t>& open, std::uint32_t indent) {
  while (!open.empty() && items[open.back()].indent >= indent) open.pop_back();
  return open.empty() ? ShowItem::kNoParent : open.back();
}

}  // namespace

std::optional<ShowItem> parse_show_line(const Line& line, ShowStyle style) {
  Cursor c(line.text);
  const std::size_t indent = c.take_while([](char ch) { return ch == ' '; }).size();
  const std::string_view body = c.rest();
  if (body.empty()) return std::nullopt;
  auto item = style == ShowStyle::database ? parse_database_line(body) : parse_northbound_line(body);
  if (!item) return std::nullopt;
  item->indent = static_cast<std::uint32_t>(indent);
  item->line = line.number;
  return item;
}

void print_show_line(const ShowItem& item, ShowStyle style, std::string& out) {
  out.append(item.indent, ' ');
  switch (item.kind) {
    case ShowItem::Kind::uuid: out += item.uuid; return;
    case ShowItem::Kind::entity:
      if (style == ShowStyle::northbound) return print_northbound_entity(item, out);
      out += item.word;
      out.push_back(' ');
      return print(item.value, out);
    case ShowItem::Kind::attribute:
      out += item.word;
      out += ": ";
      return print(item.value, out);
  }
}

std::vector<ShowItem> read_show(const Dump& dump, ShowStyle style, Report& report) {
  std::vector<ShowItem> items;
  std::vector<std::size_t> open;
  LineReport lines(dump, report);
  LineReader reader(dump);
  for (Line line; reader.next(line);) {
    if (is_skipped(line.text)) {
      lines.ignored();
      continue;
    }
    auto item = parse_show_line(line, style);
    if (!item) {
      lines.not_understood(line, 1, "not a line of this overview");
      continue;
    }
    lines.understood();
    item->parent = parent_of(items, open, item->indent);
    if (item->kind != ShowItem::Kind::attribute) open.push_back(items.size());
    items.push_back(std::move(*item));
  }
  return items;
}

const Datum* attribute(const std::vector<ShowItem>& items, std::size_t parent, std::string_view word) {
  if (parent >= items.size()) return nullptr;
  for (std::size_t i = parent + 1; i < items.size() && items[i].indent > items[parent].indent; ++i)
    if (items[i].parent == parent && items[i].kind == ShowItem::Kind::attribute && items[i].word == word) return &items[i].value;
  return nullptr;
}

}  // namespace egt::parsers::ovsdb
