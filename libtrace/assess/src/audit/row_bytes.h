// Rows of the audit on their way from one process to another: the same program on the same machine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "egtrace/assess/audit.h"

namespace egt::assess {

void append_row(std::string& bytes, const AuditRow& row);
std::vector<AuditRow> rows_of(std::string_view bytes);  // as append_row wrote them

}  // namespace egt::assess
