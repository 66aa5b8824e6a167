// Who leaves as whom, as a table, JSON (docs/schema/audit.schema.json) or CSV .
#pragma once

#include <string>
#include <vector>

#include "egtrace/assess/audit.h"
#include "egtrace/render/explain.h"

namespace egt::render {

std::string audit_json(const std::vector<assess::AuditRow>& rows);
std::string audit_table(const std::vector<assess::AuditRow>& rows, const TextOptions& options);
std::string audit_csv(const std::vector<assess::AuditRow>& rows);

}  // namespace egt::render
