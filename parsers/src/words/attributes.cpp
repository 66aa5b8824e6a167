#include "words/attributes.h"

#include <fmt/format.h>

#include <algorithm>

#include "egtrace/base/text.h"

namespace egt::parsers::words_of {
namespace {

constexpr bool is_gap(char c) { return is_blank(c) || c == '\\'; }

std::size_t gap_length(std::string_view s) {
  std::size_t n = 0;
  while (n < s.size() && is_gap(s[n])) ++n;
  return n;
}

std::size_t word_length(std::string_view s) {
  std::size_t n = 0;
  while (n < s.size() && !is_gap(s[n])) ++n;
  return n;
}

const KeySpec* find_key(std::span<const KeySpec> keys, std::string_view name) {
  const auto found = std::find_if(keys.begin(), keys.end(), [&](const KeySpec& k) { return k.name == name; });
  return found == keys.end() ? nullptr : &*found;
}

template <class T>
std::optional<Value> same_text(const std::optional<T>& v, std::string_view text) {
  if (!v) return std::nullopt;
  Value value{*v};
  return print_value(value) == text ? std::optional(value) : std::nullopt;
}

std::optional<Value> typed(std::string_view text, ValueKind kind) {
  switch (kind) {
    case ValueKind::number:
    case ValueKind::lockable: return same_text(parse_decimal(text), text);
    case ValueKind::hex: {
      const auto n = text.starts_with("0x") ? parse_u64(text) : std::nullopt;
      return same_text(n ? std::optional(Hex{*n}) : std::nullopt, text);
    }
    case ValueKind::address:
    case ValueKind::via: return same_text(IpAddr::parse(text), text);
    case ValueKind::prefix: return same_text(Prefix::parse(text), text);
    case ValueKind::mac: return same_text(MacAddr::parse(text), text);
    case ValueKind::flag:
    case ValueKind::encap:
    case ValueKind::text: break;
  }
  return std::nullopt;
}

struct Printer {
  std::string operator()(std::monostate) const { return {}; }
  std::string operator()(const std::string& s) const { return s; }
  std::string operator()(std::uint64_t n) const { return std::to_string(n); }
  std::string operator()(const Hex& h) const { return fmt::format("0x{:x}", h.value); }
  std::string operator()(const IpAddr& a) const { return a.to_string(); }
  std::string operator()(const Prefix& p) const { return p.to_short_string(); }
  std::string operator()(const MacAddr& m) const { return m.to_string(); }
  std::string operator()(const Marked& m) const { return m.mark + " " + m.text; }
};

bool takes_mark(ValueKind kind, std::string_view word) {
  if (kind == ValueKind::via) return word == "inet" || word == "inet6" || word == "mpls" || word == "link";
  return kind == ValueKind::lockable && word == "lock";
}

// Its own "src" and "dst" must not be taken for the route's.
void read_encapsulation(WordReader& reader, Attribute& a) {
  std::string text(reader.next(a.value_gap)), gap;
  while (!reader.done() && reader.peek() != "via" && reader.peek() != "dev" && reader.peek() != "table") {
    const std::string_view word = reader.next(gap);
    text += gap;
    text += word;
  }
  a.value = std::move(text);
}

void read_value(WordReader& reader, ValueKind kind, Attribute& a) {
  if (kind == ValueKind::encap) return read_encapsulation(reader, a);
  const std::string_view word = reader.next(a.value_gap);
  if (!takes_mark(kind, word) || reader.done()) {
    a.value = typed_value(word, kind);
    return;
  }
  std::string gap;
  a.value = Marked{std::string(word), std::string(reader.next(gap))};
}

}  // namespace

const Attribute* Attributes::find(std::string_view key) const {
  const auto found = std::find_if(list.begin(), list.end(), [&](const Attribute& a) { return a.key == key; });
  return found == list.end() ? nullptr : &*found;
}

std::string Attributes::text(std::string_view key) const {
  const Attribute* a = find(key);
  return a ? print_value(a->value) : std::string();
}

std::optional<std::uint64_t> Attributes::number(std::string_view key) const {
  const Attribute* a = find(key);
  if (!a) return std::nullopt;
  if (const auto* m = std::get_if<Marked>(&a->value)) return parse_u64(m->text);
  return parse_u64(print_value(a->value));
}

bool Attributes::all_known() const {
  return std::all_of(list.begin(), list.end(), [](const Attribute& a) { return a.known; });
}

std::string Attributes::first_unknown() const {
  const auto found = std::find_if(list.begin(), list.end(), [](const Attribute& a) { return !a.known; });
  return found == list.end() ? std::string() : found->key;
}

Value typed_value(std::string_view text, ValueKind kind) {
  if (auto v = typed(text, kind)) return std::move(*v);
  return std::string(text);
}

std::string print_value(const Value& v) { return std::visit(Printer{}, v); }

void print(const Attributes& attributes, std::string& out) {
  for (const Attribute& a : attributes.list) {
    out += a.gap;
    out += a.key;
    if (std::holds_alternative<std::monostate>(a.value)) continue;
    if (!a.key.empty()) out += a.value_gap;
    out += print_value(a.value);
  }
  out += attributes.tail;
}

bool WordReader::done() const { return gap_length(rest_) == rest_.size(); }

std::string_view WordReader::peek() const {
  const std::string_view word = rest_.substr(gap_length(rest_));
  return word.substr(0, word_length(word));
}

std::string_view WordReader::next(std::string& gap) {
  const std::size_t blanks = gap_length(rest_);
  gap = std::string(rest_.substr(0, blanks));
  const std::string_view word = rest_.substr(blanks, word_length(rest_.substr(blanks)));
  rest_.remove_prefix(blanks + word.size());
  return word;
}

void parse_attributes(WordReader& reader, std::span<const KeySpec> keys, Attributes& out) {
  while (!reader.done()) {
    Attribute a;
    const std::string_view word = reader.next(a.gap);
    const KeySpec* key = find_key(keys, word);
    a.key = std::string(word);
    a.known = key != nullptr;
    if (key && key->kind != ValueKind::flag) {
      if (reader.done())
        a.known = false;  // the line was cut behind its key
      else
        read_value(reader, key->kind, a);
    }
    out.list.push_back(std::move(a));
  }
  out.tail = std::string(reader.rest());
}

void take_positional(WordReader& reader, ValueKind kind, Attributes& out) {
  Attribute a;
  const std::string_view word = reader.next(a.gap);
  a.value = typed_value(word, kind);
  out.list.push_back(std::move(a));
}

}  // namespace egt::parsers::words_of
