// Functions that statements may call beside those of SQLite: in_subnet(), match(), may_match().
#pragma once

#include <sqlite3.h>

namespace egt::sql {

void add_functions(sqlite3* database);

}  // namespace egt::sql
