// Chains of an nft listing with their rules.
#pragma once

#include <cstddef>
#include <string_view>

#include "nft/listing_lines.h"

namespace egt::parsers::nft {

class ChainReader {
 public:
  // `most_trees`: how many rules are kept as trees, of all chains together.
  ChainReader(ListingLines& lines, std::size_t most_trees) : lines_(lines), most_trees_(most_trees) {}

  Chain read(const Opening& o, bool gap);

 private:
  void read_line(Chain& c);
  void keep_as_text(Chain& c, std::string_view text);
  Rule read_rule(unsigned depth);
  void read_block(BlockVerdict& block, unsigned depth);

  ListingLines& lines_;
  std::size_t most_trees_, trees_ = 0;
};

}  // namespace egt::parsers::nft
