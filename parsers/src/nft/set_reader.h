// Sets and maps of an nft listing, and its objects (counters, quotas, helpers).
#pragma once

#include <string_view>

#include "nft/listing_lines.h"

namespace egt::parsers::nft {

Set read_set(ListingLines& lines, const Opening& o, bool gap);

bool is_object_kind(std::string_view word);
Object read_object(ListingLines& lines, const Opening& o, bool gap);

}  // namespace egt::parsers::nft
