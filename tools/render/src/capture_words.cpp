#include "capture_words.h"

#include <fmt/format.h>

namespace egt::render {

using explain::Fate;

bool arrived(const explain::FlowReport& f) { return f.fate == Fate::answered || f.fate == Fate::delivered; }

Tone tone_of_fate(const explain::FlowReport& f) {
  if (arrived(f)) return Tone::good;
  return f.fate == Fate::unexplained ? Tone::undecided : Tone::bad;
}

std::string fate_words(const explain::FlowReport& f) {
  std::string fate(name_of(f.fate));
  if (f.direction && f.fate == Fate::lost) fate += fmt::format(", the {}", name_of(*f.direction));
  if (f.after_handshake) fate += " after the handshake";
  return fate;
}

std::string alike_words(const explain::AlikeReport& alike) {
  if (alike.flows == 0) return {};
  std::string s = fmt::format("{} more", alike.flows);
  if (alike.first_sport != alike.last_sport) s += fmt::format(", source ports {} to {}", alike.first_sport, alike.last_sport);
  if (alike.senders > 1) s += fmt::format(", {} senders", alike.senders);
  if (alike.receivers > 1) s += fmt::format(", {} receivers", alike.receivers);
  return s;
}

}  // namespace egt::render
