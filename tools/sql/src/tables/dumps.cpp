// Nodes, dumps, and the tables themselves.
#include "catalogue.h"
#include "egtrace/base/text.h"
#include "egtrace/cluster/role_names.h"
#include "values.h"

namespace egt::sql {
namespace {

using C = const Context&;

struct NodeRow {
  const cluster::Node* node;
};
struct DumpRow {
  const cluster::DumpInfo* dump;
};
struct LineRow {
  const cluster::DumpInfo* dump;
  Provenance at;
};
struct ColumnRow {
  std::string table;
  ColumnInfo column;
};

Definition<NodeRow> nodes() {
  using R = const NodeRow&;
  return {"nodes",
          "nodes of the snapshot",
          {{"name", "TEXT", "name", [](C, R r) { return text(r.node->name); }},
           {"roles", "TEXT", "with commas",
            [](C, R r) { return joined(r.node->roles, [](cluster::Role role) { return cluster::name_of(role); }); }},
           {"ovs_version", "TEXT", "Open vSwitch", [](C, R r) { return text(r.node->ovs_version.value_or("")); }}},
          [](C context, std::vector<NodeRow>& out) {
            for (const auto& node : context.cluster().nodes) out.push_back({&*node});
          },
          nullptr};
}

Definition<DumpRow> dumps() {
  using R = const DumpRow&;
  return {"dumps",
          "files of the snapshot",
          {{"path", "TEXT", "path, as `dump` of all tables", [](C, R r) { return text(r.dump->path); }},
           {"node", "TEXT", "node", [](C, R r) { return text(r.dump->node); }},
           {"kind", "TEXT", "command that printed it", [](C, R r) { return text(r.dump->kind); }},
           {"lines", "INTEGER", "lines", [](C, R r) { return number(r.dump->lines); }},
           {"not_understood", "INTEGER", "lines that were not understood",
            [](C, R r) { return number(r.dump->not_understood.size()); }},
           {"excerpt", "INTEGER", "1: not all of what the command prints", [](C, R r) { return flag(r.dump->partial); }},
           {"superseded_by", "TEXT", "dump that was read instead", [](C, R r) { return text(r.dump->superseded_by); }}},
          [](C context, std::vector<DumpRow>& out) {
            for (const cluster::DumpInfo& d : context.cluster().dumps) out.push_back({&d});
          },
          nullptr};
}

Definition<LineRow> odd_lines() {
  using R = const LineRow&;
  return {"lines_not_understood",
          "lines of dumps that were not understood",
          {{"node", "TEXT", "node", [](C, R r) { return text(r.dump->node); }},
           {"text", "TEXT", "the line", [](C c, R r) { return text(trim(c.cluster().sources->line_text(r.at))); }}},
          [](C context, std::vector<LineRow>& out) {
            for (const cluster::DumpInfo& d : context.cluster().dumps)
              for (const Provenance at : d.not_understood) out.push_back({&d, at});
          },
          [](C, R r) { return r.at; }};
}

Definition<ColumnRow> columns() {
  using R = const ColumnRow&;
  return {"table_columns",
          "columns of these tables",
          {{"table_name", "TEXT", "table", [](C, R r) { return text(r.table); }},
           {"column_name", "TEXT", "column", [](C, R r) { return text(r.column.name); }},
           {"type", "TEXT", "TEXT, INTEGER, REAL", [](C, R r) { return text(r.column.type); }},
           {"meaning", "TEXT", "meaning", [](C, R r) { return text(r.column.meaning); }}},
          [](C, std::vector<ColumnRow>& out) {
            for (const TableInfo& table : schema())
              for (const ColumnInfo& column : table.columns) out.push_back({table.name, column});
          },
          nullptr};
}

}  // namespace

void add_dump_tables(Tables& all) {
  all.push_back(make_table(nodes()));
  all.push_back(make_table(dumps()));
  all.push_back(make_table(odd_lines()));
  all.push_back(make_table(columns()));
}

}  // namespace egt::sql
