// A secret of this host's user, by which a compiled snapshot that was made here is distinguished from any other: only of the former
// is believed what reading its dumps found out.
#pragma once

#include <string>
#include <string_view>

namespace egt::parsers {

enum class Missing { create, leave };

// From $XDG_STATE_HOME/egtrace/key (~/.local/state/egtrace/key), which only its owner may read. Empty where there is none
// and none can be made.
std::string seal_key(Missing missing);

// HMAC-SHA-256 (RFC 2104) in hexadecimal; the inner digest goes in as hexadecimal, too.
std::string seal_of(std::string_view key, std::string_view message);

}  // namespace egt::parsers
