// The typed trees as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "egtrace/parsers/ovs_ofctl.h"
#include "ovs_ofctl/reply.h"

namespace egt::parsers::ofctl {

using Json = nlohmann::ordered_json;

Json json_of(const openflow::Action& action);
Json json_of(const openflow::ActionList& actions);
Json json_of(const MatchItem& item);
Json json_of(const FlowLine& line);
Json json_of(const ReplyHeader& header);
Json json_of(const openflow::Port& port);
Json json_of(const Subfield& s);
// One line; bytes that are no UTF-8 are replaced.
std::string compact(const Json& j);
std::string pretty(const Json& j);

}  // namespace egt::parsers::ofctl
