// A page out of its template, style and script, with a Content-Security-Policy by which these are the only ones.
#pragma once

#include <string>
#include <string_view>

namespace egt::render {

struct PageFrame {
  std::string_view page;     // with {{title}}, {{policy}}, {{style}}, {{content}}, {{script}}
  std::string style, script;
};

// `title` is text; `content` is HTML.
std::string fill(const PageFrame& frame, std::string_view title, std::string_view content);

}  // namespace egt::render
