// What changed when, as text and as the key "history" of `egtrace inspect --format json`
// (docs/schema/inspect.schema.json).
#pragma once

#include <string>

#include "egtrace/explain/history.h"
#include "egtrace/explain/inspect.h"
#include "egtrace/render/explain.h"

namespace egt::render {

std::string history_text(const explain::HistoryReport& history, const TextOptions& options);
// The inspection with the history in it.
std::string inspect_json(const explain::Inspection& inspection, const explain::HistoryReport& history);

}  // namespace egt::render
