// The lines of an nft listing, with what begins and ends its blocks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nft/reader.h"

namespace egt::parsers::nft {

// Words of a block's first line: "chain c { # handle 3".
struct Opening {
  std::vector<std::string_view> words;  // up to the brace
  std::optional<std::uint64_t> handle;
  std::string_view program;
};
std::optional<Opening> opening_of(std::string_view text);
// Of a chain, a set or a map.
bool begins_item(const Opening& o);

class ListingLines {
 public:
  struct Line {
    std::string_view raw;   // without '\n' and '\r'
    std::string_view text;  // without blanks around
    std::uint32_t number = 0;
  };

  ListingLines(std::string_view text, std::uint32_t first_line) : rest_(text), next_number_(first_line) {}

  bool next();
  // The next line of a block; false behind its last one. `closed`: a brace ends it, not the end of the text or another block.
  bool next_in_block(bool& closed);
  void back() { put_back_ = true; }
  // While the elements of a set are read.
  void set_in_list(bool in_list) { in_list_ = in_list; }

  const Line& line() const { return line_; }
  bool begins_with(std::string_view word) const;  // and a blank
  bool starts_table() const;
  bool starts_block() const;
  // What grep leaves between two places, and the end of a block of which it left out the beginning.
  bool is_cut_mark() const { return line_.text == "--" || line_.text == "}"; }
  OpaqueLine opaque() const { return {std::string(line_.raw), line_.number}; }

  void ignore() { ++found_.ignored; }
  void misread(std::uint32_t column, std::string message);
  void misread(Misread what) { found_.misread.push_back(std::move(what)); }
  void truncated(const std::string& what, std::uint32_t line);
  // What was found, with an empty document.
  Reading take() { return std::move(found_); }

 private:
  std::string_view rest_;
  std::uint32_t next_number_;
  Line line_;
  bool put_back_ = false;
  bool in_list_ = false;                 // of the elements of a set
  std::vector<std::string_view> parts_;  // of a line with several of a listing's
  std::size_t next_part_ = 0;
  Reading found_;
};

}  // namespace egt::parsers::nft
