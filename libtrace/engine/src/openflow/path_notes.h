// What the notes of a translation mean for a path.
#pragma once

#include "egtrace/engine/openflow/trace.h"
#include "path_position.h"

namespace egt::engine {

void record_note(const ofproto::Note& note, PathPosition& at);

}  // namespace egt::engine
