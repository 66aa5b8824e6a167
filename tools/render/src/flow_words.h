// What two dumps of flows show of each, in words; numbers of packets and bytes a second.
#pragma once

#include <string>
#include <string_view>

#include "egtrace/explain/flows.h"

namespace egt::render {

// Three digits where it is no whole number: "0.25", "12.3", "1520".
std::string rate_number(double per_second);
// "12.3 packets/s, 1520 bytes/s", or why there is no rate. Empty where there is one dump alone.
std::string change_words(const explain::ListedFlow& flow, const explain::ComparedDump& compared);
std::string_view change_name(explain::FlowChange change);  // of JSON and CSV; empty where there is one dump alone
std::string_view basis_name(explain::IntervalBasis basis);
// "10.2 s after worker/flows.1 by the ages of flows: rates of 810 flows, 3 new, 2 gone".
std::string comparison_words(const explain::ComparedDump& compared);
// "rates of 10 of 12 flows"; empty where all have one.
std::string rated_words(std::uint64_t rated, std::uint64_t flows);

// What a datapath flow matches at all, where packets come from first: "recirc_id(0),in_port(5),ipv4(dst=10.0.0.1)", without "skb_mark(0/0)" and its name.
std::string datapath_match(const openflow::FlowWords& flow, const explain::FlowReader& reader);
std::string_view datapath_actions(std::string_view actions);  // without what the userspace datapath adds to them

}  // namespace egt::render
