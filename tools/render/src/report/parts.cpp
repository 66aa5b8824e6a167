#include "report/parts.h"

#include <fmt/format.h>

#include "html_text.h"

namespace egt::render::report {

std::string name_of(const Report& report) {
  return report.before == nullptr ? report.dumped.name : report.before->name + " \xe2\x86\x92 " + report.dumped.name;
}

// Where only the file's name is known, its kind is how the tool calls the command.
std::string command_of(const explain::DumpReport& dump) {
  return dump.command.find(' ') != std::string::npos || dump.kind.empty() || dump.kind == "unknown" ? dump.command : dump.kind;
}

Tone tone_of(explain::Outcome outcome) {
  switch (outcome) {
    case explain::Outcome::answered: return Tone::good;
    case explain::Outcome::refused:
    case explain::Outcome::unanswered: return Tone::bad;
    case explain::Outcome::mixed:
    case explain::Outcome::undecided: return Tone::undecided;
  }
  return Tone::undecided;
}

std::string_view words_of(explain::Outcome outcome) {
  return outcome == explain::Outcome::unanswered ? "no answer" : name_of(outcome);
}

std::string heading(std::string_view id, std::string_view text, std::size_t count) {
  return fmt::format("<h2 id=\"{0}\"><a class=\"self\" href=\"#{0}\">{1}</a> <span class=\"count\">{2}</span></h2>\n", id, text,
                     count);
}

std::string command(std::string_view text) { return fmt::format("<code class=\"command\">{}</code>", escape_html(text)); }

std::string cut(const std::string& text) {
  constexpr std::size_t kMostShown = 2000;
  if (text.size() <= kMostShown) return escape_html(text);
  std::size_t end = kMostShown;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return escape_html(text.substr(0, end)) +
         fmt::format("<span class=\"soft\"> \xe2\x80\xa6 {} bytes more</span>", text.size() - end);
}

std::string counted(std::size_t n, std::string_view what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); }

}  // namespace egt::render::report
