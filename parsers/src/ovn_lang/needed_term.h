// The comparison that tells a match apart from most others, found in its text without reading it: of the hundred thousand
// flows of a load balancer's table a packet meets those of one address.
#pragma once

#include <optional>
#include <string_view>

#include "egtrace/ovn/language.h"
#include "egtrace/parsers/ovn_lang.h"

namespace egt::parsers::ovn_lang {

// Of the comparisons `FIELD == CONSTANT` that must hold wherever the match holds, the one that most packets fail; nothing
// where the text has none, or a form that needs the careful reader. A match may be no valid one all the same.
std::optional<ovn::NeededTerm> find_needed_term(std::string_view match, const Environment& environment);

}  // namespace egt::parsers::ovn_lang
