#include <algorithm>

#include "egtrace/base/parallel.h"
#include "ovsdb/load.h"

namespace egt::parsers::ovsdb {
namespace {

ovn::Row row_of(const Record& record, SourceId source) {
  ovn::Row row;
  row.uuid = record.uuid();
  row.from = {record.source != kNoSource ? record.source : source, record.line};
  std::vector<const Column*> columns;
  for (const Column& c : record.columns)
    if (c.name != "_uuid") columns.push_back(&c);
  std::stable_sort(columns.begin(), columns.end(), [](const Column* a, const Column* b) { return a->name < b->name; });
  ovn::Columns::Packer packer;
  for (const Column* c : columns)
    if (std::string* const value = packer.begin(c->name)) *value += to_text(c->value);  // of several of one name the first counts
  row.columns = packer.take();
  return row;
}

bool shows_ports(const TableRows& rows) { return rows.table == "Port_Binding" || rows.table == "Logical_Switch_Port"; }

bool is_linked(std::string_view table) {
  constexpr std::string_view kLinked[] = {"Datapath_Binding",
                                          "Port_Binding",
                                          "Chassis",
                                          "Encap",
                                          "Logical_Switch",
                                          "Logical_Router",
                                          "Address_Set",
                                          "Logical_Switch_Port",
                                          "Logical_Router_Port",
                                          "NAT",
                                          "Logical_Router_Policy",
                                          "Logical_Router_Static_Route"};
  return std::find(std::begin(kLinked), std::end(kLinked), table) != std::end(kLinked);
}

bool have_distinct_uuids(const std::vector<ovn::Row>& rows) {
  std::vector<std::string_view> uuids;
  uuids.reserve(rows.size());
  for (const ovn::Row& row : rows) uuids.push_back(row.uuid);
  std::sort(uuids.begin(), uuids.end());
  const bool distinct = std::adjacent_find(uuids.begin(), uuids.end()) == uuids.end();
  return distinct && (uuids.empty() || !uuids.front().empty());
}

}  // namespace

void add_rows(const TableRows& rows, std::vector<ovn::Row> made, cluster::Node& node, Report& report) {
  const std::string database(short_name(rows.database));
  ovn::Rows& known = rows.database == Database::ovs ? node.ovs_rows : node.ovn.rows;
  std::vector<ovn::Row>& all = known.table(database, rows.table).rows().edit();
  if (all.empty() && have_distinct_uuids(made)) {  // nothing to merge
    const Name of(database), table(rows.table);
    for (ovn::Row& row : made) row.database = of, row.table = table;
    all = std::move(made);
  } else {
    RowMerger merger(known, database, rows.table, key_columns(rows.table));
    for (ovn::Row& row : made) merger.add(std::move(row), &report);
  }
  if (rows.complete) node.ovn.complete_tables.emplace(database + " " + rows.table, Provenance{rows.source, rows.first_line});
  if (rows.database == Database::sb) load_southbound_rows(rows, node.ovn);
  if (shows_ports(rows)) node.ovn.has_ports = true;
}

void load_rows(const TableRows& rows, cluster::Node& node, Report& report) {
  std::vector<ovn::Row> made(rows.records.size());
  for_each_index(made.size(), rows.jobs, kRowsWorthAThread,
                 [&](std::size_t i) { made[i] = row_of(rows.records[i], rows.source); });
  add_rows(rows, std::move(made), node, report);
  if (rows.database == Database::ovs)
    link_vswitch_rows(node);
  else if (is_linked(rows.table))
    link_ovn_rows(node.ovn);
}

}  // namespace egt::parsers::ovsdb
