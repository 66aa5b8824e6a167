// Text for HTML: everything that comes from dumps goes through escape().
#pragma once

#include <string>
#include <string_view>

namespace egt::render {

// For element content and for attributes in double quotes. Control characters become U+FFFD, invisible ones escapes.
std::string escape_html(std::string_view text);

}  // namespace egt::render
