// explain as one HTML page.
#include <fmt/format.h>

#include "egtrace/render/explain.h"
#include "explanation_html.h"
#include "page_files.h"
#include "page_frame.h"

namespace egt::render {

std::string explain_html(const explain::Explanation& e) {
  const PageFrame frame{"", std::string(page_files::base_css()), std::string(page_files::explain_js())};
  return fill(frame, fmt::format("{}: {}", packet_text(e), name_of(e.outcome)), explanation_html(e));
}

}  // namespace egt::render
