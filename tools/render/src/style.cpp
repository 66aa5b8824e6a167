#include "style.h"

#include "egtrace/render/printable.h"

namespace egt::render {

std::string Style::operator()(Tone tone, std::string_view text) const {
  const char* code = nullptr;
  switch (tone) {
    case Tone::plain: break;
    case Tone::heading: code = "1"; break;
    case Tone::good: code = "1;32"; break;
    case Tone::bad: code = "1;31"; break;
    case Tone::undecided: code = "1;33"; break;
    case Tone::faint: code = "2"; break;
  }
  if (!colour_ || code == nullptr) return std::string(text);
  return render::colour(code) + std::string(text) + render::colour("0");
}

Tone tone_of(explain::CommonVerdict verdict) {
  using explain::Verdict;
  if (verdict == Verdict::delivered) return Tone::good;
  if (verdict == Verdict::dropped || verdict == Verdict::rejected) return Tone::bad;
  return Tone::undecided;
}

std::string_view class_of(Tone tone) { return tone == Tone::good ? "good" : tone == Tone::bad ? "bad" : "doubtful"; }

}  // namespace egt::render
