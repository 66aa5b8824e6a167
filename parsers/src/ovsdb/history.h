// The transactions of a database file as history: what each did to which rows.
#pragma once

#include "egtrace/parsers/format.h"

namespace egt::parsers::ovsdb {

void add_history(const Dump& dump, cluster::History& history);
// Looks at the last records alone.
std::int64_t newest_transaction(const Dump& dump);

}  // namespace egt::parsers::ovsdb
