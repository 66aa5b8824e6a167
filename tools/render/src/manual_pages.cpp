#include "manual_pages.h"

#include "egtrace/base/text.h"
#include "page_files.h"

namespace egt::render {
namespace {

// What stands below "### NAME", up to the next heading of that rank or above.
std::optional<std::string> section(std::string_view manual, std::string_view name) {
  const std::string heading = "\n### " + std::string(name) + "\n";
  const std::size_t begin = manual.find(heading);
  if (begin == manual.npos) return std::nullopt;
  std::string_view rest = manual.substr(begin + heading.size());
  rest = rest.substr(0, std::min(rest.find("\n### "), rest.find("\n## ")));
  return std::string(trim(rest));
}

std::string without_marks(std::string_view markdown) {
  std::string text;
  for (std::size_t i = 0; i < markdown.size(); ++i) {
    if (markdown[i] == '`') continue;
    if (markdown.substr(i, 2) == "**")
      ++i;
    else
      text += markdown[i];
  }
  return text;
}

std::string first_paragraph(std::string_view text) {
  std::string line(text.substr(0, text.find("\n\n")));
  for (char& c : line)
    if (c == '\n') c = ' ';
  return line;
}

}  // namespace

std::optional<ManualSection> section_of_reason(std::string_view reason) {
  auto found = section(page_files::reasons_md(), reason);
  if (!found) return std::nullopt;
  std::string text = without_marks(*found);
  return ManualSection{first_paragraph(text), *std::move(found), text};
}

// A page begins with "# TITLE".
std::optional<ManualSection> page_of_check(std::string_view check) {
  const auto found = page_files::check_md(check);
  if (!found) return std::nullopt;
  const std::string page(trim(*found));
  std::string text = without_marks(page);
  if (text.starts_with("# ")) text.erase(0, 2);
  return ManualSection{first_paragraph(text), page, text};
}

}  // namespace egt::render
