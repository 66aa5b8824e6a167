// Names of further dumps of one thing.
#pragma once

#include <vector>

#include "snapshot/discover.h"

namespace egt::parsers {

// Fills FoundFile::copy_of: sos calls the second file of one name "x.1", editors and people "x.bak", "x~", "x (2)".
// Only where an "x" lies beside it: "br-ex.100" may be the name of a bridge.
// Some archivers (zip without -y, a checkout without links) store the target of a symbolic link as a file's text. Such a file
// is read as the link that it was, and one that leads nowhere as no dump.
void follow_flattened_links(std::vector<FoundFile>& files);

void find_copies(std::vector<FoundFile>& files);

}  // namespace egt::parsers
