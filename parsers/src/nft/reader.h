// The block structure of an nft listing: from text to tree, line by line.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "nft/tree.h"

namespace egt::parsers::nft {

// A line, or the part of it from `column` (1-based) on, that was not understood.
struct Misread {
  std::uint32_t line = 0, column = 0;
  std::string message;
};

struct Reading {
  Document document;
  std::vector<Misread> misread;          // in order of line
  std::uint32_t lines = 0, ignored = 0;  // ignored: empty lines and comments
};

// Reads any part of a listing: whole tables, or a table with some of its chains and sets. Lines are numbered from
// `first_line`. Whatever is not understood stays in the tree as it is, and reading goes on with the next line.
Reading read_listing(std::string_view text, std::uint32_t first_line = 1);

// The same, to be lowered: of the rules of a long listing only the first are kept as trees, the others as their texts, which lie in
// `text`. The tree of a rule takes several times what the model does.
Reading read_to_lower(std::string_view text, std::uint32_t first_line = 1);

}  // namespace egt::parsers::nft
