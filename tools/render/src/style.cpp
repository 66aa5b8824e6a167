#include "style.h"

#include "egtrace/render/printable.h"

namespace egt::render {
namespace {

// Where a line of at most `room` bytes may end: behind a blank or a comma; in the middle of a word if it must.
std::size_t break_point(std::string_view text, std::size_t room) {
  if (text.size() <= room) return text.size();
  for (std::size_t i = room; i > room / 3; --i)
    if (text[i] == ' ' || text[i - 1] == ',') return i;
  std::size_t i = room;
  while (i > 1 && (static_cast<unsigned char>(text[i]) & 0xc0) == 0x80) --i;  // not inside a UTF-8 sequence
  return i;
}

}  // namespace

std::string Style::operator()(Tone tone, std::string_view text) const {
  const char* code = nullptr;
  switch (tone) {
    case Tone::plain: break;
    case Tone::heading: code = "1"; break;
    case Tone::good: code = "1;32"; break;
    case Tone::bad: code = "1;31"; break;
    case Tone::doubtful: code = "1;33"; break;
    case Tone::faint: code = "2"; break;
  }
  if (!colour_ || code == nullptr) return std::string(text);
  return render::colour(code) + std::string(text) + render::colour("0");
}

Tone tone_of_verdict(std::string_view verdict) {
  if (verdict == "delivered") return Tone::good;
  if (verdict == "dropped" || verdict == "rejected") return Tone::bad;
  return Tone::doubtful;
}

std::string wrap(std::string_view text, std::size_t indent, std::size_t width, std::size_t most_lines) {
  const std::size_t room = width > indent + 20 ? width - indent : 20;
  const std::string margin(indent, ' ');
  std::string out;
  for (std::size_t line = 1;; ++line) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    const bool last = most_lines != 0 && line == most_lines;
    const std::size_t end = break_point(text, last && text.size() > room ? room - 4 : room);
    std::string_view part = text.substr(0, end);
    while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
    text.remove_prefix(end);
    out += margin;
    out += part;
    if (last && !text.empty()) out += " ...";
    out += '\n';
    if (text.empty() || last) return out;
  }
}

}  // namespace egt::render
