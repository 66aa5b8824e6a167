// Lines that are not understood: all are counted, the first ones are kept with their text.
#pragma once

#include <string>
#include <string_view>

#include "egtrace/capture/frame.h"

namespace egt::parsers::kernel_events {

inline void note_problem(capture::Capture& capture, std::uint64_t line, std::uint32_t column, std::string_view message,
                         std::string_view text) {
  constexpr std::size_t kMost = 5, kLongest = 4096;
  ++capture.not_understood;
  if (capture.first_not_understood == 0) capture.first_not_understood = line;
  if (capture.problems.size() < kMost)
    capture.problems.push_back({line, column, std::string(message), std::string(text.substr(0, kLongest))});
}

}  // namespace egt::parsers::kernel_events
