// What a query selects, as text, JSON and CSV.
#pragma once

#include <string>
#include <vector>

#include "egtrace/base/value_table.h"
#include "egtrace/evidence/evidence.h"
#include "egtrace/render/explain.h"

namespace egt::render {

// Columns side by side, or where they do not fit, a column a line.
std::string value_table_text(const ValueTable& table, const TextOptions& options);
std::string value_table_json(const ValueTable& table, const std::vector<Gap>& gaps);
std::string value_table_csv(const ValueTable& table);

}  // namespace egt::render
