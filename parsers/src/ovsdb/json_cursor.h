// Walks JSON where it lies (RFC 8259), without building a tree: a Southbound database is one line of a hundred megabytes
// of which most is never looked at. Values that are skipped are only checked for balanced brackets and quotes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace egt::parsers::ovsdb {

class JsonCursor {
 public:
  explicit JsonCursor(std::string_view text) : text_(text) {}

  // The next character that is no blank, without taking it; NUL at the end.
  char peek();
  bool take(char c);
  bool done() { return peek() == '\0' && at_ >= text_.size(); }
  std::size_t offset() const { return at_; }

  // A string as it stands between its quotes, escapes and all.
  std::optional<std::string_view> raw_string();
  // Skips one value of any kind and gives its text; empty when it is none, or nests deeper than ovsdb-server
  // accepts (JSON_MAX_HEIGHT in include/openvswitch/json.h).
  std::string_view value();

 private:
  bool skip_string();
  bool skip_nested();
  bool skip_scalar();

  std::string_view text_;
  std::size_t at_ = 0;
};

// Goes through the members of an object: calls `take(name, cursor)`, which must take the value and return whether it could.
// The names are raw: names of tables, columns and UUIDs hold no escapes. False where the object is damaged.
template <class Take>
bool for_each_member(JsonCursor& c, Take take) {
  if (!c.take('{')) return false;
  if (c.take('}')) return true;
  do {
    const auto name = c.raw_string();
    if (!name || !c.take(':') || !take(*name, c)) return false;
  } while (c.take(','));
  return c.take('}');
}

template <class Take>
bool for_each_element(JsonCursor& c, Take take) {
  if (!c.take('[')) return false;
  if (c.take(']')) return true;
  do {
    if (!take(c)) return false;
  } while (c.take(','));
  return c.take(']');
}

// The raw string that a JSON value is; empty for a value that is none.
inline std::string_view without_quotes(std::string_view value) {
  return value.size() >= 2 && value.front() == '"' ? value.substr(1, value.size() - 2) : std::string_view{};
}

// What a raw string means. Escapes that JSON does not know, and halves of surrogate pairs, stay as they are written.
bool has_escapes(std::string_view raw);
void append_unescaped(std::string_view raw, std::string& out);
std::string unescaped(std::string_view raw);

}  // namespace egt::parsers::ovsdb
