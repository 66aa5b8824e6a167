// From rows and overviews to the model. Dumps come in any order, so rows are kept (ovn::Row) and the typed facts are made
// again from all rows of a node whenever a table of theirs arrives; facts of the same thing are merged by name.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "egtrace/cluster/cluster.h"
#include "ovsdb/record.h"
#include "ovsdb/schema.h"
#include "ovsdb/show.h"

namespace egt::parsers::ovsdb {

// Rows of one table of one database, however they were read (text, JSON, a database file).
struct TableRows {
  Database database = Database::nb;
  std::string table;  // proper name: "Logical_Router_Policy"
  std::vector<Record> records;
  SourceId source = kNoSource;
  std::uint32_t first_line = 1;
  bool complete = false;  // all rows of the table are here
  unsigned jobs = 1;      // threads that may work on them, as Dump::jobs
};
// A thread more is worth its start for so many rows.
constexpr std::size_t kRowsWorthAThread = 512;
// What a row has otherwise than a row that was there before is kept beside that (in a column "NAME (other dump)") and reported.
void load_rows(const TableRows& rows, cluster::Node& node, Report& report);

// A whole database file.
void load_database(const Dump& dump, cluster::Cluster& cluster, cluster::Node& node, Report& report);

void load_vswitch_show(const std::vector<ShowItem>& items, SourceId source, cluster::Node& node);
void load_southbound_show(const std::vector<ShowItem>& items, SourceId source, ovn::Ovn& ovn);
void load_northbound_show(const std::vector<ShowItem>& items, SourceId source, ovn::Ovn& ovn);

// ---- pieces of it

// Keeps rows without linking them. `rows.records`: of what load_southbound_rows() takes.
void add_rows(const TableRows& rows, std::vector<ovn::Row> made, cluster::Node& node, Report& report);
// Rows with types, of the Southbound database (egtrace/ovn/southbound.h).
void load_southbound_rows(const TableRows& rows, ovn::Ovn& ovn);
// The columns of which they are made; empty for tables of which there are none.
std::vector<std::string_view> typed_columns(std::string_view southbound_table);
struct DatabaseFile;
// Logical flows of a database file; datapaths are linked already. `from`: of each row of the table. `typed_only`: into
// Southbound, not into Ovn::logical_flows.
void load_stored_flows(const DatabaseFile& file, const Dump& dump, const std::vector<Provenance>& from, bool typed_only,
                       ovn::Ovn& ovn, Report& report);

// Makes bridges and their interfaces of the rows of Bridge, Port, Interface and Open_vSwitch.
void link_vswitch_rows(cluster::Node& node);
// Makes datapaths, ports, chassis and address sets of the rows of both OVN databases.
void link_ovn_rows(ovn::Ovn& ovn);

// Nothing where it is out of range.
std::optional<std::uint32_t> u32_of(std::optional<std::int64_t> number);

// ---- merging by name or UUID

ovn::Datapath& ensure_datapath(ovn::Ovn& ovn, std::string_view name, std::string_view uuid, bool is_router, Provenance from);
ovn::Chassis& ensure_chassis(ovn::Ovn& ovn, const std::string& name, Provenance from);
// `realised`: from the Southbound database, which has the last word on type, datapath, key and chassis.
void merge_port(ovn::LogicalPort& known, const ovn::LogicalPort& more, bool realised);
// Ports of which the datapath was known by its UUID only get its name; router ports learn their peers from the switch
// ports that name them.
void settle_ports(ovn::Ovn& ovn);

// Puts the MAC and the addresses of "0a:58:0a:84:00:0d 10.132.0.13/23 fd01::d" into a port. Words like "unknown",
// "router" and "dynamic" name no address.
void add_addresses(std::string_view text, ovn::LogicalPort& port);

// Adds a row, or what it adds to the row that has its UUID, or the same content (`key`, columns) and no other router.
// Made for many rows at a time: it keeps an index of the table.
class RowMerger {
 public:
  RowMerger(ovn::Rows& rows, std::string_view database, std::string_view table, std::vector<std::string> key);
  // Where the row is known already, reports the columns in which it differs.
  void add(ovn::Row row, Report* report = nullptr);

 private:
  void merge(ovn::Row& known, const ovn::Row& more, Report* report) const;
  std::string key_of(const ovn::Row& row) const;
  ovn::Row* same_row(const ovn::Row& row);
  void index(std::size_t i);
  void index_keys();

  Name database_, table_;
  std::vector<ovn::Row>& rows_;
  std::vector<std::string> key_;
  std::unordered_map<std::string, std::size_t> by_uuid_;
  // Of rows in front of keyed_: what has a UUID needs no key before something without one comes.
  std::multimap<std::string, std::size_t> by_key_;
  std::size_t keyed_ = 0, unnamed_ = 0;  // rows without a UUID
};

// The columns by which rows of lr-policy-list and the like find their rows of `list`; empty for other tables.
std::vector<std::string> key_columns(std::string_view table);

}  // namespace egt::parsers::ovsdb
