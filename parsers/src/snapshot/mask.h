// Masks the secrets of a snapshot's files before anything looks at them: what is loaded, printed or packed has none.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "snapshot/discover.h"

namespace egt::parsers {

// How far masking goes. `to_hand_on`: also what no loader looks at and secrets often are in (environment of containers).
enum class Masking { secrets, to_hand_on };

// Marks files that it changed (FoundFile::masked). Of what is read, dumps of nodes wait until their node is read:
// they are marked (FoundFile::to_mask), and mask_dump() does it.
void mask_files(std::vector<FoundFile>& files, Masking how, unsigned jobs);

// The text of a dump of which to_mask is set, as it may be shown; none where it has no secret.
std::optional<Content> mask_dump(std::string_view text);

}  // namespace egt::parsers
