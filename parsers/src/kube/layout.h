// The lines of a YAML or pretty-printed JSON document as they are laid out, so that it can be printed back by whatever it was
// written: PyYAML, Go's encoders, an editor. What the objects mean is read elsewhere (yaml.cpp, json.cpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace egt::parsers::kube {

// How a scalar is written. `as_written`: flow collections, block headers ("|-"), and quoted text with escapes that are
// not the usual ones; the value then holds the characters as they stand.
enum class ScalarStyle : std::uint8_t { plain, single_quoted, double_quoted, as_written };

struct Scalar {
  std::string value;
  ScalarStyle style = ScalarStyle::plain;
};

struct LayoutLine {
  enum class Kind : std::uint8_t {
    blank,
    comment,       // value: with its "#"
    marker,        // "---", "...", "%YAML …"
    node,          // dashes, key, value, as far as they are there
    continuation,  // of a scalar that began above; value: as written
  };
  Kind kind = Kind::blank;
  std::size_t indent = 0;           // blanks in front
  std::vector<std::size_t> dashes;  // "-" of each sequence that has an entry here: how many blanks follow
  std::optional<Scalar> key;
  std::size_t gap = 0;  // blanks behind the key's colon
  std::optional<Scalar> value;
  std::string tail;  // behind the value: a comma of JSON, a comment, blanks
};

// Reads the lines of one dump in order; a line that continues a scalar is known by those before it.
class LayoutReader {
 public:
  LayoutLine read(std::string_view line);

 private:
  LayoutLine node(std::string_view line, std::size_t indent);

  std::size_t owner_indent_ = 0;  // of the node that the open scalar belongs to
  bool block_ = false;            // inside "|" or ">"
  bool scalar_ = false;           // behind a plain scalar, which may go on
  char quote_ = 0;                // inside a quoted scalar of several lines
};

std::string print(const LayoutLine& line);

}  // namespace egt::parsers::kube
