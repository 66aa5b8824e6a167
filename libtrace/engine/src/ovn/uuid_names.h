// UUIDs in names, and UUIDs as users abbreviate them.
#pragma once

#include <string>
#include <string_view>

#include "egtrace/ovn/southbound.h"

namespace egt::engine {

constexpr unsigned kFewestDigits = 4;  // of a UUID that is abbreviated

// A name that ends in a UUID is shown with the UUID's first digits.
std::string shortened(const std::string& name);
// The digits of a UUID that `text` begins it with; 0 where it does not, or where it is longer.
unsigned partial_match(const ovn::Uuid& uuid, std::string_view text);

}  // namespace egt::engine
