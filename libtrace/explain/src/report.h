// From the courses that the engine walked to the report that users read.
#pragma once

#include "egtrace/explain/explanation.h"
#include "reasons.h"
#include "words.h"

namespace egt::explain {

// How sentences call the sender, and what it sends: "server", "server's answer".
struct Subject { std::string sender, packet; };
// `before`: what the packet follows. `registers`: whether to fill Hop::registers.
WayReport report_way(const engine::Course& course, const Words& words, const Subject& from, const Before& before = {},
                     bool registers = true);
// Of several ways: the common verdict, else "mixed"; "inconclusive" where there is none.
std::string common_verdict(const std::vector<WayReport>& ways);
std::string common_confidence(const std::vector<WayReport>& ways);
// The share of the traffic that takes this way; nullopt where a choice has none.
std::optional<double> weight_of(const engine::Course& course);
std::string summary_of(const std::vector<WayReport>& ways, const std::string& verdict);

}  // namespace egt::explain
