// Whether a dump is all that its command printed, or an excerpt or a cut copy, in which absence proves nothing.
#pragma once

#include <string>

#include "egtrace/parsers/format.h"

namespace egt::parsers {

// Of dumps whose tools end every line: what stands in the last one may be half of a fact.
inline constexpr std::string_view kAnExcerpt = "an excerpt";  // the user named it so, or pasted it
inline constexpr std::string_view kEndsWithinLine = "it ends in the middle of a line";

// Why the dump must be taken for a part of the whole; empty when nothing shows that it is not complete.
// `newline_kept`: whether the collector keeps the newline at the end (sos does not). `may_be_empty`: other dumps of the
// node show that there is nothing to print.
std::string why_partial(const Dump& dump, const Format& format, bool newline_kept, bool may_be_empty);

// Whether this dump, of any netfilter tool, was printed and shows not a single rule.
bool shows_no_netfilter_rule(const Dump& dump, const Format& format);

}  // namespace egt::parsers
