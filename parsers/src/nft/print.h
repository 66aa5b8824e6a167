// The tree of an nft listing as text, as nft prints it.
#pragma once

#include <string>

#include "nft/tree.h"

namespace egt::parsers::nft {

void print(const Expression& e, std::string& out);
void print(const Statement& s, std::string& out);
// Without indentation and end of line; `depth` is that of the rule (2 inside a chain), for blocks inside it.
void print(const Rule& r, std::string& out, unsigned depth = 2);
void print(const Element& e, std::string& out);
void print(const Document& d, std::string& out);

std::string text_of(const Expression& e);

}  // namespace egt::parsers::nft
