// What tracers of the kernel print, each as one function that hands on events and counts.
#pragma once

#include <string_view>

#include "egtrace/parsers/capture.h"

namespace egt::parsers::kernel_events {

// JSON lines of retis 1.5 and newer ("retis collect -o", "retis print --format json"); sorted ones ("retis sort") too.
bool is_retis(std::string_view bytes);
Result<capture::Capture> read_retis(std::string_view bytes, const TakeEvent& take);

// The text that pwru prints, of the versions before 1.0.6 and since.
bool is_pwru(std::string_view bytes);
Result<capture::Capture> read_pwru(std::string_view bytes, const TakeEvent& take);

}  // namespace egt::parsers::kernel_events
