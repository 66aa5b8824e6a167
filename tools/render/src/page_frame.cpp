#include "page_frame.h"

#include <fmt/format.h>

#include "egtrace/base/sha256.h"
#include "html_text.h"
#include "page_files.h"

namespace egt::render {
namespace {

std::string policy_of(const PageFrame& frame) {
  return fmt::format("default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action {}",
                     sha256_base64(frame.style), sha256_base64(frame.script), frame.asks ? "'self'" : "'none'");
}

}  // namespace

// What is put in is not looked through for places once more: a dump may hold "{{script}}".
std::string fill(const PageFrame& frame, std::string_view title, std::string_view content) {
  std::string out;
  const std::string_view page = page_files::page_html();
  out.reserve(page.size() + frame.style.size() + frame.script.size() + content.size() + 512);
  for (std::string_view rest = page; !rest.empty();) {
    const std::size_t open = rest.find("{{"), close = rest.find("}}", open);
    out += rest.substr(0, open);
    if (close == std::string_view::npos) break;
    const std::string_view place = rest.substr(open + 2, close - open - 2);
    if (place == "title")
      out += escape_html(title);
    else if (place == "kind")
      out += frame.kind;
    else if (place == "dialogs")
      out += frame.dialogs;
    else if (place == "policy")
      out += policy_of(frame);
    else if (place == "style")
      out += frame.style;
    else if (place == "content")
      out += content;
    else if (place == "script")
      out += frame.script;
    rest.remove_prefix(close + 2);
  }
  return out;
}

}  // namespace egt::render
