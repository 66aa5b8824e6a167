#include "html_text.h"

#include "egtrace/render/printable.h"

namespace egt::render {

std::string escape_html(std::string_view dumped) {
  const std::string text = with_visible(dumped);
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default:
        if ((u < 0x20 && c != '\n' && c != '\t') || u == 0x7f)
          out += "\xef\xbf\xbd";
        else
          out += c;
    }
  }
  return out;
}

}  // namespace egt::render
