// The comparisons that distinguish a match from most others, found in its text without reading it: of the ten thousand
// flows of a load balancer's table a packet meets those of one address and port.
#pragma once

#include <optional>
#include <string_view>

#include "egtrace/ovn/language.h"
#include "egtrace/parsers/ovn_lang.h"

namespace egt::parsers::ovn_lang {

// Of the comparisons `FIELD == CONSTANT` that must hold wherever the match holds, those that most packets fail; nothing
// where the text has none, or a form that needs the careful reader. A match may be no valid one all the same.
std::optional<ovn::NeededTerms> find_needed_terms(std::string_view match, const Environment& environment);

}  // namespace egt::parsers::ovn_lang
