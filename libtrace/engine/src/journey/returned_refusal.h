// What a refusal means to the one who is refused: its answer is walked back to him.
#pragma once

#include <string_view>

#include "walk.h"

namespace egt::engine {

// Whether the sender of `sent` takes the answer `refusal` for the end of the connection. `with`: as of Refused.
bool ends_connection(const FlowKey& sent, const FlowKey& refusal, std::string_view with);

// How the answer gets on its way: where it goes on, or how it ends at once. Takes the position out of `refusal`.
Next send_refusal(Walk& walk, Refusal& refusal);
// The end of the refused packet, by that of the answer.
Arrival judge_refusal(const Walk& walk, Refusal refusal, const Arrival& back);

}  // namespace egt::engine
