// Masks the secrets of a snapshot's files before anything looks at them: what is loaded, printed or packed has none.
#pragma once

#include <vector>

#include "snapshot/discover.h"

namespace egt::parsers {

// How far masking goes. `to_hand_on`: also what no loader looks at and secrets often are in (environment of containers).
enum class Masking { secrets, to_hand_on };

// Marks files that it changed (FoundFile::masked).
void mask_files(std::vector<FoundFile>& files, Masking how, unsigned jobs);

}  // namespace egt::parsers
