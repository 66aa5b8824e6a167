// Values of OVSDB columns as ovs-vsctl, ovn-nbctl and ovn-sbctl print them: atoms, sets and maps (RFC 7047, ovsdb(7),
// "OVSDB Data Types"; ovsdb_datum_to_string() in lib/ovsdb-data.c).
//
// Whether a string stands in quotes is part of the tree: the rule changed over the years (digits needed quotes once).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/cursor.h"

namespace egt::parsers::ovsdb {

enum class AtomKind : std::uint8_t { integer, real, boolean, string, uuid };

struct Atom {
  AtomKind kind = AtomKind::string;
  bool quoted = false;  // strings only
  std::string text;     // strings without quotes and escapes; anything else as printed

  friend bool operator==(const Atom&, const Atom&) = default;
};

struct Datum {
  enum class Shape : std::uint8_t { atom, set, map };
  Shape shape = Shape::atom;
  std::vector<Atom> keys;    // the atom; the elements; the keys
  std::vector<Atom> values;  // of a map, as many as keys

  bool empty() const { return keys.empty(); }
  // The only atom's text; empty for an empty set. Sets of several give the first.
  std::string text() const { return keys.empty() ? std::string() : keys.front().text; }
  std::vector<std::string> texts() const;
  std::map<std::string, std::string> as_map() const;

  friend bool operator==(const Datum&, const Datum&) = default;
};

// 8-4-4-4-12 hexadecimal digits.
bool is_uuid(std::string_view s);
// Whether present versions print this string in quotes.
bool needs_quotes(std::string_view s);

Atom string_atom(std::string_view text);  // quoted where the tools would quote it
Datum atom_datum(Atom atom);

// Reads one value up to the end of the cursor; empty when it is none, with the cursor where it went wrong. Sets and
// maps do not nest. ':' instead of '=' and blanks are let pass: people edit what they paste.
std::optional<Datum> parse_datum(Cursor& c);
std::optional<Datum> parse_datum(std::string_view text);
// One atom; a bare word ends before one of ",=]}" or a blank.
std::optional<Atom> parse_atom(Cursor& c);

void print(const Atom& atom, std::string& out);
void print(const Datum& datum, std::string& out);
std::string to_text(const Datum& datum);
// In quotes, with the escapes of JSON, as json_serialize_string() of Open vSwitch writes them.
void print_quoted(std::string_view text, std::string& out);

}  // namespace egt::parsers::ovsdb
