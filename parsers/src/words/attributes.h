// Lines of the kind "via 10.0.0.1 dev eth0 metric 20 onlink": keys with values, distinguished by a table of keys.
//
// A value is typed where its text is the usual text of that type; blanks are kept, so that a line prints as it was.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "egtrace/base/ip.h"
#include "egtrace/base/mac.h"

namespace egt::parsers::words_of {

enum class ValueKind : std::uint8_t {
  flag,  // no value
  text,
  number,
  hex,  // 0x…
  address,
  prefix,  // a host without its length
  mac,
  via,       // an address, perhaps with "inet6" in front
  lockable,  // a number, perhaps with "lock" in front
  encap,     // "ip id 5 src … dst …": all up to the device or gateway
};

struct KeySpec {
  std::string_view name;
  ValueKind kind;
};

struct Hex {
  std::uint64_t value = 0;
};
// "inet6 fe80::1", "lock 1400": a word and a typed value.
struct Marked {
  std::string mark, text;
};
using Value = std::variant<std::monostate, std::string, std::uint64_t, Hex, IpAddr, Prefix, MacAddr, Marked>;

struct Attribute {
  std::string key;  // empty: a value that stands alone by its place
  Value value;
  bool known = true;
  std::string gap = " ";        // in front of the key
  std::string value_gap = " ";  // between key and value
};

struct Attributes {
  std::vector<Attribute> list;
  std::string tail;  // blanks at the end

  const Attribute* find(std::string_view key) const;
  bool has(std::string_view key) const { return find(key) != nullptr; }
  std::string text(std::string_view key) const;  // empty when absent
  std::optional<std::uint64_t> number(std::string_view key) const;
  bool all_known() const;
  std::string first_unknown() const;
};

// A value of the wanted kind; as text where the text is not the usual one of that kind.
Value typed_value(std::string_view text, ValueKind kind);
std::string print_value(const Value& v);
void print(const Attributes& attributes, std::string& out);

// Takes words off a line with the blanks before them; a backslash stands for a line break of "ip -o" and counts as
// blank.
class WordReader {
 public:
  explicit WordReader(std::string_view text) : rest_(text) {}
  bool done() const;  // nothing but blanks left
  std::string_view peek() const;
  std::string_view next(std::string& gap);
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

// Reads keys and values up to the end. A word that is no key becomes an attribute that is not known.
void parse_attributes(WordReader& reader, std::span<const KeySpec> keys, Attributes& out);
// One word as a value by its place, under a name of our own.
void take_positional(WordReader& reader, ValueKind kind, Attributes& out);

}  // namespace egt::parsers::words_of
