// Texts of tracers, line by line.
#pragma once

#include <cstdint>
#include <string_view>

#include "egtrace/base/text.h"

namespace egt::parsers::kernel_events {

// Calls take(text, number) with each line, counted from 1, without its end (CR LF or LF).
template <class Take>
void for_each_line(std::string_view bytes, Take take) {
  for (std::uint64_t line = 1; !bytes.empty(); ++line) {
    std::string_view text = next_line(bytes);
    if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
    take(text, line);
  }
}

}  // namespace egt::parsers::kernel_events
