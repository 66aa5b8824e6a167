#include "lookup/term.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "egtrace/base/address_port.h"
#include "egtrace/base/find_words.h"
#include "egtrace/base/text.h"

namespace egt::explain {
namespace {

constexpr std::size_t kFewestDigits = 6;  // shorter ones are words or numbers

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// The first digits of a UUID, dashes where they belong.
std::string uuid_digits(std::string_view text) {
  std::string digits;
  for (const char c : text) digits.push_back(lower(c));
  std::size_t count = 0;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? digits[i] != '-' : !is_hex_digit(digits[i])) return {};
    count += !dash;
  }
  return count >= kFewestDigits && digits.size() <= 36 ? digits : std::string();
}

std::optional<std::uint64_t> number_of(std::string_view text) {
  if (consume(text, "0x") || consume(text, "0X")) return parse_hex(text);
  return parse_decimal(text);
}

// A cookie is printed without its leading zeros.
std::string uuid_of_number(std::string_view text) {
  if (!consume(text, "0x") && !consume(text, "0X")) return {};
  if (text.empty() || text.size() > 8) return {};
  return uuid_digits(std::string(8 - text.size(), '0') + std::string(text));
}

bool is_name_char(char c) { return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'z') || c == '_' || c == '-'; }

// What would make the word longer: a dot or colon only where a name goes on behind it.
bool joins(std::string_view text, std::size_t at, int step) {
  const char c = text[at];
  if (is_name_char(c)) return true;
  if (c != '.') return false;
  const auto next = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(at) + step);
  return next < text.size() && is_name_char(text[next]);
}

// Takes "EgressIP/", "svc:" off.
std::optional<ObjectKind> take_kind(std::string_view& text) {
  const std::size_t end = text.find_first_of("/:");
  if (end == std::string_view::npos || end + 1 == text.size()) return std::nullopt;
  const auto kind = object_kind(text.substr(0, end));
  if (kind) text.remove_prefix(end + 1);
  return kind;
}

// "group/12", and as actions have it: "group:12".
bool take_group(std::string_view& text) {
  std::string_view rest = text;
  if (!consume(rest, "group/") && !consume(rest, "group:")) return false;
  if (!number_of(rest)) return false;
  text = rest;
  return true;
}

// The name of an object of `name_space`, where the text is one without.
std::string in_namespace(std::string_view text, const std::optional<ObjectKind>& kind, std::string_view name_space) {
  const bool complete = name_space.empty() || text.find('/') != std::string_view::npos || (kind && !is_namespaced(*kind));
  return complete ? std::string(text) : fmt::format("{}/{}", name_space, text);
}

std::string address_text(const IpAddr& address, const std::optional<std::uint16_t>& port) {
  const std::string host = address.to_string();
  if (!port) return host;
  return address.is_v4() ? fmt::format("{}:{}", host, *port) : fmt::format("[{}]:{}", host, *port);
}

}  // namespace

LookupTerm read_term(std::string_view text, std::string_view name_space) {
  LookupTerm term;
  text = trim(text);
  term.whole = std::string(text);
  if (take_group(text)) {
    term.field = "group";
  } else if (const std::size_t equals = text.find('='); equals != std::string_view::npos && equals > 0) {
    const std::string_view name = text.substr(0, equals);
    if (std::all_of(name.begin(), name.end(), is_name_char)) {
      term.field = std::string(name);
      text.remove_prefix(equals + 1);
    }
  }
  if (term.field.empty()) term.kind = take_kind(text);
  for (const std::string_view prefix : {"port:", "$", "@"})
    if (!term.kind && consume(text, prefix)) break;
  term.text = in_namespace(text, term.kind, name_space);
  if (term.kind || !name_space.empty()) return term;  // a name, even where it looks like a number
  if (const auto both = parse_address_port(text)) {
    term.port = both->second;
    text = text.substr(0, text.rfind(':'));
  }
  if (text.size() > 2 && text.front() == '[' && text.back() == ']') text = text.substr(1, text.size() - 2);
  if (!term.port) term.text = std::string(text);
  term.mac = MacAddr::parse(text);
  if (const auto prefix = Prefix::parse(text); prefix && !term.mac && text.find_first_of(".:") != std::string_view::npos)
    term.address = prefix->address;
  term.number = number_of(text);
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  term.uuid = hexadecimal ? uuid_of_number(text) : uuid_digits(text);
  if (term.address)
    term.dump_text = address_text(*term.address, term.port);
  else if (term.mac)
    term.dump_text = term.mac->to_string();
  return term;
}

std::optional<std::uint16_t> LookupTerm::as_port() const {
  if (!may_be("nodeport") && !may_be("port")) return std::nullopt;
  return number && *number > 0 && *number <= 65535 ? std::optional(static_cast<std::uint16_t>(*number)) : std::nullopt;
}

bool LookupTerm::is_one_of(const std::vector<IpAddr>& addresses) const {
  return address && std::find(addresses.begin(), addresses.end(), *address) != addresses.end();
}

bool LookupTerm::is_one_of(const std::vector<Prefix>& prefixes) const {
  return address && std::any_of(prefixes.begin(), prefixes.end(), [&](const Prefix& p) { return p.address == *address; });
}

bool LookupTerm::is_name_of(ObjectKind of, const cluster::Object& object) const {
  const std::string full = object.full_name();
  const bool by_kind = !kind || *kind == of || (*kind == ObjectKind::service && of == ObjectKind::endpoints);
  return (by_kind && (text == full || text == object.name)) || (kind && whole == full);
}

bool mentions(std::string_view text, std::string_view word) {
  if (word.empty()) return false;
  const bool is_v6 = word.find(':') != std::string_view::npos;
  for (std::size_t at = find_word(text, word); at != std::string_view::npos; at = find_word(text, word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool before = at > 0 && (joins(text, at - 1, -1) || (is_v6 && text[at - 1] == ':'));
    const bool behind = end < text.size() && (joins(text, end, 1) || (is_v6 && text[end] == ':'));
    if (!before && !behind) return true;
  }
  return false;
}

}  // namespace egt::explain
