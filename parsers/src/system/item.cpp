#include "system/item.h"

#include <fmt/format.h>

#include <optional>

#include "egtrace/base/text.h"

namespace egt::parsers::system {
namespace {

using Json = nlohmann::ordered_json;

std::string written_out(const IpAddr& address) {
  std::string out;
  for (int group = 7; group >= 0; --group)
    out += fmt::format("{:04x}{}", low64(address.value >> (16 * group)) & 0xffff, group > 0 ? ":" : "");
  return out;
}

bool read_address(std::string_view text, Item& out) {
  const auto address = IpAddr::parse(text);
  if (!address) return false;
  out.form = Item::Form::address;
  out.address = *address;
  out.written_out = !address->is_v4() && address->to_string() != text && written_out(*address) == text;
  return true;
}

void read_value(std::string_view text, Item& out) {
  out.text = text;
  if ((out.key == "src" || out.key == "dst") && read_address(text, out)) return;
  const bool padded = text.size() > 1 && text.front() == '0';
  if (const auto number = parse_decimal(text); number && !padded) {
    out.form = Item::Form::decimal;
    out.number = *number;
  } else if (const auto wide = text.starts_with("0x") ? parse_u128(text) : std::nullopt; wide && hex(*wide) == text) {
    out.form = Item::Form::hexadecimal;
    out.number = *wide;
  }
}

// Cuts off what stands before a comma outside parentheses of one level.
std::string_view next_in_list(std::string_view& rest) {
  bool inside = false;
  std::size_t end = 0;
  for (; end < rest.size() && (inside || rest[end] != ','); ++end) {
    if (rest[end] == '(') inside = true;
    if (rest[end] == ')') inside = false;
  }
  const std::string_view word = rest.substr(0, end);
  rest.remove_prefix(end);
  return word;
}

bool read_group(std::string_view word, Item& out) {
  const std::size_t open = word.find("=(");
  if (open == std::string_view::npos || open == 0 || !word.ends_with(')')) return false;
  out = {};
  out.form = Item::Form::group;
  out.key = word.substr(0, open);
  out.text = word.substr(open + 2, word.size() - open - 3);
  return out.text.empty() || read_items(out.text, false, out.items);
}

Json json_of_number(const Item& item) {
  if (item.form == Item::Form::decimal) return low64(item.number);
  return hex(item.number);
}

}  // namespace

bool read_item(std::string_view word, Item& out) {
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos || equals == 0) return false;
  out = {};
  out.key = word.substr(0, equals);
  read_value(word.substr(equals + 1), out);
  return true;
}

bool read_items(std::string_view list, bool groups, std::vector<Item>& out) {
  out.clear();
  for (;;) {
    const std::string_view word = next_in_list(list);
    Item item;
    const bool grouped = word.find('(') != std::string_view::npos;
    if (grouped ? !groups || !read_group(word, item) : !read_item(word, item)) return false;
    if (out.size() == kMostItems) return false;
    out.push_back(std::move(item));
    if (list.empty()) return true;
    list.remove_prefix(1);
  }
}

void print_item(const Item& item, std::string& out) {
  if (item.form == Item::Form::flag) {
    ((out += '[') += item.key) += ']';
    return;
  }
  if (item.form == Item::Form::bracketed) out += '[';
  (out += item.key) += '=';
  switch (item.form) {
    case Item::Form::decimal: out += std::to_string(low64(item.number)); break;
    case Item::Form::hexadecimal: out += hex(item.number); break;
    case Item::Form::address: out += item.written_out ? written_out(item.address) : item.address.to_string(); break;
    case Item::Form::group:
      out += '(';
      print_items(item.items, ',', out);
      out += ')';
      break;
    case Item::Form::flag:
    case Item::Form::bracketed:
    case Item::Form::text: out += item.text; break;
  }
  if (item.form == Item::Form::bracketed) out += ']';
  if (item.comma) out += ',';
}

void print_items(const std::vector<Item>& items, char separator, std::string& out) {
  bool first = true;
  for (const Item& item : items) {
    if (!first) out += separator;
    first = false;
    print_item(item, out);
  }
}

const Item* find_item(const std::vector<Item>& items, std::string_view key) {
  for (const Item& item : items)
    if (item.key == key && item.form != Item::Form::flag) return &item;
  return nullptr;
}

bool has_flag(const std::vector<Item>& items, std::string_view flag) {
  for (const Item& item : items)
    if (item.form == Item::Form::flag && item.key == flag) return true;
  return false;
}

Json json_of(const std::vector<Item>& items) {
  Json object = Json::object();
  for (const Item& item : items) {
    const std::string key(item.key);
    switch (item.form) {
      case Item::Form::flag: object["flags"].push_back(key); break;
      case Item::Form::decimal:
      case Item::Form::hexadecimal: object[key] = json_of_number(item); break;
      case Item::Form::address: object[key] = item.address.to_string(); break;
      case Item::Form::group: object[key] = json_of(item.items); break;
      case Item::Form::bracketed:
      case Item::Form::text: object[key] = std::string(item.text); break;
    }
  }
  return object;
}

}  // namespace egt::parsers::system
