// Text for HTML: everything that comes from dumps goes through escape().
#pragma once

#include <string>
#include <string_view>

namespace egt::render {

// For element content and for attributes in double quotes. Control characters become U+FFFD, invisible ones escapes.
std::string escape_html(std::string_view text);

// The style sheet and the script of explain's page: one file, no network, light and dark, phone and paper.
std::string_view page_style();
std::string_view page_script();
// The Content-Security-Policy by which this style sheet and this script are the only ones.
std::string page_policy();

}  // namespace egt::render
