// Two traces of the same packet compared with each other: identifiers that the datapath gives out are numbered anew.
#pragma once

#include <string>
#include <vector>

namespace egt::testing {

// The answers to a batch of packets.
std::vector<std::string> split_traces(const std::string& text);
// Recirculation identifiers and datapath meters counted in order of appearance.
std::string renumbered_trace(const std::string& text);
std::string without_megaflow(const std::string& text);
// Both texts, the lines that differ marked with - (the daemon) and + (the program).
std::string line_difference(const std::string& daemon, const std::string& program);

}  // namespace egt::testing
