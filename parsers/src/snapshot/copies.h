// Names of further dumps of one thing.
#pragma once

#include <vector>

#include "snapshot/discover.h"

namespace egt::parsers {

// Fills FoundFile::copy_of: sos calls the second file of one name "x.1", editors and people "x.bak", "x~", "x (2)".
// Only where an "x" lies beside it: "br-ex.100" may be the name of a bridge.
void find_copies(std::vector<FoundFile>& files);

}  // namespace egt::parsers
