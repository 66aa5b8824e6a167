// The typed tree of an nft listing as JSON, pretty-printed.
#pragma once

#include <string>

#include "nft/tree.h"

namespace egt::parsers::nft {

std::string tree_to_json(const Document& document);

}  // namespace egt::parsers::nft
