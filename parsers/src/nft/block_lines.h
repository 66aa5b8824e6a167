// Blocks in another layout than nft's listing: "chain c { type filter hook input priority 0; policy drop;",
// "elements = { 1, 2 } }", "set s { type ipv4_addr; flags interval; }" (nft(8), FILE FORMAT). Each of their lines is split into
// those of a listing.
#pragma once

#include <string_view>
#include <vector>

namespace egt::parsers::nft {

// `in_list`: the line goes on with the elements of a set. Empty where the line is one of a listing already, as nearly all are.
std::vector<std::string_view> lines_of_blocks(std::string_view line, bool in_list);

}  // namespace egt::parsers::nft
