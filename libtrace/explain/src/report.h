// From the courses that the engine walked to the report that users read.
#pragma once

#include <cstddef>
#include <functional>

#include "egtrace/explain/explanation.h"
#include "reasons.h"
#include "words.h"

namespace egt::explain {

// How sentences call the sender, and what it sends: "server", "server's answer".
struct Subject { std::string sender, packet; };
// What of hops is told: as in Question.
struct HopsTold { bool registers = true, all_ways = true; };
// `before`: what the packet follows.
WayReport report_way(const engine::Course& course, const Words& words, const Subject& from, const Before& before,
                     const HopsTold& told);
// Of a way only what decided it, as Question::only_deciding says: the same as report_way would tell of these things.
WayReport report_decision(const engine::Course& course, const Words& words);

StopReport report_stop(const engine::Stop& stop, const Words& words);
std::vector<ChoiceReport> report_choices(const engine::Course& course);
NatReport report_nat(const engine::NatEvent& e, const Words& words);
// The addresses with which the last receiver sees the packet.
// Names it, and takes the proof away.
void assume(const engine::Assumption& a, const Words& words, WayReport& way);
void report_ovn(const engine::Course& course, const Words& words, WayReport& way);
void report_group(const engine::Course& course, const Words& words, WayReport& way);   // of broadcast and multicast
void report_seen(const engine::Course& course, WayReport& way);
// The rows behind the last step that one of them decided, on the machine where the packet ended. `hop_at`: the hops of
// the way, by number.
void name_stop(StopReport& stop, std::size_t hops, const std::function<const Hop&(std::size_t)>& hop_at);

// Of several ways: the common verdict, else "mixed"; "inconclusive" where there is none.
std::string common_verdict(const std::vector<WayReport>& ways);
std::string common_confidence(const std::vector<WayReport>& ways);
// The share of the traffic that takes this way; nullopt where a choice has none.
std::optional<double> weight_of(const engine::Course& course);
std::string summary_of(const std::vector<WayReport>& ways, const std::string& verdict);

}  // namespace egt::explain
