// What differs between two snapshots, as text or JSON (docs/schema/diff.schema.json).
#pragma once

#include <string>

#include "egtrace/assess/difference.h"
#include "egtrace/render/explain.h"

namespace egt::render {

std::string diff_json(const assess::Differences& differences);
std::string diff_text(const assess::Differences& differences, const TextOptions& options);

}  // namespace egt::render
