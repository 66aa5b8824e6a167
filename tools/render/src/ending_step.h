// The end of a path as a step of its own.
#pragma once

#include "egtrace/explain/explanation.h"

namespace egt::render {

// `part` of `whole`, with a last step that has the lines that decide its end, where no step of the path has them: entries of a
// neighbour table, a route that refuses, a device that is down.
explain::PathReport with_ending(const explain::PathReport& whole, explain::PathReport part);

}  // namespace egt::render
