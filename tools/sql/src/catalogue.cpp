#include "catalogue.h"

namespace egt::sql {

Tables all_tables() {
  Tables all;
  add_openflow_tables(all);
  add_ovn_tables(all);
  add_host_tables(all);
  add_netfilter_tables(all);
  add_object_tables(all);
  add_result_tables(all);
  add_dump_tables(all);
  return all;
}

std::vector<TableInfo> schema() {
  std::vector<TableInfo> infos;
  for (const auto& table : all_tables()) infos.push_back(table->info());
  return infos;
}

}  // namespace egt::sql
