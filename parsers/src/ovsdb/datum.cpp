#include "ovsdb/datum.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "egtrace/base/text.h"
#include "egtrace/base/utf8.h"

namespace egt::parsers::ovsdb {
namespace {

bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool is_integer(std::string_view s) {
  if (!s.empty() && s.front() == '-') s.remove_prefix(1);
  if (s.empty()) return false;
  for (const char c : s)
    if (!is_digit(c)) return false;
  return true;
}

bool is_real(std::string_view s) {
  if (s.empty() || !(is_digit(s.front()) || s.front() == '-')) return false;
  double value = 0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value);
  return error == std::errc() && end == s.data() + s.size();
}

AtomKind kind_of_bare(std::string_view s) {
  if (is_uuid(s)) return AtomKind::uuid;
  if (is_integer(s)) return AtomKind::integer;
  if (s == "true" || s == "false") return AtomKind::boolean;
  return is_real(s) ? AtomKind::real : AtomKind::string;
}

std::optional<std::uint32_t> take_hex4(Cursor& c) {
  const std::string_view rest = c.rest();
  if (rest.size() < 4) return std::nullopt;
  const auto code = parse_hex(rest.substr(0, 4));
  if (!code) return std::nullopt;
  c.skip(4);
  return static_cast<std::uint32_t>(*code);
}

// Behind "\u"; joins the two halves of a surrogate pair.
bool take_unicode(Cursor& c, std::string& out) {
  const auto high = take_hex4(c);
  if (!high) return false;
  if (*high < 0xd800 || *high > 0xdbff) return append_utf8(*high, out), true;
  if (!c.take("\\u")) return false;
  const auto low = take_hex4(c);
  if (!low || *low < 0xdc00 || *low > 0xdfff) return false;
  append_utf8(0x10000 + ((*high - 0xd800) << 10) + (*low - 0xdc00), out);
  return true;
}

bool take_escape(Cursor& c, std::string& out) {
  const char kind = c.peek();
  if (c.done()) return false;
  c.skip();
  switch (kind) {
    case '"':
    case '\\':
    case '/': out.push_back(kind); return true;
    case 'b': out.push_back('\b'); return true;
    case 'f': out.push_back('\f'); return true;
    case 'n': out.push_back('\n'); return true;
    case 'r': out.push_back('\r'); return true;
    case 't': out.push_back('\t'); return true;
    case 'u': return take_unicode(c, out);
    default: return false;
  }
}

// The opening quote is taken already.
std::optional<std::string> take_quoted(Cursor& c) {
  std::string out;
  while (true) {
    out += c.take_while([](char ch) { return ch != '"' && ch != '\\'; });
    if (c.take('"')) return out;
    if (!c.take('\\') || !take_escape(c, out)) return std::nullopt;
  }
}

bool take_map_value(Cursor& c, Datum& datum) {
  c.skip_blanks();
  if (!c.take('=') && !c.take(':')) return false;
  c.skip_blanks();
  auto value = parse_atom(c);
  if (!value) return false;
  datum.values.push_back(std::move(*value));
  return true;
}

// Elements up to the closing bracket; the opening one is taken already.
std::optional<Datum> take_elements(Cursor& c, Datum::Shape shape, char close) {
  Datum datum;
  datum.shape = shape;
  c.skip_blanks();
  if (c.take(close)) return datum;
  do {
    c.skip_blanks();
    auto key = parse_atom(c);
    if (!key) return std::nullopt;
    datum.keys.push_back(std::move(*key));
    if (shape == Datum::Shape::map && !take_map_value(c, datum)) return std::nullopt;
    c.skip_blanks();
  } while (c.take(','));
  if (!c.take(close)) return std::nullopt;
  return datum;
}

}  // namespace

std::vector<std::string> Datum::texts() const {
  std::vector<std::string> all;
  for (const Atom& a : keys) all.push_back(a.text);
  return all;
}

std::map<std::string, std::string> Datum::as_map() const {
  std::map<std::string, std::string> all;
  for (std::size_t i = 0; i < keys.size() && i < values.size(); ++i) all.emplace(keys[i].text, values[i].text);
  return all;
}

bool is_uuid(std::string_view s) {
  if (s.size() != 36) return false;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? s[i] != '-' : !is_hex_digit(s[i])) return false;
  }
  return true;
}

bool needs_quotes(std::string_view s) {
  if (s.empty() || !(is_alpha(s.front()) || s.front() == '_')) return true;
  for (const char c : s)
    if (!is_alpha(c) && !is_digit(c) && c != '_' && c != '-' && c != '.') return true;
  return s == "true" || s == "false" || is_uuid(s);
}

Atom string_atom(std::string_view text) { return {AtomKind::string, needs_quotes(text), std::string(text)}; }

Datum atom_datum(Atom atom) {
  Datum datum;
  datum.keys.push_back(std::move(atom));
  return datum;
}

std::optional<Atom> parse_atom(Cursor& c) {
  if (c.take('"')) {
    auto text = take_quoted(c);
    if (!text) return std::nullopt;
    return Atom{AtomKind::string, true, std::move(*text)};
  }
  const std::string_view bare = c.take_while([](char ch) {
    return ch != ',' && ch != '=' && ch != '"' && ch != '[' && ch != ']' && ch != '{' && ch != '}' && !is_blank(ch);
  });
  if (bare.empty()) return std::nullopt;
  return Atom{kind_of_bare(bare), false, std::string(bare)};
}

std::optional<Datum> parse_datum(Cursor& c) {
  c.skip_blanks();
  std::optional<Datum> datum;
  if (c.take('[')) {
    datum = take_elements(c, Datum::Shape::set, ']');
  } else if (c.take('{')) {
    datum = take_elements(c, Datum::Shape::map, '}');
  } else if (auto atom = parse_atom(c)) {
    datum = atom_datum(std::move(*atom));
  }
  if (!datum) return std::nullopt;
  c.skip_blanks();
  if (!c.done()) return std::nullopt;
  return datum;
}

std::optional<Datum> parse_datum(std::string_view text) {
  Cursor c(text);
  return parse_datum(c);
}

void print_quoted(std::string_view text, std::string& out) {
  const auto is_plain = [](char c) { return static_cast<unsigned char>(c) >= ' ' && c != '"' && c != '\\'; };
  out.push_back('"');
  for (;;) {
    const auto special = std::find_if_not(text.begin(), text.end(), is_plain);
    out.append(text.begin(), special);
    if (special == text.end()) break;
    const char c = *special;
    text = {special + 1, text.end()};
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\b': out += "\\b"; break;
      case '\f': out += "\\f"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default: fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
    }
  }
  out.push_back('"');
}

void print(const Atom& atom, std::string& out) {
  if (atom.quoted)
    print_quoted(atom.text, out);
  else
    out += atom.text;
}

void print(const Datum& datum, std::string& out) {
  const bool is_map = datum.shape == Datum::Shape::map;
  const bool bracketed = datum.shape != Datum::Shape::atom;
  if (bracketed) out.push_back(is_map ? '{' : '[');
  for (std::size_t i = 0; i < datum.keys.size(); ++i) {
    if (i > 0) out += ", ";
    print(datum.keys[i], out);
    if (!is_map) continue;
    out.push_back('=');
    print(datum.values[i], out);
  }
  if (bracketed) out.push_back(is_map ? '}' : ']');
}

std::string to_text(const Datum& datum) {
  std::string out;
  print(datum, out);
  return out;
}

}  // namespace egt::parsers::ovsdb
