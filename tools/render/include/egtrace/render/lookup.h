// A Lookup as JSON (docs/schema/lookup.schema.json) and as text.
#pragma once

#include <string>

#include "egtrace/explain/lookup.h"
#include "egtrace/render/explain.h"

namespace egt::render {

std::string lookup_json(const explain::Lookup& result);
std::string lookup_text(const explain::Lookup& result, const TextOptions& options);

}  // namespace egt::render
