// An Inspection as JSON (docs/schema/inspect.schema.json) and as text.
#pragma once

#include <string>

#include "egtrace/explain/inspect.h"
#include "egtrace/render/explain.h"

namespace egt::render {

std::string inspect_json(const explain::Inspection& i);
std::string inspect_text(const explain::Inspection& i, const TextOptions& options);

}  // namespace egt::render
