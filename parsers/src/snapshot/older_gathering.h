// Several must-gathers of one cluster in one snapshot.
#pragma once

#include <string>
#include <vector>

#include "snapshot/examine.h"

namespace egt::parsers {

// Of must-gathers of one cluster the newest counts: mixed, they would show a cluster that never was. Such are two that have a
// database of the same pod, or, where the older has no database, most of the older's files. Those that one `oc adm must-gather`
// made with several images, and one of the network beside one of the rest, are one together. Dumps of an older one get a note and
// are left out. What is left out is returned, as a sentence for each must-gather.
std::vector<std::string> leave_out_older_gatherings(std::vector<Candidate>& candidates);

}  // namespace egt::parsers
