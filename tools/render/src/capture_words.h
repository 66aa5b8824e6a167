// What texts and pages show of captured flows.
#pragma once

#include <string>

#include "egtrace/explain/capture.h"
#include "style.h"

namespace egt::render {

bool arrived(const explain::FlowReport& f);
Tone tone_of_fate(const explain::FlowReport& f);
// "lost, the reply after the handshake"
std::string fate_words(const explain::FlowReport& f);
// "41 more, source ports 1024 to 5000"; empty where none is alike.
std::string alike_words(const explain::AlikeReport& alike);

}  // namespace egt::render
