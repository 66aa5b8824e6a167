// The words of what walks find: reasons, places, assumptions, missing inputs, questions, notices. No other folder words
// them.
#pragma once

#include <string>
#include <string_view>

#include "egtrace/engine/choice.h"
#include "egtrace/engine/record.h"

namespace egt::explain {

std::string_view reason_name(engine::Reason reason);  // "no-flow-matches", as in JSON and docs/reasons.md
std::string phrase(const engine::Cause& cause);       // with what follows from it
std::string phrase_alone(const engine::Cause& cause);
std::string phrase(const engine::Place& place);
std::string phrase_in_bridge(const engine::Place& place);  // without the bridge that it begins with; empty where it has none
std::string phrase(const engine::Statement<engine::Notice>& notice);
std::string phrase(const engine::LearnedFlow& flow);  // as ovs-ofctl prints it

std::string what_of(const engine::Assumption& assumption);
std::string why_of(const engine::Assumption& assumption);
Gap gap_of(const engine::MissingInput& missing);

std::string what_of(const engine::ChoicePoint& point);
std::string why_of(const engine::ChoicePoint& point);  // empty where the system uses all of them
std::string phrase(const engine::Statement<engine::Alternative>& option);

}  // namespace egt::explain
