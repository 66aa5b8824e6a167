// What archives show of how they were made: by which collector, and whether something replaced their addresses.
#pragma once

#include <string>
#include <vector>

#include "snapshot/discover.h"

namespace egt::parsers {

// "sos report: 4.6.1", "openshift/must-gather 4.16.3"; in order, each once.
std::vector<std::string> collectors_of(const std::vector<FoundFile>& files);

// "sos clean" or "must-gather-clean"; empty: nothing shows that addresses were replaced.
std::string obfuscation_of(const std::vector<FoundFile>& files);

}  // namespace egt::parsers
