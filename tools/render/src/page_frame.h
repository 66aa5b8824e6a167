// A page (tools/render/page/page.html) with its style and script, with a Content-Security-Policy by which these are the only ones.
#pragma once

#include <string>
#include <string_view>

namespace egt::render {

struct PageFrame {
  std::string_view kind;  // "report", by which the style sheet knows it; may be empty
  std::string style, script;
  std::string_view dialogs = {};  // HTML
  bool asks = false;              // forms send to the server that the page comes from
};

// `title` is text; `content` is HTML.
std::string fill(const PageFrame& frame, std::string_view title, std::string_view content);

}  // namespace egt::render
