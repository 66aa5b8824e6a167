// From the paths that the engine walked to the report that users read.
#pragma once

#include <cstddef>
#include <functional>

#include "egtrace/explain/explanation.h"
#include "phrases/words.h"
#include "reasons.h"

namespace egt::explain {

// How sentences call the sender, and what it sends: "server", "the reply from 192.0.2.1 to 10.128.0.5".
struct Subject {
  std::string sender, packet;
};
// Which hops are reported, and with what: as in Question.
struct HopOptions {
  bool registers = true, all_paths = true;
};
// `before`: what the packet follows.
PathReport report_path(const engine::WalkedPath& walked, const Words& words, const Subject& from, const Before& before,
                       const HopOptions& hops);
// Of a path only what decided it, as Question::only_deciding demands: the same as report_path reports of these things.
PathReport report_decision(const engine::WalkedPath& walked, const Words& words);

// What all reports of a path begin with: verdict, choices, and where it leaves.
PathReport report_verdict(const engine::WalkedPath& walked);
StopReport report_stop(const engine::Stop& stop, const Words& words);
std::vector<ChoiceReport> report_choices(const engine::WalkedPath& walked);
NatReport report_nat(const engine::NatEvent& e, const Words& words);
// Adds the assumption to the path, which is proven no longer.
void assume(const engine::Assumption& a, const Words& words, PathReport& path);
void report_ovn(const engine::WalkedPath& walked, const Words& words, PathReport& path);
void report_group(const engine::WalkedPath& walked, const Words& words, PathReport& path);  // of broadcast and multicast
// The addresses with which the last receiver sees the packet.
void report_seen(const engine::WalkedPath& walked, PathReport& path);
// The rows behind the last step that one of them decided, on the node where the packet ended. `hop_at`: the hops of
// the path, by number.
void name_stop(StopReport& stop, std::size_t hops, const std::function<const Hop&(std::size_t)>& hop_at);

// Of several paths; inconclusive where there is none.
CommonVerdict common_verdict(const std::vector<PathReport>& paths);
Confidence common_confidence(const std::vector<PathReport>& paths);
// The share of the traffic that takes this path; nullopt where a choice has none.
std::optional<double> weight_of(const engine::WalkedPath& walked);
std::string summary_of(const std::vector<PathReport>& paths, CommonVerdict verdict);

}  // namespace egt::explain
