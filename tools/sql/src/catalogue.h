// All tables, one source for each subject.
#pragma once

#include <memory>
#include <vector>

#include "table.h"

namespace egt::sql {

using Tables = std::vector<std::unique_ptr<Table>>;
void add_openflow_tables(Tables& all);
void add_ovn_tables(Tables& all);
void add_host_tables(Tables& all);
void add_netfilter_tables(Tables& all);
void add_object_tables(Tables& all);
void add_result_tables(Tables& all);
void add_dump_tables(Tables& all);

Tables all_tables();

}  // namespace egt::sql
